import Synchronization

/// A place that tasks pass only while it's open.
final class Gate: Sendable {
    private struct State {
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The number of waiting tasks.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    func close() { state.withLock { $0.isClosed = true } }

    func open() {
        state.withLock { $0.isClosed = false }
        letWaitingPass()
    }

    /// Lets the waiting tasks pass, and no others.
    func letWaitingPass() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the gate is open.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.isClosed { state.waiting.append(continuation) }
                return !state.isClosed
            }
            if isOpen { continuation.resume() }
        }
    }
}
