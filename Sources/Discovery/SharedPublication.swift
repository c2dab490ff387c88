import AsyncKit
import Synchronization

/// The wanted service and its state, which a publisher and Avahi's thread exchange without blocking each other.
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
    /// Once the publisher is closed, this function does nothing.
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
    /// - Returns: Whether publishing must start now, which is `true` only for the first call, unless the publisher was
    ///   closed.
    func start() -> Bool {
        contents.withLock { contents in
            defer { contents.isStarted = true }
            return !contents.isStarted && !contents.isClosed
        }
    }

    /// Closes the publisher.
    ///
    /// - Returns: Whether the publisher was started and hadn't been closed before.
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
    /// - Returns: Whether the state has changed.
    func report(_ state: PublicationState) -> Bool {
        contents.withLock { contents in
            defer { contents.state = state }
            return contents.state != state
        }
    }
}
