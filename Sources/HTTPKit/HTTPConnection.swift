package import NIOCore
package import NIOHTTP1
package import NIOSSL

/// A connection to an HTTP/1.1 server for sequential requests.
package struct HTTPConnection {
    /// A connected channel with HTTP handlers.
    package typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequest>

    private let channel: any NIOCore.Channel
    private let authority: String
    private var inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequest>
    /// A Boolean value that indicates whether the server accepts another request.
    package private(set) var isReusable = true

    /// Adds the HTTP handlers to a channel, after the TLS handler if there is one.
    ///
    /// Call this method on the channel's event loop.
    package static func prepare(_ channel: any NIOCore.Channel, tls: NIOSSLClientHandler?) throws -> Channel {
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(tls) }
        try pipeline.addHTTPClientHandlers(enableOutboundHeaderValidation: true)
        try pipeline.addHandler(HTTPRequestWriter())
        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
    }

    /// Runs the body with a connection over the channel, and closes the channel when the body has ended.
    ///
    /// - Parameters:
    ///   - channel: The result of ``prepare(_:tls:)``.
    ///   - authority: The value of the `Host` header field.
    ///   - body: A closure that uses the connection.
    /// - Returns: The result of the body.
    /// - Throws: The body's error, or an error of the system or of NIO.
    @concurrent
    package static func use<Result: Sendable>(
        _ channel: Channel, authority: String, _ body: @concurrent (inout HTTPConnection) async throws -> Result
    ) async throws -> Result {
        try await channel.executeThenClose { inbound, outbound in
            defer { channel.channel.abort() }
            var connection = HTTPConnection(
                channel: channel.channel, authority: authority, inbound: inbound.makeAsyncIterator(),
                outbound: outbound)
            return try await body(&connection)
        }
    }

    /// Sends a request and reads the response, whose body may have up to `limit` bytes.
    ///
    /// - Throws: ``HTTPFault``, or the system's error.
    @concurrent
    package mutating func send(_ request: HTTPClientRequest, limit: Int) async throws -> HTTPClientResponse {
        let timer = CloseTimer(channel, after: request.timeout)
        defer { timer.cancel() }
        return try await timer.run {
            var response = try await begin(request)
            while let part = try await inbound.next() {
                switch part {
                case .head: break
                case .body(let bytes):
                    guard response.body.count + bytes.readableBytes <= limit else { throw HTTPFault.tooLong }
                    response.body += bytes.readableBytesView
                case .end: return response
                }
            }
            throw HTTPFault.connection("it closed the connection")
        }
    }

    /// Sends a request and returns the head of the response, without reading the body.
    ///
    /// The connection can't be used for other requests afterwards.
    ///
    /// - Throws: ``HTTPFault``, or the system's error.
    @concurrent
    package mutating func head(of request: HTTPClientRequest) async throws -> HTTPClientResponse {
        isReusable = false
        let timer = CloseTimer(channel, after: request.timeout)
        defer { timer.cancel() }
        return try await timer.run { try await begin(request) }
    }

    /// Sends a request and streams the endless response until `opened` or `receive` returns `false`.
    ///
    /// `opened` is called with the head of the response, and `receive` with each part of its body. Both return whether
    /// to continue. The next part isn't read before they return.
    ///
    /// - Throws: ``HTTPFault``, or the system's error.
    @concurrent
    package mutating func follow(
        _ request: HTTPClientRequest, silence: Duration, opened: (HTTPClientResponse) async -> Bool,
        receive: ([UInt8]) async -> Bool
    ) async throws {
        isReusable = false
        var timer = CloseTimer(channel, after: silence)
        defer { timer.cancel() }
        let head = try await timer.run { try await begin(request) }
        guard await opened(head) else { return }
        while true {
            timer.cancel()
            timer = CloseTimer(channel, after: silence)
            let part = try await timer.run { try await inbound.next() }
            switch part {
            case .head: break
            case .body(let bytes): guard await receive(Array(bytes.readableBytesView)) else { return }
            case .end, nil: throw HTTPFault.connection("it closed the connection")
            }
        }
    }

    /// Sends a request and reads the head of the response.
    @concurrent
    private mutating func begin(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        var request = request
        request.headers["Host"] = authority
        try await outbound.write(request)
        guard case .head(let head)? = try await inbound.next() else {
            throw HTTPFault.connection("it closed the connection")
        }
        isReusable = isReusable && head.isKeepAlive
        let headers = head.headers.map { ($0.name.lowercased(), $0.value) }
        return HTTPClientResponse(
            status: Int(head.status.code), headers: Dictionary(headers) { first, _ in first })
    }
}
