internal import HAPCrypto

// All limits of the protocol's messages. Exceeding one ends the connection, unless noted otherwise.
// AccessoryRole/Limits.swift has the limits of the server, HAPTransport/TransportLimits.swift those of the sockets.

/// The limits of HTTP messages (HAP 7.3).
package enum HTTPLimits {
    /// The maximum length of the start line, in bytes; a read request can name hundreds of characteristics.
    package static let startLine = 64 * 1024
    /// The maximum length of all header lines, in bytes: far more than any controller sends.
    package static let headers = 32 * 1024
    /// The maximum length of the head, in bytes.
    package static let head = startLine + headers
    /// The maximum number of header lines, because each one is parsed.
    package static let headerLines = 100
    /// The maximum number of empty lines before a start line.
    package static let emptyLines = 4
    /// The maximum body length of pairing endpoints and unencrypted requests, in bytes.
    ///
    /// A message of an unauthenticated peer is buffered until it is complete. Longer ones get 413.
    package static let pairingBody = 64 * 1024
    /// The maximum body length of a session's other requests, in bytes.
    ///
    /// A scene of a large home takes a tenth of it. Longer ones get 413.
    package static let body = 1024 * 1024
    /// The maximum body length of a response to a controller, in bytes: the database of a large bridge.
    package static let responseBody = 16 * 1024 * 1024
    /// The maximum length of the line before a chunk, in bytes: the chunk's length and unused extensions.
    static let chunkLine = 64

    /// Returns the maximum body length of a request to a path, in bytes.
    static func body(of path: String, inSession: Bool) -> Int {
        inSession && !path.hasPrefix("/pair") ? body : pairingBody
    }
}

extension SecureFramer {
    /// The maximum length of a frame's content, in bytes (HAP 7.1).
    package static let maximumContent = 1024
    /// The maximum number of frames per key, because no counter may be reused.
    ///
    /// No session reaches it.
    static let maximumFrames = UInt64.max
}

extension PairingList {
    /// The maximum number of pairings.
    ///
    /// HAP 6.4 requires at least 16, and every user and home hub has its own. Adding more fails with MaxPeers.
    package static let maximum = 64
}

extension ControllerID {
    /// The maximum length of an identifier, in bytes: a UUID as text; a longer one gets 400.
    package static let maximumLength = 36
}

extension PrepareRequest {
    /// The maximum announced time of a timed write: the largest number of milliseconds that all JSON parsers support
    /// exactly.
    ///
    /// A longer one gets 400.
    static let maximumTimeToLive = Duration.milliseconds(Int64(1) << 53 - 1)
}
