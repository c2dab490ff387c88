package import DaemonKit
package import LineRPC

/// How the daemon ends when its control socket cannot be made.
extension LineRPCError: ErrorWithExitCode {
    package var exitCode: ExitCode {
        switch self {
        case .inUse, .unreachable, .closed, .timedOut, .tooManyRequests, .tooLong: .unavailable
        case .noPermission: .noPermission
        case .notASocket, .cannotListen: .cannotCreate
        case .pathTooLong: .usage
        }
    }
}
