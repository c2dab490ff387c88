import FoundationEssentials
package import Logging
import ServiceLifecycle

/// Keeps a copy of the database beside it, at most a day old.
///
/// Nothing is written while nothing has changed, and a copy with pairings is not replaced by one without: the copy is
/// what brings back what was removed by mistake.
package struct DailyCopyService: Service {
    private static let interval = Duration.seconds(600)
    /// Seconds.
    private static let day: TimeInterval = 20 * 3600

    private let file: DatabaseFile
    private let isWorthKeeping: @Sendable () async -> Bool
    private let logger: Logger

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - file: the database.
    ///   - isWorthKeeping: whether somebody would miss what it holds now.
    ///   - logger: is told when no copy can be made.
    package init(file: DatabaseFile, isWorthKeeping: @escaping @Sendable () async -> Bool, logger: Logger) {
        self.file = file
        self.isWorthKeeping = isWorthKeeping
        self.logger = logger
    }

    package func run() async throws {
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
    /// - Parameter holdsPairings: whether the copy that is there is one with pairings.
    /// - Returns: the same afterwards.
    func copyIfDue(holdsPairings: Bool) async -> Bool {
        let isWorthKeeping = await isWorthKeeping()
        let copy = file.path + ".backup"
        if let copied = modified(copy) {
            let changed = [file.path, file.path + "-wal"].compactMap(modified).max() ?? .distantFuture
            // A copy from the future is none: the clock has been set.
            let age = Date.now.timeIntervalSince(copied)
            guard isWorthKeeping, changed > copied, age < 0 || age > Self.day || !holdsPairings else {
                return holdsPairings
            }
        }
        do {
            try await file.copyAside(to: copy)
            return isWorthKeeping
        } catch {
            logger.error("database copy failed", metadata: ["error": "\(error)"])
            return holdsPairings
        }
    }

    private func modified(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
