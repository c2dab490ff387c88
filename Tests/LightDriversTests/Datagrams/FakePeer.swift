import Synchronization

@testable import LightDrivers

/// A device at a socket of the loopback interface that answers each datagram as a test says.
final class FakePeer: Sendable {
    private let socket = Mutex<DatagramSocket?>(nil)
    private let answer: @Sendable ([UInt8]) -> [[UInt8]]

    init(_ answer: @escaping @Sendable ([UInt8]) -> [[UInt8]]) throws {
        self.answer = answer
        let opened = try DatagramSocket(port: 0) { [weak self] in self?.serve() }
        socket.withLock { $0 = opened }
    }

    var host: String { "127.0.0.1:\(socket.withLock { $0?.port ?? 0 })" }

    private func serve() {
        guard let socket = socket.withLock({ $0 }) else { return }
        for datagram in socket.takeDatagrams() {
            for bytes in answer(datagram.bytes) { try? socket.send(bytes, to: datagram.source) }
        }
    }
}
