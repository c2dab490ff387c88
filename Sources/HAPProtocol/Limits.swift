internal import HAPCrypto

// The limits for all messages of the protocol. Exceeding a limit ends the connection, unless noted otherwise.
// AccessoryRole/Limits.swift contains the limits of the server, and HAPTransport/TransportLimits.swift contains the
// limits of the sockets.

/// The limits of HTTP messages (HAP 7.3).
package enum HTTPLimits {
    /// The maximum length of the start line in bytes; a read request can list hundreds of characteristics.
    package static let startLine = 64 * 1024
    /// The maximum length of all header lines together, in bytes; far more than any controller sends.
    package static let headers = 32 * 1024
    /// The maximum length of the head, in bytes.
    package static let head = startLine + headers
    /// The maximum number of header lines.
    ///
    /// It is limited because parsing a line takes time.
    package static let headerLines = 100
    /// The maximum number of empty lines before a start line.
    package static let emptyLines = 4
    /// The maximum length of the body of a request to a pairing endpoint, or of any unencrypted request, in bytes.
    ///
    /// A message from an unauthenticated peer is buffered until it is complete. A longer body is rejected with status
    /// 413.
    package static let pairingBody = 64 * 1024
    /// The maximum length of the body of any other request in a session, in bytes.
    ///
    /// A scene in a large home needs a tenth of this length. A longer body is rejected with status 413.
    package static let body = 1024 * 1024
    /// The maximum length of the body of a response to a controller, in bytes; enough for the database of a large
    /// bridge.
    package static let responseBody = 16 * 1024 * 1024
    /// The maximum length of the line before a chunk, in bytes.
    ///
    /// It contains the chunk's length and extensions, which are unused.
    static let chunkLine = 64

    /// Returns the maximum body length of a request to a path, in bytes.
    static func body(of path: String, inSession: Bool) -> Int {
        inSession && !path.hasPrefix("/pair") ? body : pairingBody
    }
}

extension SecureFramer {
    /// The maximum length of a frame's content, in bytes (HAP 7.1).
    package static let maximumContent = 1024
    /// The maximum number of frames per key.
    ///
    /// A frame counter must never be reused. In practice, no session reaches this limit.
    static let maximumFrames = UInt64.max
}

extension PairingList {
    /// The maximum number of pairings.
    ///
    /// HAP 6.4 requires at least 16. Each user and each home hub has a separate pairing. When the list is full, adding
    /// a pairing fails with MaxPeers.
    package static let maximum = 64
}

extension ControllerID {
    /// The maximum length of an identifier, in bytes: the length of a UUID as text.
    ///
    /// A longer identifier is rejected with status 400.
    package static let maximumLength = 36
}

extension PrepareRequest {
    /// The longest time that a controller may announce for a timed write: the largest number of milliseconds that all
    /// JSON parsers can represent exactly.
    ///
    /// A longer time is rejected with status 400.
    static let maximumTimeToLive = Duration.milliseconds(Int64(1) << 53 - 1)
}
