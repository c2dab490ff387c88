internal import AsyncKit
package import LineRPC
package import OperatorControl

extension DaemonState {
    /// The time limit for the daemon's answers.
    ///
    /// After this time, the daemon is reported as hanging.
    private static var timeout: Duration { .seconds(4) }

    /// Asks a daemon, and finds the reason if it doesn't answer.
    ///
    /// - Parameters:
    ///   - daemon: The daemon.
    ///   - location: The location of its control socket.
    ///   - isInstalled: Whether the files of the installed daemon exist.
    ///   - start: Checks whether the daemon can start.
    ///   - ask: Sends the requests.
    /// - Returns: The answer, or the reason.
    package static func asking(
        _ daemon: OperatedDaemon, at location: SocketLocation, isInstalled: Bool, start: () -> StartOutput?,
        _ ask: @escaping @Sendable () async throws -> Answer
    ) async -> DaemonState {
        do {
            guard let answer = try await withTimeLimit(timeout, ask) else {
                return .unfit(reason: "\(daemon.program) accepts connections but doesn't answer")
            }
            return .answers(answer)
        } catch let error as OperatorError {
            // Omit the error's remedy, because the diagnosis adds a better remedy.
            switch error.code {
            case 77: return .forbidden(reason: error.message)
            case 69 where await UnixProbe.isAbsent(location.path):
                if let distrust = location.distrust, !isInstalled {
                    return .distrusted(reason: distrust.reason, remedy: distrust.remedy)
                }
                return .absent(reason: error.message, start: start())
            default: return .unfit(reason: error.description)
            }
        } catch {
            return .unfit(reason: "\(error)")
        }
    }
}
