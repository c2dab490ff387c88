import BoundedJSON
import HAPModel
import LineRPC

extension HomeError {
    /// Creates the error from the daemon's failure response.
    init(_ failure: RPCFailure) {
        if let data = failure.data, data.object != nil, let error = try? HomeError(json: data) {
            self = error
        } else if let code = Code(rawValue: failure.code) {
            self.init(code)
        } else if failure.code == RPCFailure.methodNotFound("").code {
            self.init(.protocolMismatch)
        } else {
            self.init(.genericError, detail: "homehubd rejected the request: \(failure.message)")
        }
    }

    /// Creates the error for a failed exchange with the daemon.
    init(_ error: any Error) {
        switch error {
        case let error as HomeError: self = error
        case let failure as RPCFailure: self.init(failure)
        case LineRPCError.closed: self = .connectionLost
        case LineRPCError.timedOut: self.init(.operationTimedOut)
        case LineRPCError.tooLong: self.init(.invalidParameter, detail: "the request is too long for homehubd")
        case LineRPCError.tooManyRequests: self = .tooManyCalls
        case LineRPCError.untrusted: self.init(.daemonUnavailable, detail: "\(error)")
        case let error as LineRPCError: self = .unavailable("\(error)")
        case is CancellationError: self.init(.operationCancelled)
        default: self = .unavailable("\(error)")
        }
    }

    /// Returns the error for a daemon that isn't running.
    static func unavailable(_ reason: String) -> HomeError {
        HomeError(
            .daemonUnavailable,
            detail: "\(reason); start homehubd: sudo systemctl start homehubd, or make run-home in a clone")
    }

    /// The error for a daemon that accepts connections but doesn't answer.
    static let unresponsive = HomeError(
        .daemonUnavailable,
        detail: "homehubd is running but isn't responding; restart it: sudo systemctl restart homehubd")

    static let connectionLost = HomeError(
        .daemonUnavailable,
        detail: "the connection to homehubd was lost before it answered; check whether the change was made")

    /// The error for a daemon that is too old to support automations.
    static let noTriggers = HomeError(
        .noCompatibleHomeHub, detail: "homehubd is too old for automations; install the version that matches this app")

    static let tooManyCalls = HomeError(
        .genericError, detail: "too many calls of this app are waiting for an answer; try again later")

    /// The error for a message of the daemon that the client can't decode.
    var asMismatch: HomeError {
        HomeError(.protocolMismatch, detail: "homehubd sent an invalid message: \(message)")
    }

    /// A Boolean value that indicates whether retries will fail until the app or the daemon is replaced.
    var isFinal: Bool {
        switch code {
        case .usageDescriptionMissing, .protocolMismatch, .missingEntitlement, .invalidParameter: true
        default: false
        }
    }
}

extension HomeRequest {
    /// A Boolean value that indicates whether the request requires a daemon that supports automations.
    var needsTriggers: Bool {
        switch self {
        case .runTrigger, .triggerStatuses, .triggerRecords, .daylight, .receiveMessages: true
        case .write(let write): write.needsTriggers
        default: false
        }
    }
}

extension HomeWrite {
    fileprivate var needsTriggers: Bool {
        switch self {
        case .addTrigger, .renameTrigger, .updateTrigger, .enableTrigger, .removeTrigger, .addPerson, .renamePerson,
            .removePerson, .setPresence, .setLocation:
            true
        default: false
        }
    }
}
