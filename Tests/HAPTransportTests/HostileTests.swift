import AccessoryRole
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import NIOCore
import NIOEmbedded
import NIOPosix
import TestTimeouts
import Testing

@testable import HAPTransport

@Suite("A listener with hostile peers", .timeout)
struct HostileTests {
    // MARK: Frames

    /// A change to the frames of a session, each of which contains a request: `/a`, `/b` or `/c`.
    enum Tampering: CaseIterable {
        case replayed, reordered, rejected, truncated, reflected, garbage, clear, empty, anotherKey
    }

    @Test(
        "answers the complete requests before an unexpected frame, then ends the session",
        arguments: Tampering.allCases)
    func tampered(_ tampering: Tampering) throws {
        let link = try EmbeddedLink()
        try link.secure()
        let (a, b, c) = (try link.request("/a"), try link.request("/b"), try link.request("/c"))
        var served = ["/a"]
        switch tampering {
        case .replayed: try link.send(a + a + b)
        case .reordered:
            served = []
            try link.send(b + a)
        case .rejected: try link.send(a + c)
        case .truncated: try link.send(a + b.dropLast() + c)
        case .reflected:
            try link.send(a)
            let answer = try #require(try link.channel.readOutbound(as: ByteBuffer.self))
            served = []
            try link.send(answer.readableBytesView)
            #expect(link.server.paths == ["/keys", "/a"])
        case .garbage:
            var random = SeededNumbers(seed: 7)
            try link.send(a + (0..<4000).map { _ in UInt8.random(in: 0...255, using: &random) })
        case .clear: try link.send(a + Array("GET /b HTTP/1.1\r\n\r\n".utf8))
        case .empty: try link.send(a + [UInt8](repeating: 0, count: 2000))
        case .anotherKey:
            var other = MessageStream(role: .controller)
            other.secure(
                with: SessionKeys(
                    read: SecretBytes(Array(repeating: 3, count: 32)),
                    write: SecretBytes(Array(repeating: 4, count: 32))))
            try link.send(a + other.encode(.request(HTTPRequest(.get, "/b"))))
        }
        #expect(!link.isOpen)
        #expect(try link.texts() == served)
        if tampering != .reflected { #expect(link.server.paths == ["/keys"] + served) }
    }

    // MARK: Turns

    @Test("answers 64 pipelined requests per turn of the event loop")
    func turns() throws {
        let link = try EmbeddedLink()
        let requests = try (0..<1000).flatMap { try link.request("/\($0)") }
        try link.send(requests)
        #expect(link.server.paths.count == 64)
        // Meanwhile, further bytes stay in the system's buffers.
        link.channel.read()
        #expect(link.readCount == 0)
        try link.send((0..<3000).flatMap { _ in try link.request("/x") })
        #expect(link.server.paths.count == 64)
        link.channel.embeddedEventLoop.run()
        #expect(link.server.paths.count == 4000)
        #expect(link.server.paths.prefix(1000) == (0..<1000).map { "/\($0)" }[...])
        #expect(link.readCount == 1)
        #expect(try link.texts().count == 4000)
    }

    // MARK: Sockets

    @Test("disconnects a peer that doesn't read for too long")
    func neverReads() async throws {
        let size = 100_000
        let server = StubServer { request, connection in
            connection.respond(HTTPResponse(200, .hapJSON, body: Array(repeating: 65, count: size)))
        }
        let listener = try await AccessoryListener(
            port: 0, on: MultiThreadedEventLoopGroup.singleton.next(), for: server, acknowledgeTime: .seconds(2),
            logger: quietLogger)
        let (controller, link) = try await listener.connect()
        try await link.setReads(false)
        let request = try await controller.bytes(of: HTTPRequest(.get, "/a"))
        await controller.send(bytes: Array(repeating: request, count: 1000).flatMap { $0 })
        try await eventually("the peer is disconnected") { server.events.last == .closed }
        #expect(server.events.suffix(2) == [.stalled, .closed])
        // The remaining responses, up to 100 MB, were never created.
        #expect(server.paths.count < 300)
        await controller.close()
        await listener.close()
    }

    @Test("counts the session of a disconnected peer that doesn't read as stalled")
    func stalled() async throws {
        let admin = ControllerIdentity.random()
        let house = try await TCPHouse(pairedWith: [admin], acknowledgeTime: .seconds(3))
        let (controller, link) = try await house.session(admin)
        try await link.setReads(false)
        var requests: [UInt8] = []
        // The responses are several times as large as the peer's receive buffers.
        for _ in 0..<400 { requests += try await controller.bytes(of: HTTPRequest(.get, "/accessories")) }
        await controller.send(bytes: requests)
        try await eventually { await house.bridge.server.connectionCount == 0 }
        #expect(await house.bridge.server.statistics.stalled == 1)
        await controller.close()
        await house.listener.close()
    }

    @Test(
        "serves a session and leaks no socket while 1000 unauthenticated peers connect and disconnect"
    )
    func churn() async throws {
        let admin = ControllerIdentity.random()
        let house = try await TCPHouse(pairedWith: [admin])
        let (session, _) = try await house.session(admin)
        #expect(sockets(of: house.listener.port) == 1)
        for wave in 0..<20 {
            try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        let (unknownPeer, link) = try await house.connect()
                        switch (wave + number) % 5 {
                        case 0: break
                        case 1: await unknownPeer.send(bytes: Array("GET /acce".utf8))
                        case 2: link.closeOutput()
                        case 3:
                            await unknownPeer.send(
                                bytes: Array("POST /pair-setup HTTP/1.1\r\nContent-Length: 9\r\n\r\n".utf8))
                        default: await unknownPeer.send(bytes: RandomBytes.make(count: 500))
                        }
                        await unknownPeer.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await session.read("id=2.9").status == 200)
            #expect(await house.bridge.server.connectionCount <= 33)
        }
        try await eventually { sockets(of: house.listener.port) == 1 }
        try await eventually { await house.bridge.server.connectionCount == 1 }
        #expect(await house.bridge.server.statistics.throttled > 0)
        #expect(try await session.read("id=2.9").status == 200)
        await session.close()
        try await eventually { sockets(of: house.listener.port) == 0 }
        await house.listener.close()
    }

    /// Returns the number of open sockets in this process that belong to accepted connections to a port.
    private func sockets(of port: Int) -> Int { descriptors(at: port).count { !isListener($0) } }
}
