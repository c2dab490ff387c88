/// A request, with the properties that HAP uses.
package struct HTTPRequest: Equatable, Sendable {
    package enum Method: Equatable, Sendable {
        case get, put, post
        /// Any other method, which no path supports.
        case other
    }

    package var method: Method
    /// The target up to the question mark; it is compared exactly.
    package var path: String
    /// The part of the target after the question mark.
    package var query: String?
    package var body: [UInt8]
    /// The type of the body, or `nil` if it is missing or isn't one of HAP's types.
    ///
    /// A controller's request with `nil` is sent with the usual type for its method.
    package var contentType: HTTPContentType?
    /// A Boolean value that indicates whether the peer wants to close the connection after the response.
    package var wantsClose: Bool
    /// A Boolean value that indicates whether a web browser sent the request: it has an `Origin` or `Sec-Fetch-*` header.
    package var isFromBrowser: Bool
    /// The name in the header `Host` if public DNS may resolve it; `nil` for addresses, for single words, and for names
    /// in `.local`.
    ///
    /// A web page can make such a name resolve to this computer (DNS rebinding).
    package var publicHost: String?

    package init(
        _ method: Method, _ path: String, query: String? = nil, body: [UInt8] = [],
        contentType: HTTPContentType? = nil, wantsClose: Bool = false, isFromBrowser: Bool = false,
        publicHost: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.contentType = contentType
        self.wantsClose = wantsClose
        self.isFromBrowser = isFromBrowser
        self.publicHost = publicHost
    }
}

/// HAP's two content types, and that of Prometheus's text format.
package enum HTTPContentType: String, Sendable {
    case pairingTLV8 = "application/pairing+tlv8"
    case hapJSON = "application/hap+json"
    case metrics = "text/plain; version=0.0.4; charset=utf-8"
}

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

/// A message on a connection; an event is a response without a request (HAP 10.1).
package enum HTTPMessage: Equatable, Sendable {
    case request(HTTPRequest)
    case response(HTTPResponse)
    case event(body: [UInt8])
}
