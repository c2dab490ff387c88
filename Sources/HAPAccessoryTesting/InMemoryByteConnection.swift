package import HAPProtocol
package import NIOCore
internal import Synchronization

/// A controller's end of an in-memory connection; the test operates the other end.
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

extension InMemoryByteConnection {
    /// Connects to a server on its event loop.
    ///
    /// `beforeMessage` is called each time before bytes arrive at either end.
    package static func connect(
        to server: any AccessoryConnectionHandler, as id: ConnectionID, on loop: any EventLoop,
        executor: any SerialExecutor, beforeMessage: @escaping @Sendable () -> Void = {}
    ) -> InMemoryByteConnection {
        let controller = Mutex<InMemoryByteConnection?>(nil)
        let accessory = InMemoryAccessoryConnection(id: id, executor: executor, server: server) { bytes in
            guard let bytes else {
                // Break the reference cycle between the two ends.
                controller.withLock { $0.take() }?.end()
                return
            }
            beforeMessage()
            controller.withLock { $0 }?.deliver(bytes)
        }
        let connection = InMemoryByteConnection(
            onSend: { bytes in
                beforeMessage()
                loop.execute { accessory.received(bytes) }
            },
            onClose: { loop.execute { accessory.peerClosed() } })
        controller.withLock { $0 = connection }
        loop.execute { accessory.assumeIsolated { $0.open() } }
        return connection
    }
}
