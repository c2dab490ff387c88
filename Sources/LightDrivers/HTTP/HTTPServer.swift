import HTTPKit
import NIOCore

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
            return try await HTTPConnection.use(channel, authority: route.endpoint.authority, body)
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
                try HTTPConnection.prepare(channel, tls: try tls?.makeHandler())
            }
        }
    }
}
