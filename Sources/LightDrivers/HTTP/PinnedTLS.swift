import NIOCore
package import NIOSSL
import SodiumKit
import Synchronization

/// TLS with a server that shows the same certificate each time, whoever has signed it.
///
/// Devices of a home sign their certificates themselves, so none can be checked against an authority: the first one is
/// remembered, and from then on only that one is accepted, before anything is sent.
package final class PinnedTLS: Sendable {
    private struct State {
        var shown: [UInt8]?
        var hasRefused = false
    }

    private let context: NIOSSLContext
    private let pin: [UInt8]?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - context: from ``makeContext()``.
    ///   - pin: the SHA-256 of the certificate that the server must show; `nil` for any.
    package init(_ context: NIOSSLContext, pin: [UInt8]?) {
        self.context = context
        self.pin = pin
    }

    /// The settings that all connections share.
    package static func makeContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // The certificate itself is compared; devices of a home have no names that could stand in it.
        configuration.certificateVerification = .noHostnameVerification
        return try NIOSSLContext(configuration: configuration)
    }

    /// The SHA-256 of the certificate that the server has shown last.
    var shown: [UInt8]? { state.withLock(\.shown) }
    /// Whether a connection was refused for its certificate.
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
