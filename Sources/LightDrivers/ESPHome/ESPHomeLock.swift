import DeviceKit
import HAPModel

extension ESPHomeTargetState {
    private static let lockStates: [UInt64: PropertyValues] = {
        var states: [UInt64: PropertyValues] = [:]
        for (number, state) in [
            (0, LockState.unknown), (1, .secured), (2, .unsecured), (3, .jammed), (7, .unsecured),
        ] { states[UInt64(number), default: PropertyValues()][.lockCurrentState] = state }
        for (number, target) in [(4, LockState.secured), (5, .unsecured), (6, .unsecured)] {
            states[UInt64(number), default: PropertyValues()][.lockTargetState] = target
        }
        return states
    }()

    fileprivate static let lock = ESPHomeTargetState(
        kind: .lock, function: .lock, command: ESPHomeMessageType.lockCommand, partField: 5, states: lockStates,
        commands: [LockState.unsecured.rawValue: 0, LockState.secured.rawValue: 1])
}

extension ESPHomeEntity {
    /// Parses the description of a lock.
    init(lock body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        var lock = ESPHomeTargetState.lock
        self.init(key: Key(key: 0), objectID: "", name: "", kind: .targetState(lock), isHidden: false)
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 6: isHidden = isHidden || value.flag
            case 7: isHidden = isHidden || value.number != 0
            case 10: if value.flag { lock.coded = Set(lock.commands.keys) }
            case 12: key.part = UInt32(truncatingIfNeeded: value.number)
            default: readCommon(field, value)
            }
        }
        kind = .targetState(lock)
    }
}
