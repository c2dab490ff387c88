package import HAPModel
package import HAPProtocol

/// How things stand between us and an accessory.
package enum LinkState: Equatable, Sendable {
    /// It is not known where the accessory is.
    case searching
    /// A connection is being made.
    case connecting
    /// There is a session, and everything has been read.
    case connected
    /// The last connection has failed or ended; the next try is on its way.
    case unreachable(LinkFailure)
    /// The link has been stopped for good.
    case stopped
}

/// Why there is no session.
package enum LinkFailure: Equatable, Sendable {
    /// No address answers.
    case unreachable
    /// Another accessory answers at every address.
    case otherAccessory
    /// The accessory has no pairing with us any more: another controller has removed it, or it was reset.
    case notPaired
    /// Something claims to have no pairing with us, without proving that it is the accessory: another device, or the
    /// accessory after a reset.
    case notGenuine
    /// The accessory has no time for us.
    case busy
    /// The connection ended.
    case ended(SessionEnd)
    /// The attribute database cannot be used.
    case outOfCompliance(ComplianceError)
}

extension LinkFailure {
    /// Creates the failure for an error of a session.
    init(_ error: any Error) {
        self =
            switch error {
            case VerifyError.notPaired: .notPaired
            case VerifyError.notGenuine: .notGenuine
            case VerifyError.otherAccessory: .otherAccessory
            case VerifyError.busy: .busy
            case SetupError.outOfCompliance(let error): .outOfCompliance(error)
            case VerifyError.ended(let end), SetupError.ended(let end, _), RequestError.ended(let end),
                PairingsError.request(.ended(let end)):
                .ended(end)
            case RequestError.canceled, PairingsError.request(.canceled): .ended(.closed)
            default: .ended(.badAnswer)
            }
    }
}

/// The value of a characteristic, or why it is not known.
package typealias Reading = Result<CharacteristicValue, HAPStatus>

/// Something that a link has learnt of its accessory server.
package enum LinkUpdate: Equatable, Sendable {
    case state(LinkState)
    /// What the accessory consists of, with the values in its database; read anew, and so for the first time or another one.
    case database(AccessoryDatabase, configurationNumber: UInt32?)
    /// What was reported by events or found by reading; of each characteristic the newest.
    case values([CharacteristicID: Reading])
    /// Something happened that leaves no value behind, such as a press of a button.
    case occurrence(CharacteristicID, CharacteristicValue)
}

extension LinkFailure: CustomStringConvertible {
    /// The reason as the log shows it.
    package var description: String {
        switch self {
        case .unreachable: "no address answers"
        case .otherAccessory: "another accessory answers"
        case .notPaired: "not paired"
        case .notGenuine: "refused without proof"
        case .busy: "busy"
        case .ended(let end): "\(end)"
        case .outOfCompliance(let error): "out of compliance: \(error)"
        }
    }
}

extension SessionEnd: CustomStringConvertible {
    /// The reason as the log shows it.
    package var description: String {
        switch self {
        case .closed: "closed"
        case .lost: "connection lost"
        case .timedOut: "timed out"
        case .violation(let violation): "protocol violation: \(violation)"
        case .badAnswer: "bad answer"
        case .notAuthorized: "not authorized"
        }
    }
}
