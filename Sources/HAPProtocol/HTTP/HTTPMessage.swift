/// A request, as an accessory needs to know it.
package struct HTTPRequest: Equatable, Sendable {
    package enum Method: Equatable, Sendable {
        case get, put, post
        /// Any other method; no path takes one.
        case other
    }

    package var method: Method
    /// The target up to its question mark, compared exactly.
    package var path: String
    /// What stands behind the question mark.
    package var query: String?
    package var body: [UInt8]
    /// Whether the peer wants the connection to end after the answer.
    package var wantsClose: Bool

    package init(
        _ method: Method, _ path: String, query: String? = nil, body: [UInt8] = [], wantsClose: Bool = false
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.wantsClose = wantsClose
    }
}

/// The two kinds of body that HAP sends, and that of Prometheus's text format.
package enum HTTPContentType: String, Sendable {
    case pairingTLV8 = "application/pairing+tlv8"
    case hapJSON = "application/hap+json"
    case metrics = "text/plain; version=0.0.4; charset=utf-8"
}

/// A response.
package struct HTTPResponse: Equatable, Sendable {
    package var status: Int
    package var contentType: HTTPContentType?
    package var body: [UInt8]

    package init(_ status: Int, _ contentType: HTTPContentType? = nil, body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }
}

/// What a connection carries; an event is a response that nobody asked for (hap.md 10.1).
package enum HTTPMessage: Equatable, Sendable {
    case request(HTTPRequest)
    case response(HTTPResponse)
    case event(body: [UInt8])
}

/// The limits of HTTP messages; reaching one ends the connection (hap.md 7.3).
package enum HTTPLimits {
    /// The longest start line: a read request can name hundreds of characteristics.
    package static let startLine = 64 * 1024
    /// The longest header lines together, in bytes.
    package static let headers = 32 * 1024
    /// The longest head with all its lines, in bytes.
    package static let head = startLine + headers
    /// The most header lines.
    package static let headerLines = 100
    /// The longest body of the pairing endpoints, in bytes.
    package static let pairingBody = 64 * 1024
    /// The longest body of all others, in bytes.
    package static let body = 1024 * 1024
    /// The longest body of a response that a controller takes: the database of a large bridge.
    package static let responseBody = 16 * 1024 * 1024

    static func body(of path: String) -> Int { path.hasPrefix("/pair") ? pairingBody : body }
}
