package import HAPProtocol
internal import Synchronization

/// A dialer that connects to in-memory accessories.
package final class InMemoryDialer: AccessoryDialer {
    /// A closure that returns a new connection to an accessory, or `nil` if no accessory is listening.
    package typealias Listener = @Sendable () -> InMemoryByteConnection?

    private struct State {
        var listeners: [AccessoryEndpoint: Listener] = [:]
        var dialed: [AccessoryEndpoint] = []
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets or removes the listener of an endpoint.
    package func listen(at endpoint: AccessoryEndpoint, _ listener: Listener?) {
        state.withLock { $0.listeners[endpoint] = listener }
    }

    /// Delays all connections until ``release()`` is called.
    package func hold() { state.withLock { $0.isHeld = true } }

    /// Completes the delayed connections.
    package func release() {
        let waiting = state.withLock { state in
            defer { (state.isHeld, state.waiting) = (false, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The dialed endpoints, in order.
    package var dialed: [AccessoryEndpoint] { state.withLock(\.dialed) }

    package func dial(
        _ endpoint: AccessoryEndpoint, within limit: Duration
    ) async throws(Unreachable) -> any ByteConnection {
        state.withLock { $0.dialed.append(endpoint) }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        let listener = state.withLock { $0.listeners[endpoint] }
        guard let connection = listener?() else { throw Unreachable() }
        return connection
    }
}
