import AccessoryRole
import Dialing
import Glibc
import HAPController
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import HAPTransport
import LightKit
import NIOCore
import NIOPosix
import Synchronization
import TestTimeouts
import Testing

private let group = MultiThreadedEventLoopGroup.singleton

private func here(_ port: Int, _ address: [UInt8] = [127, 0, 0, 1]) throws -> AccessoryEndpoint {
    try #require(AccessoryEndpoint(address: address, port: UInt16(port)))
}

/// A TCP server that does what a test wants with each connection.
private func listen(_ body: @escaping @Sendable (any Channel) -> Void) async throws -> any Channel {
    try await ServerBootstrap(group: group)
        .childChannelInitializer { channel in
            body(channel)
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        .bind(host: "127.0.0.1", port: 0).get()
}

/// A port of the loopback at which no process listens, and at which no other process can begin to meanwhile.
private final class SilentPort: Sendable {
    let number: Int
    private let descriptor: CInt

    init() throws {
        let descriptor = socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        // All addresses, those of IPv4 included.
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            var length = socklen_t(bytes.count)
            return bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
        }
        number = Int(UInt16(bigEndian: address.sin6_port))
        try #require(isBound && number > 0)
    }

    deinit { close(descriptor) }
}

@Suite("The controller over TCP", .timeout)
struct OverTCPTests {
    private let dialer = TCPDialer(group)

    @Test("it pairs, controls, follows the bridge to another port after a restart, and takes its pairing back")
    func faceToFace() async throws {
        let vault = InMemoryPairingVault()
        let store = InMemoryAccessoryServerStore()
        let lights = [LightDescription(id: "lamp", name: "Lamp")]
        var bridge = try await BridgeUnderTest(store, lights: lights)
        var listener = try await AccessoryListener(port: 0, on: bridge.loop, for: bridge.server, logger: quietLogger)
        let setup = AccessorySetup(dialer: dialer, vault: vault, timing: testTiming, logger: quietLogger)
        let added = try await setup.pair(
            with: .test(bridge.identity.deviceID, at: [try here(listener.port)], isPaired: false),
            code: store.stored.setupCode)
        let on = try #require(await bridge.place(.on, of: "lamp"))
        let link = AccessoryLink(
            added.pairing, as: vault.identity(), dialer: dialer,
            database: (added.database, configurationNumber: added.configurationNumber), timing: testTiming,
            logger: quietLogger)
        try await running(link) { events in
            await link.desire([on])
            await link.appeared(try .test(added.pairing.deviceID, at: [try here(listener.port)]))
            try await events.until(.connected)
            #expect(try await link.write([CharacteristicWrite(on, .bool(true))])[on] == WriteOutcome(.success))
            #expect(bridge.driver.orders == [.init("lamp", LightCommand(on: true))])

            await listener.close()
            await bridge.server.stop()
            try await events.until { $0.states.contains { if case .unreachable = $0 { true } else { false } } }
            bridge = try await BridgeUnderTest(store, lights: lights)
            listener = try await AccessoryListener(port: 0, on: bridge.loop, for: bridge.server, logger: quietLogger)
            await link.appeared(try .test(added.pairing.deviceID, at: [try here(listener.port)]))
            try await events.until(.connected)
            await bridge.host.report(LightReport(on: false), from: "lamp")
            try await events.until { $0.value(on) == .success(.bool(false)) }
            // Its c# has not changed: the database is the one of pairing.
            #expect(!events.updates.contains { if case .database = $0 { true } else { false } })
            try await link.unpair()
        }
        #expect(await !bridge.server.isPaired)
        await listener.close()
    }

    @Test("no process listens, on IPv4 and IPv6")
    func refused() async throws {
        let port = try SilentPort()
        let loopback = Array(repeating: UInt8(0), count: 15) + [1]
        for endpoint in [try here(port.number), try here(port.number, loopback)] {
            await #expect(throws: Unreachable.self) { _ = try await dialer.dial(endpoint, within: .seconds(5)) }
        }
        withExtendedLifetime(port) {}
    }

    @Test("whoever stops waiting for a connection waits no longer")
    func cancelled() async throws {
        // No process is at an address of the documentation's network; whatever the system says of it, the wait ends.
        let endpoint = AccessoryEndpoint.test(1)
        let dialing = Task { try await dialer.dial(endpoint, within: .seconds(60)) }
        dialing.cancel()
        await #expect(throws: Unreachable.self) { _ = try await dialing.value }
    }

    @Test("the first address that answers wins, and connections to the others are closed")
    func race() async throws {
        let closed = AsyncStream.makeStream(of: Void.self)
        let server = try await listen { $0.closeFuture.whenComplete { _ in closed.continuation.yield() } }
        let port = try #require(server.localAddress?.port)
        let noPeer = try SilentPort()
        var candidates = Candidates([try here(noPeer.number), try here(port)])
        let (connection, endpoint) = try await dialer.dial(timing: testTiming) { candidates.next() }
        withExtendedLifetime(noPeer) {}
        #expect(endpoint == (try here(port)))
        connection.close()
        #expect(await connection.receive() == nil)
        var closings = closed.stream.makeAsyncIterator()
        await closings.next()
        try await server.close().get()
    }

    @Test("an accessory that sends without end is slowed down, and costs no memory")
    func endless() async throws {
        let stalled = AsyncStream.makeStream(of: Void.self)
        let server = try await listen { channel in
            let chunk = ByteBuffer(repeating: 65, count: 64 * 1024)
            @Sendable func pour() {
                if channel.isActive {
                    guard channel.isWritable else {
                        stalled.continuation.yield()
                        return
                    }
                    channel.writeAndFlush(chunk, promise: nil)
                }
                channel.eventLoop.scheduleTask(in: .microseconds(100), pour)
            }
            channel.eventLoop.execute(pour)
        }
        let connection = try await dialer.dial(try here(try #require(server.localAddress?.port)), within: .seconds(5))
        #expect(await connection.receive()?.count ?? 0 <= 64 * 1024)
        // With no reader left, the system's buffers fill and the sender has to wait.
        var stalls = stalled.stream.makeAsyncIterator()
        await stalls.next()
        connection.close()
        try await server.close().get()
    }

    @Test("an accessory that takes nothing loses the connection when it is sent more than its share")
    func deaf() async throws {
        let server = try await listen { channel in
            // Reads nothing.
            _ = channel.setOption(.autoRead, value: false)
        }
        let connection = try await dialer.dial(try here(try #require(server.localAddress?.port)), within: .seconds(5))
        for _ in 0..<100 { connection.send(Array(repeating: 65, count: 1 << 20)) }
        #expect(await connection.receive() == nil)
        try await server.close().get()
    }
}
