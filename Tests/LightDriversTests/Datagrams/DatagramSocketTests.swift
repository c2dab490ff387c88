import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("Datagram sockets", .timeout)
struct DatagramSocketTests {
    @Test("counts a datagram that is too long, and drops it")
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

    @Test("bounds the datagrams that wait, and counts the others")
    func tooMany() async throws {
        let (wake, waker) = AsyncStream.makeStream(of: Void.self)
        let socket = try DatagramSocket(port: 0) { waker.yield() }
        let sender = try DatagramSocket(port: 0) {}
        let here = IPv4Endpoint(address: 0x7F00_0001, port: socket.port)
        var dropped = 0
        // Each wakes the reader, so that the kernel drops none.
        try sender.send([1], to: here)
        for await _ in wake {
            dropped += socket.takeDropped()
            guard dropped == 0 else { break }
            try sender.send([1], to: here)
        }
        #expect(socket.takeDatagrams().count == DatagramSocket.capacity)
    }
}
