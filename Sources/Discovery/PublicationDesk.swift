import Synchronization

/// Where orders to a publisher and its reports lie, so that neither side waits for the other.
///
/// It holds what is wanted now, not a list of orders: a hung Avahi cannot make it grow.
final class PublicationDesk: Sendable {
    private struct Contents {
        var wanted: ServiceRecord?
        var withdrawals: [AsyncStream<Void>.Continuation] = []
        var isStarted = false
        var isClosed = false
        var state = PublicationState.notAdvertised
        var callBegan: ContinuousClock.Instant?
        var listeners: [Int: AsyncStream<PublicationState>.Continuation] = [:]
        var nextListener = 0
    }

    /// A call that takes longer than this is reported; libdbus itself gives up after 25 s.
    static let patience = Duration.seconds(3)

    private let contents = Mutex(Contents())

    // MARK: For the one who orders

    /// Changes what is wanted and then calls `wake`, both or, once closed, neither.
    func order(_ change: (inout ServiceRecord?) -> Void, wake: () -> Void) {
        contents.withLock { contents in
            guard !contents.isClosed else { return }
            change(&contents.wanted)
            wake()
        }
    }

    /// A stream that ends when nothing is published any more; nil when nothing is, and nobody is there to answer.
    func orderWithdrawal(wake: () -> Void) -> AsyncStream<Void>? {
        contents.withLock { contents in
            contents.wanted = nil
            guard contents.isStarted, !contents.isClosed else { return nil }
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            contents.withdrawals.append(continuation)
            wake()
            return stream
        }
    }

    /// True for the first who starts.
    func start() -> Bool {
        contents.withLock { contents in
            defer { contents.isStarted = true }
            return !contents.isStarted && !contents.isClosed
        }
    }

    /// True for the first who closes what was started.
    func close() -> Bool {
        contents.withLock { contents in
            defer { contents.isClosed = true }
            return contents.isStarted && !contents.isClosed
        }
    }

    func finishListeners() {
        let listeners = contents.withLock { contents in
            defer { contents.listeners = [:] }
            return contents.listeners
        }
        for listener in listeners.values { listener.finish() }
    }

    var state: PublicationState {
        contents.withLock { contents in
            if let began = contents.callBegan, began + Self.patience <= .now {
                return .waiting(reason: "Avahi or the system D-Bus does not answer")
            }
            return contents.state
        }
    }

    func states() -> AsyncStream<PublicationState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PublicationState.self, bufferingPolicy: .bufferingNewest(16))
        let number = contents.withLock { contents in
            defer { contents.nextListener += 1 }
            contents.listeners[contents.nextListener] = continuation
            continuation.yield(contents.state)
            return contents.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            self?.contents.withLock { $0.listeners[number] = nil }
        }
        return stream
    }

    // MARK: For the one who publishes

    func takeOrders() -> (wanted: ServiceRecord?, withdrawals: [AsyncStream<Void>.Continuation]) {
        contents.withLock { contents in
            defer { contents.withdrawals = [] }
            return (contents.wanted, contents.withdrawals)
        }
    }

    func callBegan() {
        contents.withLock { $0.callBegan = .now }
    }

    func callEnded() {
        contents.withLock { $0.callBegan = nil }
    }

    /// True when the state is a new one.
    func report(_ state: PublicationState) -> Bool {
        contents.withLock { contents in
            guard contents.state != state else { return false }
            contents.state = state
            for listener in contents.listeners.values { listener.yield(state) }
            return true
        }
    }
}
