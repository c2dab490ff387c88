internal import AccessoryRole
internal import HAPModel
internal import LightKit

/// A fan as HAP's Fan (v2): Active, RotationSpeed, RotationDirection and SwingMode, as far as it has them.
struct FanAdapter: AccessoryAdapter {
    let description: LightDescription
    let name: String
    let ids: InstanceIDs

    private let information: Service
    private let fan: AdaptedService

    /// Gives every part of the accessory its iid, new ones to parts that had none.
    init(description: LightDescription, name: String, ids: InstanceIDs) {
        self.description = description
        self.name = name
        var ids = ids
        information = AccessoryInformation(of: description, name: name, kind: "Fan").service(&ids)
        var types: [CharacteristicType] = [.active]
        if description.capabilities.speed { types.append(.rotationSpeed) }
        if description.capabilities.direction { types.append(.rotationDirection) }
        if description.capabilities.oscillation { types.append(.swingMode) }
        fan = AdaptedService(.fanv2, types, &ids)
        self.ids = ids
    }

    func accessory(_ aid: AccessoryID, state: LightState) -> Accessory {
        let values = Dictionary(values(of: state), uniquingKeysWith: { $1 })
        return Accessory(aid: aid, services: [information, fan.service(values, isPrimary: true)])
    }

    func values(of state: LightState) -> [(InstanceID, CharacteristicValue)] {
        let values: [(CharacteristicType, CharacteristicValue)] = [
            (.active, .integer(state.on ? 1 : 0)), (.rotationSpeed, .float(Double(state.speed))),
            (.rotationDirection, .integer(state.direction == .clockwise ? 0 : 1)),
            (.swingMode, .integer(state.oscillates ? 1 : 0)),
        ]
        return values.compactMap { type, value in fan.iid(of: type).map { ($0, value) } }
    }

    func command(for writes: [CharacteristicWrite], state: LightState) -> LightCommand {
        var command = LightCommand()
        var isZero = false
        for write in writes {
            guard let number = write.value.number else { continue }
            switch write.type {
            case .active: command.on = number == 1
            case .rotationSpeed:
                // Zero means off, and the speed to come back to stays.
                isZero = number < 0.5
                command.speed = isZero ? nil : Int(exactly: number.rounded())
            case .rotationDirection: command.direction = number == 0 ? .clockwise : .counterclockwise
            case .swingMode: command.oscillates = number == 1
            default: break
            }
        }
        if isZero { command.on = false }
        return command
    }

    func possible(_ command: LightCommand) -> LightCommand? {
        var possible = LightCommand(on: command.on)
        if description.capabilities.speed { possible.speed = command.speed }
        if description.capabilities.direction { possible.direction = command.direction }
        if description.capabilities.oscillation { possible.oscillates = command.oscillates }
        return possible.isEmpty ? nil : possible
    }
}
