public import HomeModel

/// Why an accessory is of no use now.
@nonexhaustive
public enum AccessoryProblem: Sendable, Hashable {
    /// It misbehaved and is left alone until somebody unblocks it.
    case blocked
    /// It does not answer.
    case unreachable
    /// It is known why it cannot be used.
    case fault(AccessoryFault)

    /// What programs tell it by.
    public var code: String {
        switch self {
        case .blocked: "blocked"
        case .unreachable: "unreachable"
        case .fault(let fault): fault.rawValue
        }
    }

    /// A few words for a list, in English.
    public var words: String {
        switch self {
        case .blocked: "blocked"
        case .unreachable: "does not answer"
        case .fault(.forgotten): "does not know this home any more"
        case .fault(.pairedElsewhere): "is paired with somebody else"
        case .fault(.invalidAnswers): "answers what HAP does not allow"
        }
    }

    /// What is wrong and what to do, in English.
    public var localizedDescription: String {
        switch self {
        case .blocked: "it broke HAP's rules too often and is left alone until it is unblocked"
        case .unreachable:
            "it does not answer; check that it has power and is near; if it was reset, pair it again with \"homehub repair\""
        case .fault(let fault): fault.localizedDescription
        }
    }
}

extension Accessory {
    /// What is wrong with it; `nil` if all is well.
    public var problem: AccessoryProblem? {
        if isBlocked { return .blocked }
        if isReachable { return nil }
        return fault.map(AccessoryProblem.fault) ?? .unreachable
    }
}
