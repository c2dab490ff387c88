import SystemKit
import Texts

/// The reason why an accessory that is on the network can't be used.
///
/// An accessory that just doesn't respond has no fault.
@nonexhaustive
public enum AccessoryFault: String, Codable, Sendable, Hashable, CaseIterable {
    /// The accessory no longer knows this home because the accessory was reset or its pairing was removed on the
    /// accessory's side.
    case forgotten
    /// The accessory is paired with another controller.
    case pairedElsewhere
    /// The accessory sends responses that violate HAP.
    case invalidAnswers

    /// The problem and its remedy, in English.
    public var localizedDescription: String {
        switch self {
        case .forgotten:
            localized("it no longer recognizes this home; pair it again with \"\(ShellCommand.homehub) repair\"")
        case .pairedElsewhere:
            localized(
                "it is paired with another controller; remove it from that controller or reset it, then pair it again with \"\(ShellCommand.homehub) repair\""
            )
        case .invalidAnswers: localized("it sends invalid responses; restart it and check for a firmware update")
        }
    }

    /// The error code of requests to such an accessory.
    package var code: HomeError.Code {
        switch self {
        case .forgotten: .objectNotAssociatedToAnyHome
        case .pairedElsewhere: .objectAssociatedToAnotherHome
        case .invalidAnswers: .accessorySentInvalidResponse
        }
    }
}
