import ConfigurationKit
import DaemonKit
import HomeHub
import Logging

/// Reloads the configuration file and applies it to the running hub without closing sessions.
///
/// If the file is invalid, the configuration in use is unchanged. Changes that require a restart are logged.
struct HubReloader: Sendable {
    /// The path of the configuration file; `nil` for the default file.
    let path: String?
    /// The configuration with which the hub was started.
    let running: HubConfiguration
    let notifier: ServiceNotifier?
    let logger: Logger
    /// Applies new restrictions to the hub.
    let restrict: @Sendable (AppRestrictions) async -> Void

    func reload() async {
        notifier?.reloading()
        defer { notifier?.ready() }
        do {
            let next = try HubConfiguration.load(from: path)
            await restrict(next.restrict.restrictions)
            logger.notice("configuration reloaded")
            let waiting = next.keysThatWait(comparedWith: running)
            guard !waiting.isEmpty else { return }
            logger.warning(
                "configuration change deferred",
                metadata: ["keys": "\(waiting.joined(separator: ", "))", "remedy": "restart homehubd"])
        } catch {
            logger.error("configuration rejected", metadata: ["error": "\(error)"])
        }
    }
}
