public import HomeModel
import SystemKit
import Texts

/// The reason why an accessory is unusable.
@nonexhaustive
public enum AccessoryProblem: Sendable, Hashable {
    /// The accessory misbehaved and is ignored until it's unblocked.
    case blocked
    /// The accessory doesn't respond.
    case unreachable
    /// The accessory has a known fault.
    case fault(AccessoryFault)

    /// The problem's identifier in machine-readable output.
    public var code: String {
        switch self {
        case .blocked: "blocked"
        case .unreachable: "unreachable"
        case .fault(let fault): fault.rawValue
        }
    }

    /// The problem in a few English words, for lists.
    public var words: String {
        switch self {
        case .blocked: localized("blocked")
        case .unreachable: localized("isn't responding")
        case .fault(.forgotten): localized("no longer recognizes this home")
        case .fault(.pairedElsewhere): localized("is paired with another controller")
        case .fault(.invalidAnswers): localized("sends invalid responses")
        }
    }

    /// The problem and its remedy, in English.
    public var localizedDescription: String {
        switch self {
        case .blocked: localized("it was blocked after too many protocol errors; unblock it to try again")
        case .unreachable:
            localized(
                "it isn't responding; check that it has power and is near; if it was reset, pair it again with \(ShellCommand.homehub) repair"
            )
        case .fault(let fault): fault.localizedDescription
        }
    }
}

extension Accessory {
    /// The accessory's problem; `nil` if it's usable.
    public var problem: AccessoryProblem? {
        if isBlocked { return .blocked }
        if isReachable { return nil }
        return fault.map(AccessoryProblem.fault) ?? .unreachable
    }
}
