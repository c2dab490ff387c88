internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import SystemKit

package enum HTTPFault: Error, Equatable, Sendable {
    /// The connection failed; the associated text is the reason.
    case connection(String)
    case timedOut
    case tooLong
    /// The server's certificate isn't the pinned certificate.
    case otherCertificate
    /// The server's certificate was rejected; the associated text is the reason.
    case certificate(String)

    /// The reason as users see it.
    package var text: String {
        switch self {
        case .connection(let reason), .certificate(let reason): reason
        case .timedOut: "no answer in time"
        case .tooLong: "its answer is too long"
        case .otherCertificate: "its certificate has changed"
        }
    }
}

extension HTTPFault {
    /// Creates a fault from an error of the system, of NIO or of TLS.
    package init(_ error: any Error) {
        switch error {
        case let fault as HTTPFault: self = fault
        case let error as IOError: self = .connection(SystemError(code: error.errnoCode).reason)
        case let error as NIOConnectionError:
            self =
                error.connectionErrors.first.map { HTTPFault($0.error) }
                ?? .connection(error.dnsAError == nil ? "no address" : "unknown host name")
        case ChannelError.connectTimeout: self = .timedOut
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self = .certificate("its certificate is for a different host")
        case NIOSSLError.handshakeFailed(let cause) where "\(cause)".contains("CERTIFICATE_VERIFY_FAILED"):
            self = .certificate("its certificate isn't trusted")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: self = .connection("TLS failed: \(error)")
        case is HTTPParserError: self = .connection("its response isn't HTTP")
        default: self = .connection("no connection")
        }
    }
}
