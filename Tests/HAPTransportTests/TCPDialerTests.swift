import Glibc
import HAPProtocol
import HAPTesting
import NIOCore
import NIOPosix
import TestTimeouts
import Testing

@testable import HAPTransport

@Suite("TCPDialer", .timeout)
struct TCPDialerTests {
    private let dialer = TCPDialer(MultiThreadedEventLoopGroup.singleton)

    private func endpoint(_ port: Int) throws -> AccessoryEndpoint {
        try #require(AccessoryEndpoint(address: [127, 0, 0, 1], port: UInt16(port)))
    }

    @Test("cancels a connection attempt without leaving a socket behind")
    func cancelled() async throws {
        let port = try FullPort()
        let endpoint = try endpoint(port.number)
        let dialing = Task { try await dialer.dial(endpoint, within: .seconds(60)) }
        try await eventually("the attempt is in progress") { try isDialing(port.number) }
        dialing.cancel()
        await #expect(throws: Unreachable.self) { _ = try await dialing.value }
        try await eventually("the attempt has ended") { try !isDialing(port.number) }
        withExtendedLifetime(port) {}
    }

    @Test("stops connecting after the time limit")
    func limit() async throws {
        let port = try FullPort()
        let endpoint = try endpoint(port.number)
        await #expect(throws: Unreachable.self) { _ = try await dialer.dial(endpoint, within: .milliseconds(100)) }
        withExtendedLifetime(port) {}
    }

    @Test("closes the connection to a peer that doesn't read when 100 MB are waiting")
    func deaf() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let connection = try await dialer.dial(try endpoint(port), within: .seconds(5))
        for _ in 0..<100 { connection.send(Array(repeating: 65, count: 1 << 20)) }
        #expect(await connection.receive() == nil)
        try await server.close().get()
    }

    @Test("reads from the socket only while the caller waits for data")
    func readAhead() async throws {
        let server = StubServer { _, connection in
            connection.respond(HTTPResponse(200, .hapJSON, body: Array(repeating: 65, count: 50_000)))
        }
        let listener = try await AccessoryListener(
            port: 0, on: MultiThreadedEventLoopGroup.singleton.next(), for: server, logger: quietLogger)
        let connection = try await dialer.dial(try endpoint(listener.port), within: .seconds(5))
        let request = Array("GET /a HTTP/1.1\r\n\r\n".utf8)
        for _ in 0..<400 { connection.send(request) }
        // The server has served another connection on the same event loop in the meantime, so it has had enough time.
        let (other, _) = try await listener.connect()
        for _ in 0..<50 { #expect(try await other.get("/other").status == 200) }
        #expect(server.paths.count { $0 == "/a" } < 300)
        var received = 0
        while received < 400 * 50_000, let piece = await connection.receive() { received += piece.count }
        #expect(received >= 400 * 50_000)
        connection.close()
        await other.close()
        await listener.close()
    }

    /// Returns whether a connection attempt to a port on this computer is waiting for a response.
    private func isDialing(_ port: Int) throws -> Bool {
        let hex = String(port, radix: 16, uppercase: true)
        let peer = "0100007F:" + String(repeating: "0", count: 4 - hex.count) + hex
        let file = try #require(fopen("/proc/net/tcp", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, CInt(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
                separator: " ")
            // The fields are the peer and the state; 02 is SYN_SENT (proc(5)).
            if words.count > 3, words[2] == peer, words[3] == "02" { return true }
        }
        return false
    }
}

/// A port on this computer whose backlog is full, so that it neither accepts nor refuses connections.
private final class FullPort: Sendable {
    private let descriptor: CInt
    private let first: PlainSocket
    let number: Int

    init() throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        try #require(listen(descriptor, 0) == 0)
        // The bytes are the family and the port in network byte order.
        var address = [UInt8](repeating: 0, count: 16)
        var size = socklen_t(address.count)
        let isNamed = address.withUnsafeMutableBytes { bytes in
            getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size) == 0
        }
        try #require(isNamed)
        number = Int(address[2]) << 8 | Int(address[3])
        // With an empty backlog, one connection is the maximum.
        first = try PlainSocket(to: number)
    }

    deinit { close(descriptor) }
}
