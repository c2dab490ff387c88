internal import HAPModel
public import HAPProtocol

/// Why something could not be done with an accessory.
public struct ControllerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    @nonexhaustive
    public enum Code: Sendable {
        // MARK: Pairing

        /// The setup code is not the accessory's.
        case wrongCode
        /// Somebody has paired with it already: remove that pairing there, or reset the accessory.
        case alreadyPaired
        /// Too many wrong codes were tried, or it wants to be left alone: restart it, or wait some minutes.
        case tooManyTries
        /// It keeps no more pairings.
        case full
        /// It wants its maker's proof that it is yours: add it with its maker's app.
        case ownershipRequired
        /// It does not know its own code, or has signed with a wrong key: it is not what it seems.
        case notGenuine

        // MARK: Being connected

        /// There is no pairing with it, or it has forgotten us.
        case notPaired
        /// No connection to any of its addresses.
        case unreachable
        /// It was not found, or no session came about in time.
        case timedOut
        /// The connection was lost; what was being written may have been carried out.
        case connectionLost
        /// There is no session now; the next try is on its way.
        case notConnected
        /// Another accessory answers at its address.
        case otherAccessory
        /// It has no time for us, or too many requests wait already.
        case busy
        /// It breaks HAP's rules; the message says which.
        case outOfCompliance

        // MARK: Requests

        /// It refused; ``ControllerError/status`` says why, if it said so.
        case refused

        // MARK: This side

        /// The calling task was canceled; a write, a pairing or its removal may have been carried out.
        case canceled
        /// The store cannot be read or written, or holds something else than pairings.
        case storeUnusable
        /// There is no mDNS on this machine.
        case discoveryUnavailable
    }

    /// What kind of error it is.
    public let code: Code
    /// What is wrong, in words, with what to do where that is known; nothing secret is in it.
    public let message: String
    /// What the accessory said of a characteristic; `nil` for all other errors (HAP 8.3).
    public let status: HAPStatus?

    /// The message.
    public var description: String { message }

    static let canceled = ControllerError(.canceled, "the call was canceled; the accessory may have carried it out")

    /// The error for a canceled task whose connections have ended with it.
    var unlessCanceled: ControllerError {
        switch code {
        case .unreachable, .timedOut, .connectionLost, .notConnected: Task.isCancelled ? .canceled : self
        default: self
        }
    }

    init(_ code: Code, _ message: String, status: HAPStatus? = nil) {
        self.code = code
        self.message = message
        self.status = status
    }

    init(_ status: HAPStatus) {
        self.init(.refused, "the accessory answered \(status.rawValue), \(status)", status: status)
    }

    init(_ error: SetupError) {
        let code: Code =
            switch error {
            case .unreachable: .unreachable
            case .alreadyPaired: .alreadyPaired
            case .wrongCode: .wrongCode
            case .ownership: .ownershipRequired
            case .tooManyTries, .backOff: .tooManyTries
            case .busy: .busy
            case .full: .full
            case .notGenuine: .notGenuine
            case .otherAccessory: .otherAccessory
            case .outOfCompliance, .unexpectedStatus: .outOfCompliance
            case .refused: .refused
            case .ended: .connectionLost
            case .vaultFailed: .storeUnusable
            }
        self.init(code, error.description)
    }

    init(_ error: LinkError) {
        self =
            switch error {
            case .notConnected: Self(.notConnected, "there is no session with the accessory now")
            case .request(.tooMany): Self(.busy, "too many requests wait already")
            case .request(.canceled): .canceled
            case .request(.ended): Self(.connectionLost, "the connection was lost before the answer came")
            }
    }

    init(_ error: PairingsError) {
        self =
            switch error {
            case .notConnected: Self(LinkError.notConnected)
            case .request(let error): Self(LinkError.request(error))
            case .refused(.authentication): Self(.refused, "only an admin changes pairings, and we are none")
            case .refused(let error): Self(.refused, "the accessory refused: \(error)")
            case .unexpectedStatus(let status): Self(.outOfCompliance, "it answered with HTTP status \(status)")
            }
    }

    init(_ failure: LinkFailure) {
        self =
            switch failure {
            case .unreachable: Self(.unreachable, "it does not answer at any of its addresses")
            case .otherAccessory: Self(.otherAccessory, "another accessory answers at its address")
            case .notPaired: Self(.notPaired, "the accessory has no pairing with us any more")
            case .notGenuine:
                Self(.notGenuine, "something at its address refused without proving that it is the accessory")
            case .busy: Self(.busy, "the accessory has no time for us")
            case .ended: Self(.connectionLost, "the connection was lost")
            case .outOfCompliance(let error): Self(.outOfCompliance, "it breaks HAP's rules: \(error)")
            }
    }
}
