import NIOCore
package import NIOSSL
import SodiumKit
import Synchronization

/// TLS for a server with a fixed certificate, regardless of its issuer.
///
/// Home devices sign their certificates themselves, so no authority can verify them. The first one is remembered. From
/// then on, only that one is accepted, before any data is sent.
package final class PinnedTLS: Sendable {
    private struct State {
        var shown: [UInt8]?
        var hasRefused = false
    }

    private let context: NIOSSLContext
    private let pin: [UInt8]?
    private let state = Mutex(State())

    /// Creates TLS settings for one server.
    ///
    /// - Parameters:
    ///   - context: The result of ``makeContext()``.
    ///   - pin: The SHA-256 of the server's required certificate; `nil` to accept any.
    package init(_ context: NIOSSLContext, pin: [UInt8]?) {
        self.context = context
        self.pin = pin
    }

    /// Returns the common settings of all connections.
    package static func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // The certificate itself is compared; home devices have no names that it could contain.
        configuration.certificateVerification = .noHostnameVerification
        return try NIOSSLContext(configuration: configuration)
    }

    /// The SHA-256 of the server's last certificate.
    var shown: [UInt8]? { state.withLock(\.shown) }
    /// A Boolean value that indicates whether a connection was rejected because of its certificate.
    var hasRefused: Bool { state.withLock(\.hasRefused) }

    func makeHandler() throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: nil) { [self] certificates, promise in
            guard let leaf = certificates.first, let bytes = try? leaf.toDERBytes() else {
                return promise.succeed(.failed)
            }
            let shown = SHA256.hash(bytes)
            let isAccepted = pin.map { $0 == shown } ?? true
            state.withLock { state in
                state.shown = shown
                state.hasRefused = state.hasRefused || !isAccepted
            }
            promise.succeed(isAccepted ? .certificateVerified : .failed)
        }
    }
}
