import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@testable import AccessoryRole

@Suite("Limiting connections", .timeout)
struct ConnectionTests {
    @Test("keeps 128 sessions, and replaces a session only after it has been idle for 60 s")
    func full() async throws {
        let house = try await House()
        var sessions: [TestController] = []
        for _ in 0..<128 { sessions.append(try await house.session()) }
        let (late, _) = await house.bridge.connect()
        #expect(await late.isClosed)
        #expect(await house.bridge.server.controllerCount == 128)
        // The connection that has been silent the longest is evicted, but only after a minute of silence.
        await house.advance(.seconds(59))
        for session in sessions where session !== sessions[7] && session !== sessions[20] {
            _ = try await session.read("id=2.9")
        }
        await house.advance(.milliseconds(500))
        _ = try await sessions[20].read("id=2.9")
        await house.advance(.milliseconds(500))
        let next = try await house.session()
        #expect(await sessions[7].isClosed)
        #expect(await !sessions[20].isClosed)
        #expect(try await next.get("/accessories").status == 200)
    }

    @Test("never evicts a connection that is pairing in favor of unauthenticated peers")
    func pairingStays() async throws {
        let store = InMemoryAccessoryServerStore()
        let bridge = try await House(store, admin: .random()).bridge
        let (pairing, _) = await bridge.connect()
        let action = try await pairing.beginPairSetup(store.stored.setupCode)
        for _ in 0..<40 {
            _ = await bridge.connect()
            await bridge.scheduler.advance(by: .milliseconds(10))
        }
        guard case .send = try await pairing.step(action) else {
            Issue.record("pairing can't continue")
            return
        }
    }

    @Test("closes an unverified connection 60 s after its last request, and never a session")
    func unverified() async throws {
        let house = try await House()
        let session = try await house.session()
        let (silent, _) = await house.bridge.connect()
        let (talking, _) = await house.bridge.connect()
        await house.advance(.seconds(50))
        _ = try await talking.post("/identify")
        await house.advance(.seconds(9))
        #expect(await !silent.isClosed)
        await house.advance(.seconds(2))
        #expect(await silent.isClosed)
        #expect(await !talking.isClosed)
        await house.advance(.seconds(50))
        #expect(await talking.isClosed)
        await house.advance(.seconds(86_400))
        #expect(try await session.get("/accessories").status == 200)
    }

    @Test("stops within 2.2 s, even if a peer never reads its response")
    func stoppingTime() async throws {
        let house = try await House()
        let (session, link) = await house.bridge.connect(house.admin)
        #expect(try await session.pairVerify(house.bridge.identity) == nil)
        _ = try await session.write(#"{"aid":2,"iid":9,"ev":true}"#)
        await link.connection.setTakesBytes(false)
        // The peer never reads the response, so the connection doesn't end.
        async let answer = try? session.read("id=2.9")
        await house.drain()
        let server = house.bridge.server
        let hasStopped = Mutex(false)
        let stopping = Task {
            await server.stop()
            hasStopped.withLock { $0 = true }
        }
        try await house.drain(until: { await server.isStopping })
        await house.advance(.milliseconds(2199))
        #expect(!hasStopped.withLock { $0 })
        await house.advance(.milliseconds(1))
        await stopping.value
        await link.connection.vanish()
        #expect(await answer == nil)
    }

    @Test("removes all state of a closed connection")
    func nothingIsLeft() async throws {
        let house = try await House()
        for _ in 0..<50 {
            let session = try await house.session()
            _ = try await session.write(#"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":10,"ev":true}"#)
            await session.close()
        }
        #expect(await house.bridge.server.sessionCount == 0)
        #expect(await house.bridge.server.subscriptions[CharacteristicID(2, 9)].isEmpty)
        await house.advance(.seconds(120))
        #expect(house.bridge.scheduler.timerCount <= 1)
    }

    @Test("frees a session when its connection ends, even during a request")
    func freed() async throws {
        let house = try await House()
        house.devices.setWaits()
        let session = try await house.session()
        let outlives = await house.bridge.server.outlives {
            async let answer = try? session.write(#"{"aid":2,"iid":9,"value":true}"#)
            try? await house.drain(until: { house.devices.waitingCount > 0 })
            await session.close()
            #expect(await answer == nil)
        }
        #expect(!outlives)
        // The fan still gets the written value.
        await house.answer()
        #expect(await house.value(2, 9) == .bool(true))
    }
}

extension AccessoryServer {
    fileprivate var sessionCount: Int { sessions.count }

    /// Returns whether the current session still exists after `body` has run.
    fileprivate func outlives(_ body: () async -> Void) async -> Bool {
        weak let session = sessions.values.first
        await body()
        return session != nil
    }
}
