import AccessoryRole
import DeviceKit
import Glibc
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestTimeouts
import Testing

@testable import HAPTransport

@Suite("AccessoryListener", .timeout)
struct AccessoryListenerTests {
    private func listen(_ server: StubServer, port: Int = 0) async throws -> AccessoryListener {
        try await AccessoryListener(
            port: port, on: MultiThreadedEventLoopGroup.singleton.next(), for: server, logger: quietLogger)
    }

    @Test("pairs, verifies, reads, writes, sends events and unpairs on one connection")
    func faceToFace() async throws {
        let house = try await TCPHouse()
        let (controller, _) = try await house.connect()
        guard case .paired = try await controller.pairSetup(house.store.stored.setupCode) else {
            Issue.record("not paired")
            return
        }
        #expect(try await controller.pairVerify(house.bridge.identity) == nil)
        #expect(try await controller.get("/accessories").status == 200)
        #expect(try await controller.write(#"{"aid":2,"iid":9,"ev":true}"#).status == 204)
        await house.bridge.host.report(LightReport(on: true), from: "lamp")
        await controller.wait { arrivals in arrivals.contains { if case .event = $0 { true } else { false } } }
        #expect(await controller.events == [#"{"characteristics":[{"aid":2,"iid":9,"value":true}]}"#])
        #expect(try await controller.write(#"{"aid":2,"iid":9,"value":false}"#).status == 204)
        #expect(house.bridge.driver.orders == [.init("lamp", LightCommand(on: false))])
        #expect(await house.bridge.server.advertisement.isPaired)
        #expect(try await controller.pairings(.remove(controller.identity.controller)) == .done)
        await controller.waitForClose()
        #expect(await !house.bridge.server.isPaired)
        await house.listener.close()
    }

