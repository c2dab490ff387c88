import DatabaseKit
import LineRPC
import OperatorControl
import YAMLKit

/// Implements `--check-start`, which checks everything that could prevent a start, in the order of a real start.
///
/// The check changes nothing. Therefore, it can run while the daemon is running, and as a different user.
struct HubStartCheck {
    let places: HubDaemon.Places

    /// Performs the steps in order, and reports the result of each, up to the first failed step.
    ///
    /// - Throws: The error that a start would exit with.
    func run(_ report: @escaping (StartReport) -> Void) throws {
        let steps = StartSteps(splitting: { ($0 as? ConfigurationError).map { ($0.finding, $0.remedy) } }, report)
        try steps.check(.configuration) {
            _ = try HubConfiguration.load(from: places.configuration)
            return ((), "\(places.configuration ?? HubConfiguration.defaultPath) is valid")
        }
        try steps.check(.state) {
            do throws(DatabaseFileError) {
                try DatabaseFile.inspect(
                    places.database, migrator: HomeSchema.migrator, applicationID: HomeSchema.applicationID)
            } catch {
                throw HomeDatabaseError(error, in: places)
            }
            return ((), "\(places.stateDirectory) is usable")
        }
        try steps.check(.socket) {
            for socket in [places.socket, places.controlSocket] { try LineRPCServer.inspect(socket) }
            return ((), "\(places.socket) can be created")
        }
    }
}
