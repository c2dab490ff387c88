import NIOCore
package import NIOSSL
import SodiumKit
import Synchronization

/// TLS for a server with a fixed certificate, regardless of its issuer.
///
/// Home devices have self-signed certificates, so no authority can verify them. Instead, the driver stores the first
/// certificate that a device presents. Later connections accept only that certificate, and check it before any data is
/// sent.
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
    ///   - pin: The SHA-256 of the certificate that the server must present; `nil` to accept any certificate.
    package init(_ context: NIOSSLContext, pin: [UInt8]?) {
        self.context = context
        self.pin = pin
    }

    /// Returns the TLS context that all connections share.
    package static func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // The whole certificate is compared, so host names don't matter. Home devices have no names that their
        // certificates could contain.
        configuration.certificateVerification = .noHostnameVerification
        return try NIOSSLContext(configuration: configuration)
    }

    /// The SHA-256 of the certificate that the server presented last; `nil` before the first connection.
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
