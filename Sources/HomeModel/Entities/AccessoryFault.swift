/// Why an accessory that is there cannot be used; one that simply does not answer has none.
@nonexhaustive
public enum AccessoryFault: String, Codable, Sendable, Hashable, CaseIterable {
    /// It does not know this home any more: it was reset, or somebody has removed the pairing at the accessory.
    case forgotten
    /// It is paired with somebody else.
    case pairedElsewhere
    /// It answers what HAP does not allow.
    case invalidAnswers

    /// What is wrong and what to do, in English.
    public var localizedDescription: String {
        switch self {
        case .forgotten: "it doesn't know this home any more; pair it again with \"homehub repair\""
        case .pairedElsewhere:
            "it is paired with another home; remove it there or reset it, then pair it again with \"homehub repair\""
        case .invalidAnswers: "it answers what HAP does not allow; restart it, and look for an update of its software"
        }
    }

    /// The error of what is asked of such an accessory.
    package var code: HomeError.Code {
        switch self {
        case .forgotten: .objectNotAssociatedToAnyHome
        case .pairedElsewhere: .objectAssociatedToAnotherHome
        case .invalidAnswers: .accessorySentInvalidResponse
        }
    }
}
