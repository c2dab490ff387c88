package import LineRPC
package import SystemKit

/// The exit codes for errors of a daemon's socket.
extension LineRPCError: ErrorWithExitCode {
    package var exitCode: ExitCode {
        switch self {
        case .inUse, .unreachable, .closed, .timedOut, .tooManyRequests, .tooLong: .unavailable
        case .noPermission, .untrusted: .noPermission
        case .notASocket, .cannotListen: .cannotCreate
        case .pathTooLong: .usage
        }
    }
}
