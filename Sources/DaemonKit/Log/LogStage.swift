import Synchronization

/// Where all loggers' events meet: repetitions are held back here, and the rest is written.
///
/// Nothing runs while nothing is held back: a task sleeps only until the next count has to be told.
package final class LogStage: Sendable {
    private struct State {
        var limiter: RepetitionLimiter
        var wakesAt: ContinuousClock.Instant?
        var sleeper: Task<Void, Never>?
    }

    /// Where events go.
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

    /// How many events were held back since the start; their counts are told.
    package var suppressedEvents: UInt64 { state.withLock(\.limiter.heldAtAll) }

    func log(_ record: LogRecord) {
        advance { limiter in limiter.received(record, now: .now) }
    }

    /// Tells the counts that are still to be told; to be called before the process ends.
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

    /// Sees to it that somebody asks when the next count is due.
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
