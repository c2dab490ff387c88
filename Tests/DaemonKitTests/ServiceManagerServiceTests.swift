import Synchronization
import TestTimeouts
import Testing

@testable import DaemonKit

@Suite("ServiceManagerService", .timeout)
struct ServiceManagerServiceTests {
    /// Work that can be blocked, and counts its runs.
    final class Pulse: Sendable {
        private let state = Mutex((isStuck: false, beats: 0))
        var beats: Int { state.withLock(\.beats) }
        func hang(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }

        func beat() async {
            state.withLock { $0.beats += 1 }
            while state.withLock(\.isStuck), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
        }
    }

    @discardableResult
    private func with(
        interval: Duration?, isLast: Bool = true, _ pulse: Pulse = Pulse(), _ body: (Lines) async throws -> Void
    ) async throws -> Lines {
        let notified = Lines()
        let service = ServiceManagerService(
            notifier: ServiceNotifier(watchdogInterval: interval, send: notified.add), pulse: pulse.beat,
            status: { "One light." }, isLast: { isLast })
        let running = Task { try await service.run() }
        defer { running.cancel() }
        try await body(notified)
        pulse.hang(false)
        running.cancel()
        _ = await running.result
        return notified
    }

    @Test("feeds the watchdog three times per interval, but not while the work is stuck")
    func watchdog() async throws {
        let pulse = Pulse()
        try await with(interval: .milliseconds(30), pulse) { notified in
            try await eventually("the watchdog is fed repeatedly") { notified.count("WATCHDOG=1") > 3 }
            pulse.hang(true)
            // A watchdog message that was requested earlier may still arrive.
            let beats = pulse.beats
            try await eventually("the work is requested again") { pulse.beats > beats }
            let fed = notified.count("WATCHDOG=1")
            for _ in 0..<10 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(notified.count("WATCHDOG=1") <= fed + 1)
            pulse.hang(false)
            try await eventually("it is fed again") { notified.count("WATCHDOG=1") > fed + 3 }
        }
    }

    @Test("waits until the work has run before each feeding")
    func pulses() async throws {
        let pulse = Pulse()
        try await with(interval: .milliseconds(3), pulse) { notified in
            try await eventually("it is fed") { notified.count("WATCHDOG=1") >= 20 }
            #expect(pulse.beats >= notified.count("WATCHDOG=1"))
        }
    }

    @Test("feeds the watchdog within its interval")
    func inTime() async throws {
        let interval = Duration.milliseconds(600)
        try await with(interval: interval) { notified in
            // If the watchdog were fed too rarely, this would take much longer, even on a busy machine.
            try await eventually("it is fed again", within: interval * 12) { notified.count("WATCHDOG=1") >= 2 }
        }
    }

    @Test("sends no watchdog message without a watchdog")
    func unwatched() async throws {
        let notified = try await with(interval: nil) { notified in
            try await eventually("the status is sent") { notified.count("STATUS=One light.") > 0 }
        }
        #expect(notified.all == ["STATUS=One light.", "STOPPING=1", "STATUS=Shutting down."])
    }

    @Test("sends no STOPPING when the daemon restarts itself")
    func beginsAnew() async throws {
        let notified = try await with(interval: nil, isLast: false) { notified in
            try await eventually("the status is sent") { notified.count("STATUS=One light.") > 0 }
        }
        #expect(notified.all == ["STATUS=One light.", "STATUS=Shutting down."])
    }
}

extension Lines {
    fileprivate func count(_ message: String) -> Int { all.count { $0 == message } }
}
