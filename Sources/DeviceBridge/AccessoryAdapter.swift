internal import AccessoryRole
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol

/// Converts a driver's description of a device to HAP services, written values to commands, and device states to
/// characteristic values.
///
/// It is immutable.
final class AccessoryAdapter {
    /// A characteristic of the accessory.
    private struct Part {
        let iid: InstanceID
        let type: CharacteristicType
        let property: Property
        let metadata: CharacteristicMetadata
        /// The value before the first report.
        var initial: CharacteristicValue
        let manufacturerDescription: String?
        /// A Boolean value that indicates whether the device has the characteristic; `false` if the bridge has added it
        /// because HAP requires it.
        let isOfDevice: Bool
        /// A Boolean value that indicates whether the value is part of the accessory's state, which means that
        /// controllers can read it and that it isn't a momentary event.
        let isState: Bool
    }

    let description: LightDescription
    /// The name that controllers see.
    let name: String
    let ids: InstanceIDs
    /// The formats and ranges of the device's values.
    let limits: ValueLimits

    private let information: ServiceObject
    private var services: [(iid: InstanceID, function: AccessoryFunction, parts: [Part])] = []

    var rules: any DeviceRules { limits.rules }

    /// Creates the adapter for a description.
    ///
    /// Every service and characteristic without an iid in `ids` gets a new iid.
    init(_ description: LightDescription, _ name: String, _ ids: InstanceIDs) {
        self.description = description
        self.name = name
        limits = ValueLimits(of: description)
        var ids = ids
        information = AccessoryInformation(of: description, name: name).service(&ids)
        for function in description.kind.rules.shown(description.functions).labelingButtons {
            let iid = ids.id(of: function.type, function.id)
            var parts: [Part] = []
            for part in function.parts {
                guard let metadata = part.metadata else { continue }
                parts.append(
                    Part(
                        iid: ids.id(of: part.type, in: function.type, function.id), type: part.type,
                        property: description.kind.property(part.type, of: function.id), metadata: metadata,
                        initial: part.value, manufacturerDescription: part.manufacturerDescription,
                        isOfDevice: description.has(part.type),
                        isState: metadata.permissions.contains(.pairedRead) && !part.type.isMomentary))
            }
            services.append((iid, function, parts))
        }
        self.ids = ids
        numberButtons()
        setTransitionConfiguration()
    }

    /// Numbers the buttons from 1.
    ///
    /// The numbers follow the order in which the buttons were first described, so a new button doesn't renumber the
    /// others.
    private func numberButtons() {
        var taken: Set<Int64> = []
        var places: [Int] = []
        for (index, service) in services.enumerated() where service.function.type == .statelessProgrammableSwitch {
            let described = description.functions.first {
                $0.type == service.function.type && $0.id == service.function.id
            }
            if case .integer(let number)? = described?.parts.first(where: { $0.type == .serviceLabelIndex })?.value {
                taken.insert(number)
            } else {
                places.append(index)
            }
        }
        var numbers = (1...Int64(AccessoryObject.maximumParts)).lazy.filter { !taken.contains($0) }.makeIterator()
        for index in places.sorted(by: { services[$0].iid < services[$1].iid }) {
            guard let number = numbers.next() else { return }
            for part in services[index].parts.indices where services[index].parts[part].type == .serviceLabelIndex {
                services[index].parts[part].initial = .integer(number)
            }
        }
    }

    private func setTransitionConfiguration() {
        guard let configuration = transition(resuming: nil)?.supportedConfiguration else { return }
        for index in services[0].parts.indices
        where services[0].parts[index].type == .supportedCharacteristicValueTransitionConfiguration {
            services[0].parts[index].initial = .data(configuration)
        }
    }

    private func part(where isWanted: (Part) -> Bool) -> Part? {
        for service in services {
            for part in service.parts where isWanted(part) { return part }
        }
        return nil
    }

    private func part(_ property: Property) -> Part? { part { $0.property == property } }

    /// Returns the iid and the metadata of the first function's characteristic of the given type, or `nil` if the
    /// function has no such characteristic.
    func place(of type: CharacteristicType) -> (iid: InstanceID, metadata: CharacteristicMetadata)? {
        services.first?.parts.first { $0.type == type }.map { ($0.iid, $0.metadata) }
    }

    // MARK: The accessory

