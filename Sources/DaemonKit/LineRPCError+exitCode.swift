package import LineRPC
package import SystemKit

/// How a daemon ends when its socket cannot be made.
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
