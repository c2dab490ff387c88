package struct HTTPClientResponse: Equatable, Sendable {
    package var status: Int
    package var headers: [String: String]
    package var body: [UInt8]

    package init(status: Int = 200, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
