import DeviceKit
import HAPModel

extension ESPHomeTargetState {
    /// The states in messages, by their number.
    fileprivate static let panelStates: [AlarmPanelState] = [
        .disarmed, .home, .away, .night, .vacation, .customBypass, .pending, .arming, .disarming, .triggered,
    ]
    /// The commands, by their number; the first command disarms the panel.
    private static let panelModes: [AlarmPanel.Mode?] = [nil, .away, .home, .night, .vacation, .customBypass]
    /// The features in descriptions, by their bit.
    private static let panelFeatures: [AlarmPanel.Mode?] = [.home, .away, .night, nil, .customBypass, .vacation]

    fileprivate init(features: UInt64) {
        var modes: Set<AlarmPanel.Mode> = []
        for (bit, mode) in Self.panelFeatures.enumerated() where features & (1 << UInt64(bit)) != 0 {
            if let mode { modes.insert(mode) }
        }
        let panel = AlarmPanel(modes)
        var commands = [SecurityState.disarmed.rawValue: UInt64(0)]
        for (state, mode) in panel.modes {
            commands[state.rawValue] = Self.panelModes.firstIndex(of: mode).map(UInt64.init)
        }
        self.init(
            kind: .securitySystem, function: panel.function, command: ESPHomeMessageType.alarmCommand, partField: 4,
            states: [:], commands: commands)
        self.panel = panel
    }
}

extension ESPHomeTargetState {
    /// Returns the values for a panel's state number and the last requested target, or `nil` if the number is unknown.
    func panelValues(_ number: UInt64, asked: Int?) -> PropertyValues? {
        guard let panel, let index = Int(exactly: number), Self.panelStates.indices.contains(index) else { return nil }
        return panel.values(Self.panelStates[index], asked: asked.flatMap(SecurityState.init))
    }

    /// Returns the target that results from a panel's state and the last requested target, or `nil` if it is unknown.
    func target(in state: ESPHomeState, asked: Int?) -> Int? {
        guard let values = panelValues(state.number, asked: asked) else { return nil }
        let target = values[.securitySystemTargetState] ?? values[.securitySystemCurrentState]
        return target == .triggered ? nil : target?.rawValue
    }

    /// Returns the targets to request in order, so that a panel in the given state reaches the given target.
    ///
    /// `asked` is the last requested target.
    ///
    /// An ESPHome alarm panel can be armed only while it is disarmed.
    func steps(to target: Int, from state: ESPHomeState?, asked: Int?) -> [Int] {
        let disarmed = SecurityState.disarmed
        guard target != disarmed.rawValue, let state, let values = panelValues(state.number, asked: asked) else {
            return [target]
        }
        let now = values[.securitySystemTargetState] ?? values[.securitySystemCurrentState]
        return now == disarmed || now?.rawValue == target ? [target] : [disarmed.rawValue, target]
    }
}

extension ESPHomeEntity {
    /// Parses the description of an alarm panel.
    init(alarm body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        var (features, disarmsWithCode, armsWithCode) = (UInt64(0), false, false)
        self.init(
            key: Key(key: 0), objectID: "", name: "", kind: .targetState(ESPHomeTargetState(features: 0)),
            isHidden: false)
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 6: isHidden = isHidden || value.flag
            case 7: isHidden = isHidden || value.number != 0
            case 8: features = value.number
            case 9: disarmsWithCode = value.flag
            case 10: armsWithCode = value.flag
            case 11: key.part = UInt32(truncatingIfNeeded: value.number)
            default: readCommon(field, value)
            }
        }
        var panel = ESPHomeTargetState(features: features)
        let disarmed = SecurityState.disarmed.rawValue
        panel.coded = Set(panel.commands.keys.filter { $0 == disarmed ? disarmsWithCode : armsWithCode })
        kind = .targetState(panel)
    }
}
