import AsyncKit
import Synchronization

/// The state that a publisher and Avahi's thread share without blocking each other: the wanted service and its state.
///
/// It contains the current request instead of a queue, so that it can't grow while Avahi hangs.
final class SharedPublication: Sendable {
    private struct Contents {
        var wanted: ServiceRecord?
        var withdrawals: [AsyncSignal] = []
        var state = PublicationState.notAdvertised
        var isStarted = false
        var isClosed = false
    }

    private let contents = Mutex(Contents())

    /// Detects whether Avahi's thread is inside a call that doesn't return.
    let calls = CallWatch()

    // MARK: For the publisher

    /// Changes the wanted service and then calls `wake`.
    ///
    /// Once closed, it does neither.
    func order(_ change: (inout ServiceRecord?) -> Void, wake: () -> Void) {
        contents.withLock { contents in
            guard !contents.isClosed else { return }
            change(&contents.wanted)
            wake()
        }
    }

    /// Requests a withdrawal.
    ///
    /// - Returns: A signal that is sent when the service is withdrawn, or `nil` if no service is published.
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

    /// Marks the publisher as started.
    ///
    /// Returns `true` for the first call.
    func start() -> Bool {
        contents.withLock { contents in
            defer { contents.isStarted = true }
            return !contents.isStarted && !contents.isClosed
        }
    }

    /// Closes the publisher.
    ///
    /// Returns `true` for the first call on a started publisher.
    func close() -> Bool {
        contents.withLock { contents in
            defer { contents.isClosed = true }
            return contents.isStarted && !contents.isClosed
        }
    }

    var state: PublicationState {
        calls.isStuck ? .waiting(reason: CallWatch.complaint) : contents.withLock(\.state)
    }

    // MARK: For Avahi's thread

    func takeOrders() -> (wanted: ServiceRecord?, withdrawals: [AsyncSignal]) {
        contents.withLock { contents in
            defer { contents.withdrawals = [] }
            return (contents.wanted, contents.withdrawals)
        }
    }

    /// Stores the state.
    ///
    /// Returns whether it has changed.
    func report(_ state: PublicationState) -> Bool {
        contents.withLock { contents in
            defer { contents.state = state }
            return contents.state != state
        }
    }
}
