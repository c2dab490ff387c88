package import HAPProtocol
internal import NIOCore
internal import Synchronization

/// A controller's end of an in-memory connection whose other end is controlled by the test.
package final class InMemoryByteConnection: ByteConnection {
    private struct State {
        var pieces: [[UInt8]] = []
        var isClosed = false
        var waiting: CheckedContinuation<[UInt8]?, Never>?
    }

    private let state = Mutex(State())
    private let onSend: @Sendable ([UInt8]) -> Void
    private let onClose: @Sendable () -> Void

    package init(onSend: @escaping @Sendable ([UInt8]) -> Void, onClose: @escaping @Sendable () -> Void = {}) {
        self.onSend = onSend
        self.onClose = onClose
    }

    package func deliver(_ bytes: [UInt8]) {
        let waiting = state.withLock { state in
            guard !state.isClosed else { return nil as CheckedContinuation<[UInt8]?, Never>? }
            if state.waiting == nil { state.pieces.append(bytes) }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: bytes)
    }

    /// Ends the connection on the accessory's side.
    package func end() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    /// A Boolean value that indicates whether either side has ended the connection.
    package var isClosed: Bool { state.withLock(\.isClosed) }

    package func send(_ bytes: [UInt8]) {
        if !isClosed { onSend(bytes) }
    }

    package func receive() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            let next: [UInt8]?? = state.withLock { state in
                if !state.pieces.isEmpty { return .some(state.pieces.removeFirst()) }
                if state.isClosed { return .some(nil) }
                state.waiting = continuation
                return nil
            }
            if let next { continuation.resume(returning: next) }
        }
    }

    package func close() {
        guard !isClosed else { return }
        end()
        onClose()
    }
}

/// A dialer that connects to in-memory accessories.
package final class InMemoryDialer: AccessoryDialer {
    /// A function that connects to an endpoint and returns the connection, or `nil` if no accessory is listening.
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

extension BridgeUnderTest {
    /// Returns a listener that connects to this bridge.
    ///
    /// `onConnect` receives each connection, so that a test can end it.
    package func listener(
        onConnect: @escaping @Sendable (InMemoryByteConnection) -> Void = { _ in }
    ) -> InMemoryDialer.Listener {
        { [self] in
            let number = nextConnection()
            let slot = Mutex<InMemoryByteConnection?>(nil)
            let deliver: @Sendable ([UInt8]?) -> Void = { bytes in
                let connection = slot.withLock { $0 }
                if let bytes { connection?.deliver(bytes) } else { connection?.end() }
            }
            let accessory = InMemoryAccessoryConnection(
                id: number, executor: executor, server: server, deliver: deliver)
            let connection = InMemoryByteConnection(
                onSend: { [loop] bytes in loop.execute { accessory.received(bytes) } },
                onClose: { [loop] in loop.execute { accessory.peerClosed() } })
            slot.withLock { $0 = connection }
            loop.execute { accessory.assumeIsolated { $0.open() } }
            onConnect(connection)
            return connection
        }
    }
}
