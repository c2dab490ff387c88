import DaemonKit
import FoundationEssentials
import HomeHub
import Synchronization
import TestTimeouts
import Testing

@testable import homehubd

@Suite("The reloading of the hub's configuration", .timeout)
struct HubReloaderTests {
    /// The notifications from the hub and to the service manager, in order.
    private final class Notified: Sendable {
        private let messages = Mutex<[String]>([])
        var all: [String] { messages.withLock { $0 } }
        func take(_ message: String) { messages.withLock { $0.append(String(message.prefix(11))) } }
    }

    private func reload(_ text: String) async throws -> (notified: [String], restrictions: AppRestrictions?) {
        try await withFolder { folder in
            try Data(text.utf8).write(to: URL(filePath: folder + "/homehub.yaml"))
            let notified = Notified()
            let taken = Mutex<AppRestrictions?>(nil)
            await HubReloader(
                path: folder + "/homehub.yaml", running: HubConfiguration(),
                notifier: ServiceNotifier(watchdogInterval: nil, send: notified.take), logger: silent
            ) { restrictions in
                notified.take("restricted")
                taken.withLock { $0 = restrictions }
            }.reload()
            return (notified.all, taken.withLock { $0 })
        }
    }

    @Test("applies restrictions before it reports the end of the reload")
    func restricts() async throws {
        let (notified, restrictions) = try await reload("restrict: {apps: [org.example.a], users: [7]}")
        #expect(notified == ["RELOADING=1", "restricted", "READY=1"])
        #expect(restrictions == AppRestrictions(apps: ["org.example.a"], users: [7]))
    }

    @Test("keeps the configuration when the file is invalid")
    func wrong() async throws {
        let (notified, restrictions) = try await reload("restrict: {app: [org.example.a]}")
        #expect(notified == ["RELOADING=1", "READY=1"])
        #expect(restrictions == nil)
    }
}
