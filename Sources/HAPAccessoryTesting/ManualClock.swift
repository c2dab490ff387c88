internal import AsyncKit
internal import NIOCore
internal import Synchronization

/// A clock that only a test advances.
///
/// Pass the clock to an ``InMemoryNetwork``, whose hosts and controllers then use it for their time limits and pauses.
/// Your own code can use it as `any Clock<Duration>`.
public final class ManualClock: Clock {
    /// A point in time on this clock.
    public typealias Instant = ContinuousClock.Instant

    private struct Timer {
        let number: UInt64
        let time: Instant
        let body: @Sendable () -> Void
    }

    private struct State {
        var now = Instant.now
        var lastNumber: UInt64 = 0
        /// The timers, sorted by time and then by number.
        var timers: [Timer] = []
        /// The event loops whose work ``advance(by:)`` waits for.
        var loops: [any EventLoop] = []
    }

    private let state = Mutex(State())

    /// Creates a clock that starts at the current time.
    public init() {}

    /// The time that the clock shows.
    public var now: Instant { state.withLock(\.now) }

    /// The smallest difference between two times: zero.
    public var minimumResolution: Duration { .zero }

    /// Waits until the clock shows a time; returns immediately if that time has passed.
    ///
    /// - Parameters:
    ///   - deadline: The time to wait for.
    ///   - tolerance: Ignored.
    /// - Throws: `CancellationError` if the task is canceled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        let number = schedule(at: deadline) { continuation.finish() }
        // The iteration also ends when the task is canceled.
        for await _ in end {}
        state.withLock { state in state.timers.removeAll { $0.number == number } }
        try Task.checkCancellation()
    }

    /// Advances the clock.
    ///
    /// Time limits, pauses and sleeps end in the order of their deadlines; at each end, ``now`` is the deadline. The
    /// method returns after hosts have handled their deadlines. Other tasks, such as a controller's, may still be
    /// running, so wait for their results.
    ///
    /// - Parameter duration: The time by which to advance the clock; not negative.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "a clock doesn't go backward")
        let end = now.advanced(by: duration)
        while let body = nextBody(until: end) {
            body()
            await settle()
        }
        await settle()
    }

    /// Advances the clock without waiting for the work of the timers.
    func elapse(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let body = nextBody(until: end) { body() }
    }

    /// Shows the time of the next timer and returns its body; if no timer is left, shows the end and returns `nil`.
    ///
    /// Both happen under one lock, because otherwise a timer that is added in between would be neither run nor due.
    private func nextBody(until end: Instant) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let first = state.timers.first, first.time <= end else {
                state.now = max(state.now, end)
                return nil
            }
            state.timers.removeFirst()
            state.now = max(state.now, first.time)
            return first.body
        }
    }

    /// Runs the pending work of the event loops, including the work that it causes.
    private func settle() async {
        let loops = state.withLock(\.loops)
        for _ in 0..<8 {
            await Task.yield()
            for loop in loops { try? await loop.submit {}.get() }
        }
    }

    // MARK: For schedulers

    /// The number of pending timers.
    package var timerCount: Int { state.withLock(\.timers.count) }

    /// Calls `body` at a time, or immediately if that time has passed.
    ///
    /// - Returns: The number of the timer.
    @discardableResult
    package func schedule(at time: Instant, _ body: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isDue) = state.withLock { state in
            state.lastNumber += 1
            guard time > state.now else { return (state.lastNumber, true) }
            let index = state.timers.firstIndex { $0.time > time } ?? state.timers.endIndex
            state.timers.insert(Timer(number: state.lastNumber, time: time, body: body), at: index)
            return (state.lastNumber, false)
        }
        if isDue { body() }
        return number
    }

    /// Makes ``advance(by:)`` wait for the work of an event loop.
    func use(_ loop: any EventLoop) {
        state.withLock { state in
            if !state.loops.contains(where: { $0 === loop }) { state.loops.append(loop) }
        }
    }
}

extension ManualClock: MonotonicClock {}
