import ConfigurationKit
import DaemonKit
import HomeHub
import Logging

/// Reads the configuration file again and makes the running hub obey it; sessions stay.
///
/// A file that is wrong changes nothing. What cannot change while the hub runs is named and waits for a restart.
struct HubReloader: Sendable {
    /// The file; `nil` for the one at its usual place.
    let path: String?
    /// What the hub was started with.
    let running: HubConfiguration
    let notifier: ServiceNotifier?
    let logger: Logger
    /// Makes the hub obey other restrictions.
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
