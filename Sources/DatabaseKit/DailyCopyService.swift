import FoundationEssentials
package import Logging
import ServiceLifecycle

/// Keeps a daily copy of the database next to it.
///
/// The copy is written only after a change. A copy with pairings isn't replaced with one without pairings, because it
/// can restore pairings that were removed by mistake. A copy without pairings is dated 1970, so that it is replaced
/// after the first pairing, even after a restart.
package struct DailyCopyService: Service {
    private static let interval = Duration.seconds(600)
    /// The minimum age at which a copy is replaced, in seconds.
    private static let day: TimeInterval = 20 * 3600

    private let file: DatabaseFile
    private let isWorthKeeping: @Sendable () async -> Bool
    private let logger: Logger

    /// Creates the service.
    ///
    /// It replaces a copy only if `isWorthKeeping` returns `true`.
    package init(file: DatabaseFile, isWorthKeeping: @escaping @Sendable () async -> Bool, logger: Logger) {
        self.file = file
        self.isWorthKeeping = isWorthKeeping
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat {
                await copyIfDue()
            } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    func copyIfDue() async {
        let isWorthKeeping = await isWorthKeeping()
        let copy = file.path + ".backup"
        if let copied = modified(copy) {
            let changed = [file.path, file.path + "-wal"].compactMap(modified).max() ?? .distantFuture
            let age = Date.now.timeIntervalSince(copied)
            // Ignore the age of a copy that is dated in the future, for example because the clock was changed.
            guard isWorthKeeping, changed > copied, age < 0 || age > Self.day else { return }
        }
        do {
            try await file.copyAside(to: copy)
            if !isWorthKeeping {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: copy)
            }
        } catch {
            logger.error("database copy failed", metadata: ["error": "\(error)"])
        }
    }

    private func modified(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
