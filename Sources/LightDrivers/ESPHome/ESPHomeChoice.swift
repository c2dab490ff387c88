import DeviceKit
import HAPModel

/// A choice of one of several options: a `select` entity of an ESPHome device.
struct ESPHomeChoice: ESPHomeComponent {
    static let types = (entity: 52, state: 53)
    static let idPart = "select/"
    static let kind = LightKind.scene
    private static let command = 54
    /// The id of the only choice of an accessory.
    private static let id = "select"

    private var options: [String] = []

    var functions: [AccessoryFunction] { AccessoryFunction.choice(Self.id, options) }

    static func entity(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeEntity? {
        var choice = ESPHomeChoice()
        var entity = ESPHomeEntity(choice)
        var count = 0
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 6:
                count += 1
                if count <= AccessoryFunction.maximumOptions { choice.options.append(value.text) }
            case 7: entity.isHidden = entity.isHidden || value.flag
            case 8: entity.isHidden = entity.isHidden || value.number != 0
            case 9: entity.key.part = UInt32(truncatingIfNeeded: value.number)
            default: entity.readCommon(field, value)
            }
        }
        guard count > 0, Set(choice.options).count == choice.options.count else { return nil }
        if count > AccessoryFunction.maximumOptions {
            entity.problem =
                "\"\(MQTTProblem.quoted(entity.name))\" isn't shown: it has more than "
                + "\(AccessoryFunction.maximumOptions) options, and each option becomes a switch"
        }
        entity.kind = .component(AnyESPHomeComponent(choice))
        return entity
    }

    static func state(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeState {
        try ESPHomeState(body, part: 4) { state, field, value in
            switch field {
            case 2: state.text = value.text
            case 3: state.isMissing = value.flag
            default: break
            }
        }
    }

    private func property(_ option: String) -> Property {
        Property(.on, of: AccessoryFunction.optionID(option, of: Self.id))
    }

    func report(_ state: ESPHomeState) -> LightReport {
        var report = LightReport(reachable: true)
        guard !state.isMissing, options.contains(state.text) else { return report }
        for option in options { report.values[property(option)] = .bool(option == state.text) }
        return report
    }

    /// Returns the message that selects the command's option, or the last one if the command has several options.
    func message(
        for command: LightCommand, to key: ESPHomeEntity.Key, in state: ESPHomeState?
    ) -> ESPHomeFraming.Message? {
        guard let option = options.last(where: { command.values[property($0)] == .bool(true) }) else { return nil }
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        body.write(option, field: 2)
        if key.part != 0 { body.write(UInt64(key.part), field: 3) }
        return ESPHomeFraming.Message(Self.command, body.bytes)
    }
}

extension ESPHomeEntity {
    /// A Boolean value that indicates whether the entity is a choice.
    var isChoice: Bool { if case .component(let component) = kind { component.base is ESPHomeChoice } else { false } }
}
