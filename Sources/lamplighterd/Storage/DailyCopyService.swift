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
    private static let interval = Duration.seconds(24 * 3600)

    let file: DatabaseFile
    let server: AccessoryServer
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                await copyIfDue()
            } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    private func copyIfDue() async {
        let copy = file.path + ".backup"
        if let copied = modified(copy) {
            let changed = [file.path, file.path + "-wal"].compactMap(modified).max() ?? .distantFuture
            // A copy from the future is none: the clock has been set.
            let age = Date.now.timeIntervalSince(copied)
            guard changed > copied, age < 0 || age > 20 * 3600, await server.isPaired else { return }
        }
        do {
            try file.copy(to: copy)
        } catch {
            logger.error("no copy of the database can be made", metadata: ["error": "\(error)"])
        }
    }

    private func modified(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
