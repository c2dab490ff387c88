import DaemonKit
import FoundationEssentials
import HAPAccessory
import Logging
import ServiceLifecycle

/// Keeps a copy of the database beside it, at most a day old, for `lamplighter restore`.
///
/// Nothing is written while nothing has changed, and the copy of a paired bridge is not replaced by that of an unpaired
/// one: it is what brings back pairings that were removed by mistake.
struct DailyCopyService: Service {
    private static let interval = Duration.seconds(600)
    /// Seconds.
    private static let day: TimeInterval = 20 * 3600

    let file: DatabaseFile
    let server: AccessoryServer
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // A copy without pairings is of little use once there are some.
            var holdsPairings = true
            repeat {
                holdsPairings = await copyIfDue(holdsPairings: holdsPairings)
            } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    /// Makes a copy if there is reason to.
    ///
    /// - Parameter holdsPairings: whether the copy that is there is that of a paired bridge.
    /// - Returns: the same afterwards.
    private func copyIfDue(holdsPairings: Bool) async -> Bool {
        let isPaired = await server.isPaired
        let copy = file.path + ".backup"
        if let copied = modified(copy) {
            let changed = [file.path, file.path + "-wal"].compactMap(modified).max() ?? .distantFuture
            // A copy from the future is none: the clock has been set.
            let age = Date.now.timeIntervalSince(copied)
            guard isPaired, changed > copied, age < 0 || age > Self.day || !holdsPairings else { return holdsPairings }
        }
        do {
            try file.copy(to: copy)
            return isPaired
        } catch {
            logger.error("no copy of the database can be made", metadata: ["error": "\(error)"])
            return holdsPairings
        }
    }

    private func modified(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
