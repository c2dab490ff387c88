package import HAPModel

/// Accessory 1: the bridge itself, which has no function of its own (hap.md 12).
package struct BridgeAccessory: Equatable, Sendable {
    package static let manufacturer = "Lamplighter"
    package static let model = "Lamplighter Bridge"
    /// The version of HAP that the Protocol Information service states.
    static let protocolVersion = "1.1.0"

    package private(set) var ids: InstanceIDs
    package let accessory: Accessory

    /// Makes the accessory.
    ///
    /// - Parameters:
    ///   - name: the bridge's name, made valid here.
    ///   - serialNumber: tells bridges apart for people.
    ///   - firmware: the program's version.
    ///   - ids: the iids given so far.
    package init(name: String, serialNumber: String, firmware: String, ids: InstanceIDs) {
        var ids = ids
        _ = ids.id(of: .accessoryInformation)
        for type: CharacteristicType in [.identify, .manufacturer, .model, .name, .serialNumber, .firmwareRevision] {
            _ = ids.id(of: type, in: .accessoryInformation)
        }
        let service = ids.id(of: .protocolInformation)
        let version = ids.id(of: .version, in: .protocolInformation)
        guard let definition = CharacteristicDefinition.of(.version) else {
            preconditionFailure("the type is in the catalogue")
        }
        let information = AccessoryInformation(
            name: AccessoryName.sanitized(name, fallback: "Lamplighter"), manufacturer: Self.manufacturer,
            model: Self.model, serialNumber: serialNumber, firmware: firmware)
        accessory = Accessory(
            aid: .bridge,
            services: [
                information.service(ids: ids),
                Service(
                    iid: service, type: .protocolInformation,
                    characteristics: [
                        Characteristic(
                            iid: version, type: .version, metadata: definition.metadata,
                            value: .string(Self.protocolVersion))
                    ]),
            ])
        self.ids = ids
    }
}
