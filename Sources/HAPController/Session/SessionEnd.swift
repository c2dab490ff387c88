package import HAPProtocol

/// Why a connection to an accessory has ended.
package enum SessionEnd: Error, Equatable, Sendable {
    /// We wanted it.
    case closed
    /// The accessory closed it, or the network did.
    case lost
    /// An answer did not come in time.
    case timedOut
    /// The accessory broke the protocol.
    case violation(ProtocolViolation)
    /// The accessory sent what it was not asked for, or a body that is not of HAP's form.
    case badAnswer
    /// The accessory does not take the connection for a session any more (HTTP 401, 403 or 470).
    case notAuthorized
}

/// Why a request has no answer.
package enum RequestError: Error, Equatable, Sendable {
    /// The connection ended first.
    case ended(SessionEnd)
    /// Too many requests wait already.
    case tooMany
}
