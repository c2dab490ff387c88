import Synchronization

/// The destination of all loggers' events.
///
/// It suppresses repetitions and writes all other events.
///
/// It is idle while nothing is suppressed. Otherwise, a task sleeps until the next count must be written.
package final class LogStage: Sendable {
    private struct State {
        var limiter: RepetitionLimiter
        var wakesAt: ContinuousClock.Instant?
        var sleeper: Task<Void, Never>?
    }

    /// The format and destination of events.
    package let style: LogStyle
    private let state: Mutex<State>
    private let write: @Sendable (LogRecord) -> Void

    init(
        _ style: LogStyle, limiter: RepetitionLimiter = RepetitionLimiter(),
        write: @escaping @Sendable (LogRecord) -> Void
    ) {
        self.style = style
        state = Mutex(State(limiter: limiter))
        self.write = write
    }

    /// The number of events that were suppressed since the program started.
    package var suppressedEvents: UInt64 { state.withLock(\.limiter.heldAtAll) }

    func log(_ record: LogRecord) {
        advance { limiter in limiter.received(record, now: .now) }
    }

    /// Writes all pending counts.
    ///
    /// Call it before the process ends.
    package func flush() {
        advance { $0.flush() }
    }

    private func advance(_ change: (inout RepetitionLimiter) -> [LogRecord]) {
        let records = state.withLock { state in
            let records = change(&state.limiter)
            sleep(&state)
            return records
        }
        for record in records { write(record) }
    }

    /// Schedules a task for the time at which the next count is due.
    private func sleep(_ state: inout State) {
        guard let next = state.limiter.wakeAt else { return }
        if let wakesAt = state.wakesAt, wakesAt <= next { return }
        state.sleeper?.cancel()
        state.wakesAt = next
        state.sleeper = Task { [weak self] in
            guard (try? await Task.sleep(until: next, clock: .continuous)) != nil else { return }
            self?.woke()
        }
    }

    private func woke() {
        state.withLock { state in
            state.wakesAt = nil
            state.sleeper = nil
        }
        advance { $0.ended(now: .now) }
    }
}