    @Test("reports a port in use, and frees it without closing open connections")
    func portTaken() async throws {
        let server = StubServer()
        let listener = try await listen(server)
        await #expect(throws: ListenerError.portTaken(listener.port)) {
            _ = try await listen(StubServer(), port: listener.port)
        }
        let (controller, _) = try await listener.connect()
        #expect(try await controller.get("/a").text == "/a")
        await listener.close()
        #expect(try await controller.get("/b").text == "/b")
        let again = try await listen(StubServer(), port: listener.port)
        #expect(again.port == listener.port)
        await again.close()
        await controller.close()
    }

    @Test("closes a connection to a local address that isn't allowed, without notifying the server")
    func notAllowed() async throws {
        let server = StubServer()
        let listener = try await AccessoryListener(
            port: 0, on: MultiThreadedEventLoopGroup.singleton.next(), for: server, isAllowed: { _ in false },
            logger: quietLogger)
        let (controller, _) = try await listener.connect()
        await controller.waitForClose()
        #expect(server.events.isEmpty)
        await listener.close()
    }

    @Test("sends all responses to a peer that closes its output, then closes the connection")
    func halfClose() async throws {
        let size = 500_000
        let listener = try await listen(
            StubServer { _, connection in
                connection.respond(HTTPResponse(200, .hapJSON, body: Array(repeating: 65, count: size)))
            })
        let (controller, link) = try await listener.connect()
        let request = try await controller.bytes(of: HTTPRequest(.get, "/a"))
        await controller.send(bytes: request + request + request)
        link.closeOutput()
        await controller.waitForClose()
        let sizes = await controller.arrivals.map { arrival in
            if case .response(let response) = arrival { response.body.count } else { 0 }
        }
        #expect(sizes == [size, size, size])
        await listener.close()
    }

    @Test(
        "stops serving a peer that doesn't read when its buffers are full, then answers all requests in order")
    func slowReader() async throws {
        let server = StubServer { request, connection in
            connection.respond(
                HTTPResponse(200, .hapJSON, body: Array(request.path.utf8) + Array(repeating: 65, count: 50_000)))
        }
        let listener = try await listen(server)
        let (controller, link) = try await listener.connect()
        try await link.setReads(false)
        for number in 0..<400 {
            await controller.send(bytes: try controller.bytes(of: HTTPRequest(.get, "/\(number)")))
        }
        // Another connection on the same loop has been served in the meantime, so the server has had enough time.
        let (other, _) = try await listener.connect()
        for _ in 0..<50 { #expect(try await other.get("/other").status == 200) }
        #expect(server.paths.filter { $0 != "/other" }.count < 300)
        try await link.setReads(true)
        await controller.wait { $0.count == 400 }
        for (number, arrival) in await controller.arrivals.enumerated() {
            guard case .response(let response) = arrival else { continue }
            #expect(response.text.hasPrefix("/\(number)A"))
        }
        await controller.close()
        await other.close()
        await listener.close()
    }

    @Test(
        "closes its output first, and the connection a second later, even if the peer does nothing"
    )
    func endedPeerStays() async throws {
        let port = Mutex(0)
        let left = Mutex(0)
        let server = StubServer { _, connection in
            connection.respond(HTTPResponse(204))
            connection.closeAfterWriting()
            // Pending bytes are still sent.
            let number = port.withLock { $0 }
            left.withLock { $0 = descriptors(at: number).count { !isListener($0) } }
        }
        let listener = try await listen(server)
        port.withLock { $0 = listener.port }
        let peer = try PlainSocket(to: listener.port)
        try peer.send("GET /a HTTP/1.1\r\n\r\n")
        try await eventually("its end") { server.events.last == .closed }
        #expect(left.withLock { $0 } == 1)
        #expect(descriptors(at: listener.port).allSatisfy(isListener))
        withExtendedLifetime(peer) {}
        await listener.close()
    }

    @Test("writes a large response before closing the connection")
    func answerBeforeEnd() async throws {
        let size = 3_000_000
        let server = StubServer { _, connection in
            connection.respond(HTTPResponse(200, .hapJSON, body: Array(repeating: 65, count: size)))
            connection.closeAfterWriting()
        }
        let listener = try await listen(server)
        let (controller, _) = try await listener.connect()
        #expect(try await controller.get("/a").body.count == size)
        await controller.waitForClose()
        await listener.close()
    }

    @Test("distinguishes peers by IP address only", arguments: [nil, "127.0.0.1"])
    func addresses(listening: String?) async throws {
        let server = StubServer()
        let listener = try await AccessoryListener(
            address: listening, port: 0, on: MultiThreadedEventLoopGroup.singleton.next(), for: server,
            logger: quietLogger)
        let peers = try ["127.0.0.1", "127.0.0.2", "127.0.0.1", "127.0.0.2"].map {
            try PlainSocket(from: $0, to: listener.port)
        }
        try await eventually("all peers are connected") { server.addresses.count == peers.count }
        let one = try #require(PeerAddress([127, 0, 0, 1]))
        let other = try #require(PeerAddress([127, 0, 0, 2]))
        #expect(server.addresses.count { $0 == one } == 2)
        #expect(server.addresses.count { $0 == other } == 2)
        await listener.close()
    }

    @Test(
        "doesn't pass sockets to child processes")
    func children() async throws {
        let listener = try await listen(StubServer())
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let endpoint = try #require(AccessoryEndpoint(address: [127, 0, 0, 1], port: UInt16(listener.port)))
        let connection = try await TCPDialer(loop).dial(endpoint, within: .seconds(5))
        try await eventually("the connection is accepted") { descriptors(at: listener.port).count == 2 }
        let sockets = descriptors(at: listener.port) + descriptors(at: listener.port, ofPeer: true)
        #expect(sockets.count == 3)
        for socket in sockets { #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0) }
        connection.close()
        await listener.close()
    }

    @Test("keeps 128 connections waiting while the event loop is busy")
    func backlog() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = StubServer()
        let listener = try await AccessoryListener(port: 0, on: group.next(), for: server, logger: quietLogger)
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reads, writes) = (ends[0], ends[1])
        group.next().execute {
            var byte: UInt8 = 0
            _ = read(reads, &byte, 1)
        }
        let peers = Result { try (0..<128).map { _ in try PlainSocket(to: listener.port) } }
        _ = write(writes, [1], 1)
        #expect(try peers.get().count == 128)
        try await eventually("all connections are accepted") { server.events.count { $0 == .opened } == 128 }
        await listener.close()
        try await group.shutdownGracefully()
        for end in ends { close(end) }
    }
}
