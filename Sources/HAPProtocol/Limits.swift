internal import HAPCrypto

// What the protocol's messages may be at most, in one place. Reaching one of these limits ends the connection, unless it
// says otherwise. The limits of the server are in AccessoryRole/Limits.swift, those of the sockets in
// HAPTransport/TransportLimits.swift.

/// The limits of HTTP messages (HAP 7.3).
package enum HTTPLimits {
    /// The longest start line, in bytes: a read request can name hundreds of characteristics.
    package static let startLine = 64 * 1024
    /// The longest header lines together, in bytes: far more than any controller sends.
    package static let headers = 32 * 1024
    /// The longest head with all its lines, in bytes.
    package static let head = startLine + headers
    /// The most header lines: each of them is looked at.
    package static let headerLines = 100
    /// The most empty lines before a start line.
    package static let emptyLines = 4
    /// The longest body of the pairing endpoints, and of any request on a clear connection, in bytes: an unauthenticated peer's
    /// message is kept until it is whole; longer ones are answered with 413.
    package static let pairingBody = 64 * 1024
    /// The longest body of a session's other requests, in bytes: a scene of a large home is a tenth of it; longer ones
    /// are answered with 413.
    package static let body = 1024 * 1024
    /// The longest body of a response that a controller takes, in bytes: the database of a large bridge.
    package static let responseBody = 16 * 1024 * 1024
    /// The longest line before a chunk, in bytes: its length, and unused extensions.
    static let chunkLine = 64

    /// The longest body of a request to a path, in bytes.
    static func body(of path: String, inSession: Bool) -> Int {
        inSession && !path.hasPrefix("/pair") ? body : pairingBody
    }
}

extension SecureFramer {
    /// The longest content of a frame, in bytes (HAP 7.1).
    package static let maximumContent = 1024
    /// How many frames a key may seal or open, because no number may be used twice; no session gets there.
    static let maximumFrames = UInt64.max
}

extension PairingList {
    /// The most pairings kept: HAP 6.4 asks for at least 16, and every user and home hub has its own; one more is
    /// answered with MaxPeers.
    package static let maximum = 64
}

extension ControllerID {
    /// The longest identifier, in bytes: a UUID as text; a longer one is answered with 400.
    package static let maximumLength = 36
}

extension PrepareRequest {
    /// The longest time that a timed write may be announced for: the whole numbers of milliseconds that every JSON reader
    /// has; a longer one is answered with 400.
    static let maximumTimeToLive = Duration.milliseconds(Int64(1) << 53 - 1)
}
