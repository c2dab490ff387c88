import Synchronization
import TestTimeouts
import Testing

@testable import DaemonKit

@Suite("What keeps the service manager's picture true", .timeout)
struct ServiceManagerServiceTests {
    /// What the service manager was told.
    final class Notified: Sendable {
        private let messages = Mutex<[String]>([])
        var all: [String] { messages.withLock { $0 } }
        func take(_ message: String) { messages.withLock { $0.append(message) } }
        func count(_ message: String) -> Int { all.count { $0 == message } }
    }

    /// Work that has its turn only when it is let.
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
        interval: Duration?, isLast: Bool = true, _ pulse: Pulse = Pulse(), _ body: (Notified) async throws -> Void
    ) async throws -> Notified {
        let notified = Notified()
        let service = ServiceManagerService(
            notifier: ServiceNotifier(watchdogInterval: interval, send: notified.take), pulse: pulse.beat,
            status: { "One light." }, isLast: { isLast })
        let running = Task { try await service.run() }
        defer { running.cancel() }
        try await body(notified)
        pulse.hang(false)
        running.cancel()
        _ = await running.result
        return notified
    }

    @Test("the watchdog is fed thrice in its time, and not while the work has no turn")
    func watchdog() async throws {
        let pulse = Pulse()
        try await with(interval: .milliseconds(30), pulse) { notified in
            try await eventually("it is fed again and again") { notified.count("WATCHDOG=1") > 3 }
            pulse.hang(true)
            // One that was asked for before may still come.
            let beats = pulse.beats
            try await eventually("the work is asked again") { pulse.beats > beats }
            let fed = notified.count("WATCHDOG=1")
            for _ in 0..<10 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(notified.count("WATCHDOG=1") <= fed + 1)
            pulse.hang(false)
            try await eventually("it is fed again") { notified.count("WATCHDOG=1") > fed + 3 }
        }
    }

    @Test("each time it is fed, the work has had a turn of its own")
    func pulses() async throws {
        let pulse = Pulse()
        try await with(interval: .milliseconds(3), pulse) { notified in
            try await eventually("it is fed") { notified.count("WATCHDOG=1") >= 20 }
            #expect(pulse.beats >= notified.count("WATCHDOG=1"))
        }
    }

    @Test("the watchdog's time is not used up")
    func inTime() async throws {
        let interval = Duration.milliseconds(600)
        try await with(interval: interval) { notified in
            // Well within what it takes where it is fed too rarely, also on a busy machine.
            try await eventually("it is fed again", within: interval * 12) { notified.count("WATCHDOG=1") >= 2 }
        }
    }

    @Test("without a watchdog nothing is sent to it")
    func unwatched() async throws {
        let notified = try await with(interval: nil) { notified in
            try await eventually("the status is told") { notified.count("STATUS=One light.") > 0 }
        }
        #expect(notified.all == ["STATUS=One light.", "STOPPING=1", "STATUS=Going down."])
    }

    @Test("a daemon that begins anew does not say that it ends")
    func beginsAnew() async throws {
        let notified = try await with(interval: nil, isLast: false) { notified in
            try await eventually("the status is told") { notified.count("STATUS=One light.") > 0 }
        }
        #expect(notified.all == ["STATUS=One light.", "STATUS=Going down."])
    }
}
