/// A request with a complete body.
package struct HTTPClientRequest: Equatable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }

    package var method: Method
    /// The path with its query.
    package var path: String
    package var headers: [String: String]
    /// The JSON body; empty for no body.
    package var body: [UInt8]
    /// The time limit for the whole response.
    package var timeout: Duration

    package init(
        method: Method, path: String, headers: [String: String] = [:], body: [UInt8] = [],
        timeout: Duration = .seconds(5)
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}
