import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SystemKit

/// A request whose body is sent at once.
package struct HTTPClientRequest: Equatable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }

    package var method: Method
    /// The path with its query.
    package var path: String
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []
    /// The time limit for the whole answer.
    package var timeout = Duration.seconds(5)
}

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

package enum HTTPFault: Error, Equatable, Sendable {
    /// The connection failed, for this reason.
    case connection(String)
    case timedOut
    case tooLong
    /// The server's certificate isn't the pinned one.
    case otherCertificate

    /// The reason as users see it.
    package var text: String {
        switch self {
        case .connection(let reason): reason
        case .timedOut: "no answer in time"
        case .tooLong: "its answer is too long"
        case .otherCertificate: "its certificate has changed"
        }
    }
}

/// An HTTP/1.1 server, with or without TLS.
package struct HTTPServer: Sendable {
    let route: DeviceRoute
    var tls: PinnedTLS?

    /// Connects, runs the body, and disconnects when the body has ended.
    ///
    /// - Throws: ``HTTPFault``.
    @concurrent
    func withConnection<Result: Sendable>(
        _ body: @concurrent (inout HTTPConnection) async throws -> Result
    ) async throws(HTTPFault) -> Result {
        do {
            let channel = try await connect()
            return try await channel.executeThenClose { inbound, outbound in
                defer { channel.channel.abort() }
                var connection = HTTPConnection(
                    channel: channel.channel, authority: route.endpoint.authority, inbound: inbound.makeAsyncIterator(),
                    outbound: outbound)
                return try await body(&connection)
            }
        } catch {
            throw tls?.hasRefused == true ? .otherCertificate : HTTPFault(error)
        }
    }

    /// Sends one request over a separate connection.
    ///
    /// The answer's body may have up to 64 KiB.
    ///
    /// - Throws: ``HTTPFault``.
    @concurrent
    func answer(to request: HTTPClientRequest) async throws(HTTPFault) -> HTTPClientResponse {
        try await withConnection { connection in
            try await connection.send(request, limit: 1 << 16)
        }
    }

    private func connect() async throws -> HTTPConnection.Channel {
        try await route.connect { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if let tls { try pipeline.addHandler(tls.makeHandler()) }
                try pipeline.addHTTPClientHandlers(enableOutboundHeaderValidation: true)
                try pipeline.addHandler(HTTPRequestWriter())
                return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
            }
        }
    }
}

/// A connection for sequential requests.
package struct HTTPConnection {
    typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequest>

    let channel: any NIOCore.Channel
    let authority: String
    var inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequest>
    /// A Boolean value that indicates whether the server accepts another request.
    private(set) var isReusable = true

    /// Sends a request and reads its answer, whose body may have up to `limit` bytes.
    ///
    /// - Throws: ``HTTPFault``, or the system's error.
    @concurrent
    mutating func send(_ request: HTTPClientRequest, limit: Int) async throws -> HTTPClientResponse {
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

    /// Sends a request and follows its endless answer until `opened` or `receive` returns `false`.
    ///
    /// `opened` is called with the head of the answer, and `receive` with each part of its body. Both return whether to
    /// continue. The next part isn't read before they return.
    ///
    /// - Throws: ``HTTPFault``, or the system's error.
    @concurrent
    mutating func follow(
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

    /// Sends a request and reads the answer's head.
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

extension Channel {
    /// Closes the channel without waiting for the closing handshake of TLS.
    func abort() {
        eventLoop.execute { [self] in
            if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self) {
                tls.close(promise: nil)
            } else {
                close(promise: nil)
            }
        }
    }
}

/// Closes a channel after a time limit.
///
/// This ends all pending reads.
struct CloseTimer {
    private let timer: Scheduled<Void>
    private let deadline: ContinuousClock.Instant

    init(_ channel: any Channel, after timeout: Duration) {
        deadline = .now + timeout
        timer = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) { channel.abort() }
    }

    func cancel() { timer.cancel() }

    /// Runs the body and returns its result.
    ///
    /// - Throws: ``HTTPFault/timedOut`` if the body fails after the time limit; otherwise the body's error.
    @concurrent
    func run<Result>(_ body: @concurrent () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw ContinuousClock.now >= deadline ? HTTPFault.timedOut : error
        }
    }
}

extension HTTPFault {
    init(_ error: any Error) {
        switch error {
        case let fault as HTTPFault: self = fault
        case let error as IOError: self = .connection(SystemError(code: error.errnoCode).reason)
        case let error as NIOConnectionError:
            self =
                error.connectionErrors.first.map { HTTPFault($0.error) }
                ?? .connection(error.dnsAError == nil ? "no address" : "unknown host name")
        case ChannelError.connectTimeout: self = .timedOut
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: self = .connection("TLS failed: \(error)")
        case is HTTPParserError: self = .connection("its response isn't HTTP")
        default: self = .connection("no connection")
        }
    }
}

private final class HTTPRequestWriter: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequest
    typealias OutboundOut = HTTPClientRequestPart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let request = unwrapOutboundIn(data)
        var headers = HTTPHeaders()
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) { headers.add(name: name, value: value) }
        if !request.body.isEmpty {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: "\(request.body.count)")
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method.rawValue), uri: request.path,
            headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !request.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }
}
