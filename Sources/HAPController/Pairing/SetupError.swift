package import HAPModel
internal import HAPProtocol

/// The reason why pairing with an accessory failed.
package enum SetupError: Error, Equatable, Sendable {
    /// None of the accessory's addresses accepted a connection.
    case unreachable
    /// The accessory is already paired with a controller; remove that pairing, or reset the accessory.
    case alreadyPaired
    /// The setup code is wrong.
    case wrongCode
    /// The setup code is right, but the ownership token that the accessory requires is missing or wrong.
    case ownership
    /// Too many wrong codes were tried; reset or restart the accessory.
    case tooManyTries
    /// Another controller is currently pairing with the accessory; try again after half a minute.
    case busy
    /// The accessory currently rejects attempts; try again in a few minutes.
    case backOff
    /// The accessory can't store another pairing.
    case full
    /// The accessory doesn't know its own code, or signed with a wrong key; it may be an impostor.
    case notGenuine
    /// A different accessory answered.
    case otherAccessory
    /// The accessory has no pairing with the controller whose pairing is used, or that controller isn't an admin.
    case formerPairing
    /// The accessory's attribute database is unusable.
    case outOfCompliance(ComplianceError)
    /// The accessory refused without giving a known reason.
    case refused
    /// The accessory responded with an unexpected HTTP status.
    case unexpectedStatus(Int)
    /// The connection ended during pairing.
    ///
    /// After `M5`, the accessory may have a pairing that no controller can use, and must then be reset.
    case ended(SessionEnd, mayBePaired: Bool)
    /// The vault failed.
    ///
    /// If the accessory had already stored the pairing, the controller asked the accessory to remove it.
    case vaultFailed
}

extension SetupError {
    /// A Boolean value that indicates whether the error may come from a different device, so that other addresses are
    /// worth trying.
    ///
    /// After a wrong code, no other address is tried: accessories count the attempts, and usually the same accessory
    /// answers at all of its addresses.
    var mayBeOfAnotherDevice: Bool {
        switch self {
        case .unreachable, .alreadyPaired, .unexpectedStatus, .formerPairing, .ended(_, mayBePaired: false): true
        case .wrongCode, .ownership, .tooManyTries, .busy, .backOff, .full, .notGenuine, .otherAccessory, .refused,
            .outOfCompliance, .ended(_, mayBePaired: true), .vaultFailed:
            false
        }
    }
}

extension SetupError: CustomStringConvertible {
    /// The problem and its remedy, as text for users; contains no secrets.
    package var description: String {
        switch self {
        case .unreachable:
            "it doesn't respond at any of its addresses; check that it is on and connected to this network"
        case .alreadyPaired: "it is already paired; remove it from its controller, or reset the accessory"
        case .wrongCode: "the setup code is wrong; check the accessory's label"
        case .ownership: "it requires proof of ownership; add it with the manufacturer's app"
        case .tooManyTries: "too many wrong setup codes were tried; restart or reset the accessory"
        case .busy: "it is pairing with another controller, or is locked after wrong setup codes; try again in a minute"
        case .backOff: "it doesn't accept attempts at the moment; try again in a few minutes"
        case .full: "it can't store more pairings; remove one"
        case .notGenuine: "it couldn't prove that it knows its setup code; don't trust it"
        case .otherAccessory: "another accessory answered at its address; try again"
        case .formerPairing:
            "it doesn't accept this pairing, or the pairing isn't an admin's; add the accessory with its setup code"
        case .outOfCompliance(let error): "it violates HAP: \(error); ask the manufacturer for new firmware"
        case .refused: "it refused without giving a reason; restart it and try again"
        case .unexpectedStatus(let status): "it answered with HTTP status \(status); restart it and try again"
        case .ended(_, mayBePaired: false): "the connection was lost; try again"
        case .ended(_, mayBePaired: true): "the connection was lost; try again, and reset the accessory if that fails"
        case .vaultFailed: "the pairing couldn't be stored; see the log"
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

    /// Creates the error for a pairing that another controller couldn't add.
    init(adding error: PairingsError) {
        self =
            switch error {
            case .notConnected: .ended(.closed, mayBePaired: false)
            case .request(let error): SetupError(error)
            case .refused(.authentication): .formerPairing
            case .refused(let error): SetupError(error)
            case .unexpectedStatus(let status): .unexpectedStatus(status)
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

/// The reason why pair verify failed.
package enum VerifyError: Error, Equatable, Sendable {
    /// The accessory has proven its identity, but has no pairing with this controller.
    case notPaired
    /// A peer without a proven identity claims to have no pairing with this controller.
    case notGenuine
    /// A different accessory answers at this address, or the peer can't prove the identity that it claims.
    case otherAccessory
    /// The accessory is busy.
    case busy
    /// The connection ended.
    case ended(SessionEnd)
}
