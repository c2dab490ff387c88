internal import HAPModel
public import HAPProtocol

/// An error from pairing, from a request to an accessory, or from the store.
public struct ControllerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    @nonexhaustive
    public enum Code: Sendable {
        // MARK: Pairing

        /// The setup code is wrong.
        case wrongCode
        /// The accessory is paired with another controller; remove the pairing with that controller, or reset the
        /// accessory.
        case alreadyPaired
        /// Too many wrong codes were tried, or the accessory currently rejects attempts; restart it, or wait a few
        /// minutes.
        case tooManyTries
        /// The accessory can't store another pairing.
        case full
        /// The accessory requires a proof of ownership from its manufacturer; add it with the manufacturer's app.
        case ownershipRequired
        /// The accessory doesn't know its own setup code, or signed with a wrong key; don't trust it.
        case notGenuine

        // MARK: Sessions

        /// The controller has no pairing with the accessory, or the accessory has removed the pairing.
        case notPaired
        /// None of the accessory's addresses answers.
        case unreachable
        /// The accessory wasn't found, or no session began in time.
        case timedOut
        /// The connection was lost; the accessory may have carried out a write.
        case connectionLost
        /// There is currently no session; the controller is reconnecting.
        case notConnected
        /// A different accessory answered at the address.
        case otherAccessory
        /// The accessory is busy, or too many requests are waiting for it.
        case busy
        /// The accessory violates HAP; the message names the problem.
        case outOfCompliance

        // MARK: Requests

        /// The accessory refused the request; ``ControllerError/status`` contains the reason, if the accessory sent
        /// one.
        case refused

        // MARK: Controller

        /// The calling task was canceled; the accessory may still have been written, paired or unpaired.
        case canceled
        /// The store can't be read or written, or its content isn't valid.
        case storeUnusable
        /// The client of avahi-daemon couldn't start, for example because there isn't enough memory.
        case discoveryUnavailable
    }

    /// The kind of error.
    public let code: Code
    /// The problem and, if known, its remedy, as text for users; contains no secrets.
    public let message: String
    /// The accessory's status for a characteristic; `nil` for all other errors (HAP 8.3).
    public let status: HAPStatus?

    /// The message.
    public var description: String { message }

    static let canceled = ControllerError(.canceled, "the request was canceled; the accessory may have carried it out")

    /// This error, or `canceled` if the connection ended because the task was canceled.
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

    /// Creates the error for a refused request.
    ///
    /// - Parameters:
    ///   - status: The accessory's status.
    ///   - name: The refused operation or characteristic, such as `Brightness (1.9)`.
    init(_ status: HAPStatus, of name: String) {
        self.init(.refused, "the accessory refused \(name): \(status.reason)", status: status)
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
            case .refused, .formerPairing: .refused
            case .ended: .connectionLost
            case .vaultFailed: .storeUnusable
            }
        self.init(code, error.description)
    }

    init(_ error: LinkError) {
        self =
            switch error {
            case .notConnected: Self(.notConnected, "not connected to the accessory")
            case .request(.tooMany): Self(.busy, "too many requests are waiting for the accessory")
            case .request(.canceled): .canceled
            case .request(.ended): Self(.connectionLost, "the connection was lost before the response arrived")
            }
    }

    init(_ error: PairingsError) {
        self =
            switch error {
            case .notConnected: Self(LinkError.notConnected)
            case .request(let error): Self(LinkError.request(error))
            case .refused(.authentication):
                Self(.refused, "only an admin can change pairings, and this controller isn't one")
            case .refused(let error): Self(.refused, "the accessory refused the request: \(error)")
            case .unexpectedStatus(let status):
                Self(.outOfCompliance, "the accessory answered with HTTP status \(status)")
            }
    }

    init(_ failure: LinkFailure) {
        self =
            switch failure {
            case .unreachable: Self(.unreachable, "the accessory doesn't answer at any of its addresses")
            case .otherAccessory: Self(.otherAccessory, "another accessory answers at the accessory's address")
            case .notPaired: Self(.notPaired, "the accessory has removed the pairing with this controller")
            case .notGenuine:
                Self(.notGenuine, "a device at the accessory's address refused without proving its identity")
            case .busy: Self(.busy, "the accessory is busy")
            case .ended: Self(.connectionLost, "the connection was lost")
            case .outOfCompliance(let error): Self(.outOfCompliance, "the accessory violates HAP: \(error)")
            }
    }
}

extension HAPStatus {
    /// The reason, as the end of a sentence for users.
    fileprivate var reason: String {
        switch self {
        case .success: "no error was reported"
        case .insufficientPrivileges: "this controller has no permission"
        case .unableToCommunicate: "the device can't be reached"
        case .busy: "the device is busy"
        case .readOnly: "the value can't be changed"
        case .writeOnly: "the value can't be read"
        case .notificationNotSupported: "the value doesn't report changes"
        case .outOfResources: "the device doesn't have enough memory or time"
        case .timedOut: "the device didn't answer in time"
        case .doesNotExist: "it doesn't exist"
        case .invalidValue: "the value is invalid"
        case .insufficientAuthorization: "the authorization data is missing or wrong"
        case .notAllowedInCurrentState: "the device doesn't allow this in its current state"
        }
    }
}
