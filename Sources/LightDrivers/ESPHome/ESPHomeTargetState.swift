import DeviceKit
import HAPModel

/// A lock or an alarm panel of an ESPHome device, whose state and commands are numbers.
struct ESPHomeTargetState: Equatable, Sendable {
    let kind: LightKind
    let function: AccessoryFunction
    /// The type of the command messages, and their field for the subdevice.
    let command, partField: Int
    /// The property values for each number in state messages.
    let states: [UInt64: PropertyValues]
    /// The number in a command for each target.
    let commands: [Int: UInt64]
    /// The targets that require a code.
    ///
    /// The bridge has no codes, so it can't request these targets.
    var coded: Set<Int> = []
    /// The abilities of an alarm panel.
    var panel: AlarmPanel?

    /// Returns the report for a state, given the last requested target.
    func report(_ state: ESPHomeState, asked: Int?) -> LightReport {
        LightReport(
            states[state.number] ?? panelValues(state.number, asked: asked) ?? PropertyValues(), reachable: true)
    }

    /// Returns the target that a command sets, or `nil` if the command sets no target.
    func target(of command: LightCommand) -> Int? {
        command.values.compactMap { $0.value.flatMap(Int.init) }.first
    }

    /// Returns the message for a command; `nil` if the device doesn't support the target.
    func message(for command: LightCommand, to key: ESPHomeEntity.Key) -> ESPHomeFraming.Message? {
        target(of: command).flatMap { message(to: $0, of: key) }
    }

    /// Returns the message that requests a target; `nil` if the device doesn't support the target.
    func message(to target: Int, of key: ESPHomeEntity.Key) -> ESPHomeFraming.Message? {
        guard !coded.contains(target), let number = commands[target] else { return nil }
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        body.write(number, field: 2)
        if key.part != 0 { body.write(UInt64(key.part), field: UInt64(partField)) }
        return ESPHomeFraming.Message(self.command, body.bytes)
    }
}

extension ESPHomeState {
    /// Parses the state of a device whose state is a number.
    init(number body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        try self.init(body, part: 3) { state, field, value in
            switch field {
            case 2: state.number = value.number
            default: break
            }
        }
    }
}
