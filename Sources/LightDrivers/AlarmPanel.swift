import DeviceKit
import HAPModel

/// The states of an alarm panel, with Home Assistant's names.
enum AlarmPanelState: String, CaseIterable, Sendable {
    case disarmed, pending, arming, disarming, triggered
    case home = "armed_home"
    case away = "armed_away"
    case night = "armed_night"
    case vacation = "armed_vacation"
    case customBypass = "armed_custom_bypass"
}

/// The abilities of an alarm panel.
struct AlarmPanel: Equatable, Sendable {
    /// Home Assistant's modes for armed panels.
    ///
    /// If several modes match a HomeKit mode, the last one is preferred.
    enum Mode: String, CaseIterable, Sendable {
        case customBypass = "arm_custom_bypass"
        case vacation = "arm_vacation"
        case away = "arm_away"
        case home = "arm_home"
        case night = "arm_night"

        /// The corresponding HomeKit state.
        var state: SecurityState {
            switch self {
            case .home: .home
            case .night: .night
            case .away, .vacation, .customBypass: .away
            }
        }
    }

    /// The panel's mode for each HomeKit state.
    let modes: [SecurityState: Mode]

    var function: AccessoryFunction { .securitySystem(Set(modes.keys)) }

    init(_ modes: Set<Mode>) {
        self.modes = Mode.allCases.filter(modes.contains).reduce(into: [:]) { $0[$1.state] = $1 }
    }

    /// Returns the property values for a state of the panel.
    ///
    /// - Parameters:
    ///   - state: The panel's state.
    ///   - asked: The last requested or reported target.
    /// - Returns: The current or target state, or both. The panel counts as disarmed during an exit delay. An entry
    ///   delay doesn't change the current state.
    func values(_ state: AlarmPanelState, asked: SecurityState?) -> PropertyValues {
        var values = PropertyValues()
        switch state {
        case .disarmed: values[.securitySystemCurrentState] = .disarmed
        case .home: values[.securitySystemCurrentState] = shown(.home)
        case .away, .vacation, .customBypass: values[.securitySystemCurrentState] = shown(.away)
        case .night: values[.securitySystemCurrentState] = shown(.night)
        case .triggered: values[.securitySystemCurrentState] = .triggered
        case .disarming: values[.securitySystemTargetState] = .disarmed
        case .pending: values[.securitySystemTargetState] = asked
        case .arming:
            values[.securitySystemTargetState] = asked.flatMap { $0 == .disarmed ? nil : $0 } ?? shown(.away)
            values[.securitySystemCurrentState] = .disarmed
        }
        return values
    }

    /// Returns the mode to report to HomeKit: the given mode if the panel has it, otherwise one of its other modes.
    ///
    /// The result is a key of `modes`, because HomeKit can't set other targets of the panel.
    private func shown(_ mode: SecurityState) -> SecurityState {
        [mode, .away, .home, .night].first { modes[$0] != nil } ?? mode
    }
}
