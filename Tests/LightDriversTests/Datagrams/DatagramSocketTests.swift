import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A datagram socket", .timeout)
struct DatagramSocketTests {
    @Test("drops and counts a datagram that is too long")
    func tooLong() async throws {
        let (wake, waker) = AsyncStream.makeStream(of: Void.self)
        let socket = try DatagramSocket(port: 0) { waker.yield() }
        let sender = try DatagramSocket(port: 0) {}
        let here = IPv4Endpoint(address: 0x7F00_0001, port: socket.port)
        try sender.send([UInt8](repeating: 1, count: DatagramSocket.longest + 1), to: here)
        var dropped = 0
        for await _ in wake {
            dropped += socket.takeDropped()
            if dropped > 0 { break }
        }
        #expect(dropped == 1 && socket.takeDropped() == 0 && socket.takeDatagrams().isEmpty)
    }

    @Test("limits the number of waiting datagrams, and counts dropped datagrams")
    func tooMany() async throws {
        let (wake, waker) = AsyncStream.makeStream(of: Void.self)
        let socket = try DatagramSocket(port: 0) { waker.yield() }
        let sender = try DatagramSocket(port: 0) {}
        let here = IPv4Endpoint(address: 0x7F00_0001, port: socket.port)
        var dropped = 0
        // Send a datagram only after the previous datagram has woken the reader, so that the kernel drops none.
        try sender.send([1], to: here)
        for await _ in wake {
            dropped += socket.takeDropped()
            guard dropped == 0 else { break }
            try sender.send([1], to: here)
        }
        #expect(socket.takeDatagrams().count == DatagramSocket.capacity)
    }
}
