internal import AccessoryRole
internal import HAPModel
internal import LightKit

/// Between what a driver brings and its accessory: services out of a description, commands out of written values, values
/// out of a state.
///
/// It never changes.
protocol AccessoryAdapter: Sendable {
    var description: LightDescription { get }
    /// The name controllers see.
    var name: String { get }
    var ids: InstanceIDs { get }

    /// The accessory object with the values of a state.
    func accessory(_ aid: AccessoryID, state: LightState) -> Accessory

    /// The values of its characteristics in a state.
    func values(of state: LightState) -> [(InstanceID, CharacteristicValue)]

    /// What written values ask: all values of one request make one command.
    func command(for writes: [CharacteristicWrite], state: LightState) -> LightCommand

    /// What an operator asks, without what cannot be done; `nil` if nothing is left.
    func possible(_ command: LightCommand) -> LightCommand?
}

/// The adapter for a description.
///
/// It gives every part of the accessory its iid, new ones to parts that had none.
func adapter(_ description: LightDescription, _ name: String, _ ids: InstanceIDs) -> any AccessoryAdapter {
    switch description.kind {
    case .light, .switch, .outlet: LightbulbAdapter(description: description, name: name, ids: ids)
    case .fan: FanAdapter(description: description, name: name, ids: ids)
    case .sensor: SensorAdapter(description: description, name: name, ids: ids)
    }
}

/// A service of an accessory, with its iids and without values.
struct AdaptedService: Sendable {
    private struct Part {
        let iid: InstanceID
        let type: CharacteristicType
        let metadata: CharacteristicMetadata
    }

    private let iid: InstanceID
    private let type: ServiceType
    private let parts: [Part]

    /// - Parameters:
    ///   - type: the service.
    ///   - characteristics: those it has, all of which are in the catalogue.
    ///   - ids: the accessory's iids.
    init(_ type: ServiceType, _ characteristics: [CharacteristicType], _ ids: inout InstanceIDs) {
        self.type = type
        iid = ids.id(of: type)
        parts = characteristics.map { characteristic in
            guard let metadata = CharacteristicDefinition.of(characteristic)?.metadata else {
                preconditionFailure("the types named here are in the catalogue")
            }
            return Part(iid: ids.id(of: characteristic, in: type), type: characteristic, metadata: metadata)
        }
    }

    /// Where a characteristic is; `nil` if the service does not have it.
    func iid(of type: CharacteristicType) -> InstanceID? { parts.first { $0.type == type }?.iid }

    /// The service with these values.
    func service(_ values: [InstanceID: CharacteristicValue], isPrimary: Bool) -> Service {
        Service(
            iid: iid, type: type, isPrimary: isPrimary,
            characteristics: parts.map { part in
                Characteristic(
                    iid: part.iid, type: part.type, metadata: part.metadata,
                    value: values[part.iid].flatMap(part.metadata.clamped) ?? part.metadata.defaultValue)
            })
    }
}

extension AccessoryInformation {
    /// What is known of a light; its id stands for a serial number that it does not say.
    ///
    /// - Parameters:
    ///   - description: the light.
    ///   - name: the name controllers see.
    ///   - kind: stands for the model if that is not known.
    init(of description: LightDescription, name: String, kind: String) {
        self.init(
            name: name, manufacturer: description.manufacturer, model: description.model, kind: kind,
            serialNumber: description.serialNumber ?? description.id.rawValue, firmware: description.firmware)
    }
}