    /// Returns the accessory object, with characteristic values from a device state.
    func accessory(_ aid: AccessoryID, state: DeviceState) -> AccessoryObject {
        let shown = services.enumerated().map { index, service in
            ServiceObject(
                iid: service.iid, type: service.function.type, isPrimary: index == 0,
                linked: service.function.linked.compactMap { id in
                    services.first { $0.function.id == id && $0.iid != service.iid }?.iid
                },
                characteristics: service.parts.map { part in
                    let value = value(part, of: service.function, in: state)
                    let isReadable = part.metadata.permissions.contains(.pairedRead) && !isUnknown(part, in: state)
                    return CharacteristicObject(
                        iid: part.iid, type: part.type, metadata: part.metadata,
                        value: isReadable ? part.metadata.clamped(value) ?? part.metadata.defaultValue : nil,
                        manufacturerDescription: part.manufacturerDescription)
                })
        }
        return AccessoryObject(aid: aid, services: [information] + shown)
    }

    /// Returns the values of all characteristics in a device state, in the order of the services.
    ///
    /// Hue and saturation precede color temperature, because the Home app derives the color mode from the last value
    /// (Lights 2). Momentary events aren't part of a state.
    func values(of state: DeviceState) -> [(InstanceID, CharacteristicValue)] {
        var values: [(InstanceID, CharacteristicValue)] = []
        values.reserveCapacity(services.reduce(0) { $0 + $1.parts.count })
        for service in services {
            for part in service.parts where part.isState && !isUnknown(part, in: state) {
                values.append((part.iid, value(part, of: service.function, in: state)))
            }
        }
        return values
    }

    /// Returns the unknown readings of meters, which controllers read as null, because any number would be wrong.
    func unknownReadings(in state: DeviceState) -> [InstanceID] {
        guard description.hasMeter else { return [] }
        return services.flatMap(\.parts).filter { isUnknown($0, in: state) }.map(\.iid)
    }

    private func isUnknown(_ part: Part, in state: DeviceState) -> Bool {
        EveReading(part.type) != nil && !state.knows(part.property)
    }

    private func value(_ part: Part, of function: AccessoryFunction, in state: DeviceState) -> CharacteristicValue {
        state.values[part.property] ?? rules.derived(part.type, of: function, in: state) ?? part.initial
    }

    // MARK: Values

    /// Returns the characteristic and the value of a momentary event, or `nil` for an event that the device can't have.
    func event(_ property: Property, _ value: CharacteristicValue?) -> (InstanceID, CharacteristicValue)? {
        guard property.type.isMomentary, let part = part(property), let value = value.flatMap(part.metadata.accepted)
        else { return nil }
        return (part.iid, value)
    }

    /// Returns the command for the values of a write request.
    func command(for writes: [CharacteristicWrite], state: DeviceState) -> LightCommand {
        var written = PropertyValues()
        for write in writes {
            guard let part = part(where: { $0.iid == write.iid }), part.isOfDevice, !part.type.isKeptByBridge
            else { continue }
            written[part.property] = part.type == rules.power ? Bool(write.value).map { .bool($0) } : write.value
        }
        return LightCommand(limits.canonical(rules.command(written, over: state)).values)
    }

    /// Returns the values in a write request that the bridge itself stores, such as the names of services.
    func settings(in writes: [CharacteristicWrite]) -> PropertyValues {
        var settings = PropertyValues()
        for write in writes where write.type.isKeptByBridge {
            if let part = part(where: { $0.iid == write.iid }) {
                settings[part.property] = part.metadata.accepted(write.value)
            }
        }
        return settings
    }

    /// Returns the iid of a property, or `nil` if the accessory doesn't have it.
    func iid(of property: Property) -> InstanceID? { part(property)?.iid }

    /// Returns an operator's command without the values that the device doesn't have, or `nil` if no values remain.
    func possible(_ command: LightCommand, state: DeviceState) -> LightCommand? {
        var possible = PropertyValues()
        let asked = limits.canonical(rules.command(command.values, over: state)).values
        for (property, value) in asked {
            guard let value, let part = part(property), part.metadata.permissions.contains(.pairedWrite) else {
                continue
            }
            // The power is a Boolean value, also of a device whose characteristic is Active.
            possible[property] = part.type == rules.power ? value : part.metadata.clamped(value)
        }
        return possible.isEmpty ? nil : LightCommand(possible, transition: command.transition)
    }

    /// Adds the initial values of missing properties, if the device can be switched on and off.
    func addInitialValues(to state: inout DeviceState) {
        guard rules.power != nil else { return }
        if place(of: .colorTemperature) == nil { state.isWhite = false }
        for (property, value) in description.initialValues where !state.values.contains(property) {
            state.values[property] = value
        }
    }
}

extension AccessoryInformation {
    /// Creates the accessory information of a light.
    ///
    /// If the description has no serial number, the light's ID serves as the serial number.
    fileprivate init(of description: LightDescription, name: String) {
        self.init(
            name: name, manufacturer: description.manufacturer, model: description.model,
            kind: description.kind.title, serialNumber: description.serialNumber ?? description.id.rawValue,
            firmware: description.firmware)
    }
}
