internal import Synchronization

/// The phase of a host, and the port that it listens on.
final class HostLifecycle: Sendable {
    private enum Phase {
        case notRun, starting
        case listening(port: Int)
        case ended
    }

    private struct State {
        var phase = Phase.notRun
        /// The continuations of the callers that wait for the port, finished when the phase changes.
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    /// Records the start of the host's only run.
    ///
    /// - Throws: ``AccessoryHostError`` with `alreadyRun`.
    func start() throws(AccessoryHostError) {
        let isFirst = state.withLock { state in
            guard case .notRun = state.phase else { return false }
            state.phase = .starting
            return true
        }
        guard isFirst else {
            throw AccessoryHostError(.alreadyRun, "a host can run only once; create a new host with the same storage")
        }
    }

    func listens(on port: Int) { enter(.listening(port: port)) }

    func end() { enter(.ended) }

    private func enter(_ phase: Phase) {
        let waiting = state.withLock { state in
            state.phase = phase
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }

    /// The port; reading this property waits until the host listens.
    ///
    /// - Throws: ``AccessoryHostError`` with `notRunning` if the host has ended, or `CancellationError`.
    var port: Int {
        get async throws {
            while true {
                try Task.checkCancellation()
                let (changes, change) = AsyncStream.makeStream(of: Never.self)
                let port = try state.withLock { state -> Int? in
                    switch state.phase {
                    case .listening(let port): return port
                    case .ended: throw AccessoryHostError(.notRunning, "the host has ended")
                    case .notRun, .starting:
                        state.waiting.append(change)
                        return nil
                    }
                }
                if let port { return port }
                for await _ in changes {}
            }
        }
    }
}
