package import HAPModel
internal import HAPProtocol

/// Why an accessory was not paired with.
package enum SetupError: Error, Equatable, Sendable {
    /// No connection could be made to any of its addresses.
    case unreachable
    /// The accessory says that somebody has paired with it already; it must be reset, or its owner must remove that
    /// pairing.
    case alreadyPaired
    /// The setup code is not the accessory's.
    case wrongCode
    /// The setup code is right, and the ownership token, which the accessory demands, is missing or wrong.
    case ownership
    /// Too many wrong codes were tried; the accessory must be reset or started anew.
    case tooManyTries
    /// Somebody else is pairing with it at the moment; half a minute later may be better.
    case busy
    /// The accessory wants to be left alone for a while.
    case backOff
    /// The accessory keeps no more pairings.
    case full
    /// The accessory does not know its own code or has signed with a wrong key: it is not what it seems.
    case notGenuine
    /// Another accessory has answered than the one that was asked for.
    case otherAccessory
    /// The accessory's attribute database cannot be used.
    case outOfCompliance(ComplianceError)
    /// The accessory refused for a reason of its own.
    case refused
    /// An HTTP status that does not belong here.
    case unexpectedStatus(Int)
    /// The connection ended on the way; behind `M5` the accessory may hold a pairing that no controller can use and then must be
    /// reset.
    case ended(SessionEnd, mayBePaired: Bool)
    /// The pairing could not be kept; the accessory has been asked to forget it.
    case vaultFailed
}

extension SetupError {
    /// A Boolean value that indicates whether the accessory may still answer at another of its addresses.
    ///
    /// A wrong code isn't tried again: the accessory counts the attempts, and most accessories are the same one everywhere.
    var mayBeOfAnotherDevice: Bool {
        switch self {
        case .unreachable, .alreadyPaired, .unexpectedStatus, .ended(_, mayBePaired: false): true
        case .wrongCode, .ownership, .tooManyTries, .busy, .backOff, .full, .notGenuine, .otherAccessory, .refused,
            .outOfCompliance, .ended(_, mayBePaired: true), .vaultFailed:
            false
        }
    }
}

extension SetupError: CustomStringConvertible {
    /// What is wrong and what to do, for people; nothing secret is in it.
    package var description: String {
        switch self {
        case .unreachable:
            "it does not answer at any of its addresses; check that it is switched on and on this network"
        case .alreadyPaired: "it is paired already; remove that pairing where it was made, or reset the accessory"
        case .wrongCode: "the setup code is wrong; look at the accessory's label again"
        case .ownership: "it wants its maker's proof that it is yours; add it with its maker's app"
        case .tooManyTries: "too many wrong setup codes were tried; restart or reset the accessory"
        case .busy: "it is pairing with another controller, or pauses after wrong setup codes; try again in a minute"
        case .backOff: "it wants to be left alone for now; try again in a few minutes"
        case .full: "it keeps no more pairings; remove one"
        case .notGenuine: "it could not prove that it knows its setup code; do not trust it"
        case .otherAccessory: "another accessory has answered at its address; try again"
        case .outOfCompliance(let error): "it breaks HAP's rules: \(error); ask its maker for new firmware"
        case .refused: "it refused without a reason; restart it and try again"
        case .unexpectedStatus(let status): "it answered with HTTP status \(status); restart it and try again"
        case .ended(_, mayBePaired: false): "the connection was lost; try again"
        case .ended(_, mayBePaired: true): "the connection was lost; try again, and reset the accessory if that fails"
        case .vaultFailed: "the pairing could not be stored; see the log"
        }
    }

    init(_ error: PairingError) {
        self =
            switch error {
            case .authentication: .wrongCode
            case .backoff: .backOff
            case .maxPeers: .full
            case .maxTries: .tooManyTries
            case .unavailable: .alreadyPaired
            case .busy: .busy
            case .unknown: .refused
            }
    }

    init(_ error: RequestError, mayBePaired: Bool = false) {
        self =
            switch error {
            case .ended(let end): .ended(end, mayBePaired: mayBePaired)
            case .tooMany: .busy
            case .canceled: .ended(.closed, mayBePaired: mayBePaired)
            }
    }
}

/// Why a connection did not become a session.
package enum VerifyError: Error, Equatable, Sendable {
    /// The accessory has proven its identity and has no pairing with us (any more).
    case notPaired
    /// Something that hasn't proven its identity claims to have no pairing with us.
    case notGenuine
    /// Another accessory answers at this address, or one that only says to be the right one.
    case otherAccessory
    /// The accessory has no time for us.
    case busy
    /// The connection ended.
    case ended(SessionEnd)
}
