import AsyncKit
import Synchronization

/// What a publisher and Avahi's thread share, so that neither waits for the other: what is wanted, and its state.
///
/// It holds what is wanted now, not a list of orders: a hung Avahi cannot make it grow.
final class SharedPublication: Sendable {
    private struct Contents {
        var wanted: ServiceRecord?
        var withdrawals: [AsyncSignal] = []
        var state = PublicationState.notAdvertised
        var isStarted = false
        var isClosed = false
    }

    private let contents = Mutex(Contents())

    /// Whether Avahi's thread is inside a call that does not return.
    let calls = CallWatch()

    // MARK: For the one who orders

    /// Changes what is wanted and then calls `wake`, both or, once closed, neither.
    func order(_ change: (inout ServiceRecord?) -> Void, wake: () -> Void) {
        contents.withLock { contents in
            guard !contents.isClosed else { return }
            change(&contents.wanted)
            wake()
        }
    }

    /// Withdraws what is published.
    ///
    /// - Returns: what is sent when nothing is published any more; nil when nothing is.
    func orderWithdrawal(wake: () -> Void) -> AsyncSignal? {
        contents.withLock { contents in
            contents.wanted = nil
            guard contents.isStarted, !contents.isClosed else { return nil }
            let withdrawn = AsyncSignal()
            contents.withdrawals.append(withdrawn)
            wake()
            return withdrawn
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

    var state: PublicationState {
        calls.isStuck ? .waiting(reason: CallWatch.complaint) : contents.withLock(\.state)
    }

    // MARK: For the one who publishes

    func takeOrders() -> (wanted: ServiceRecord?, withdrawals: [AsyncSignal]) {
        contents.withLock { contents in
            defer { contents.withdrawals = [] }
            return (contents.wanted, contents.withdrawals)
        }
    }

    /// True when the state is a new one.
    func report(_ state: PublicationState) -> Bool {
        contents.withLock { contents in
            defer { contents.state = state }
            return contents.state != state
        }
    }
}
