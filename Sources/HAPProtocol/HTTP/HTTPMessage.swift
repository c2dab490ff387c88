/// A request, with the properties that HAP uses.
package struct HTTPRequest: Equatable, Sendable {
    package enum Method: Equatable, Sendable {
        case get, put, post
        /// Any other method; no path supports it.
        case other
    }

    package var method: Method
    /// The part of the target before the question mark; comparisons are exact.
    package var path: String
    /// The part of the target after the question mark.
    package var query: String?
    package var body: [UInt8]
    /// The type of the body; `nil` if the header is missing or contains another type.
    ///
    /// If a controller's request has no type, the serializer uses the usual type for the method.
    package var contentType: HTTPContentType?
    /// A Boolean value that indicates whether the peer wants to close the connection after the response.
    package var wantsClose: Bool
    /// A Boolean value that indicates whether a web browser sent the request: it has an `Origin` or `Sec-Fetch-*`
    /// header.
    package var isFromBrowser: Bool
    /// The name in the `Host` header if public DNS may resolve it; `nil` for addresses, for single words, and for names
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

/// The content types of HAP and of Prometheus's text format.
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
