package import HAPModel
package import HAPProtocol

/// The state of the link to an accessory.
package enum LinkState: Equatable, Sendable {
    /// The accessory's address is unknown.
    case searching
    /// The link is connecting.
    case connecting
    /// There is a session, and the database and all values are up to date.
    case connected
    /// The last connection failed or ended; another attempt will follow.
    case unreachable(LinkFailure)
    /// The link has stopped permanently.
    case stopped
}

/// The reason why there is no session.
package enum LinkFailure: Equatable, Sendable {
    /// No address answers.
    case unreachable
    /// A different accessory answered at one of the accessory's addresses.
    case otherAccessory
    /// The accessory has no pairing with this controller: another controller removed it, or the accessory was reset.
    case notPaired
    /// A peer that hasn't proven its identity claims to have no pairing with this controller.
    ///
    /// The peer is a different device, or the accessory after a reset.
    case notGenuine
    /// The accessory is busy.
    case busy
    /// The connection ended for the given reason.
    case ended(SessionEnd)
    /// The attribute database is unusable.
    case outOfCompliance(ComplianceError)
}

extension LinkFailure {
    /// Creates the failure for an error that a session threw.
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

/// The value of a characteristic, or the status that explains why the value is unknown.
package typealias Reading = Result<CharacteristicValue, HAPStatus>

/// An update about an accessory server.
package enum LinkUpdate: Equatable, Sendable {
    case state(LinkState)
    /// A newly read attribute database, including values: the first one, or a changed one.
    case database(AccessoryDatabase, configurationNumber: UInt32?)
    /// The latest values or statuses of characteristics, from events or reads.
    case values([CharacteristicID: Reading])
    /// A momentary event that has no lasting value, such as a button press.
    case occurrence(CharacteristicID, CharacteristicValue)
}

extension LinkFailure: CustomStringConvertible {
    /// The reason, for the log.
    package var description: String {
        switch self {
        case .unreachable: "no address answers"
        case .otherAccessory: "another accessory answers"
        case .notPaired: "not paired"
        case .notGenuine: "refused without proving its identity"
        case .busy: "busy"
        case .ended(let end): "\(end)"
        case .outOfCompliance(let error): "out of compliance: \(error)"
        }
    }
}

extension SessionEnd: CustomStringConvertible {
    /// The reason, for the log.
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
