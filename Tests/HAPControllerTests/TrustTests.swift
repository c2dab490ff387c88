import Dialing
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@testable import HAPController

private let on = Scene.on
private let lies = #"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#
private let refusal = HTTPResponse(200, .pairingTLV8, body: PairingTLV.failure(2, .authentication).encoded)

@Suite("Whom a link believes, and what it says to whom", .timeout)
struct TrustTests {
    /// What an answer to pair verify that was not asked for by anybody does to a link that knows its accessory.
    @Test("an event before pair verify is ignored")
    func eventBeforeVerify() async throws {
        let scene = try Scene(isKnown: true)
        let impostor = ScriptedAccessory { _, _ in
            .bytes(
                HTTPSerializer.bytes(of: .event(body: Array(lies.utf8))) + HTTPSerializer.bytes(of: .response(refusal)))
        }
        impostor.listen(scene.dialer, at: .test(1))
        try await scene.run { events in
            try await events.until { $0.states.contains(.unreachable(.notGenuine)) }
            #expect(events.value(on) == nil)
        }
    }

    @Test("an event of a session that has been replaced is ignored, one of the link's own is")
    func eventOfAnotherSession() async throws {
        let scene = try Scene()
        let former = ControllerSession(InMemoryByteConnection(onSend: { _ in }))
        try await scene.run { events in
            try await events.until(.connected)
            await scene.link.received(event: Array(lies.utf8), on: former)
            scene.accessory.sendEvent(#"{"characteristics":[{"aid":1,"iid":9,"value":77}]}"#)
            try await events.until { $0.value(Scene.brightness) == .success(.integer(77)) }
            #expect(events.value(on) != .success(.bool(true)))
        }
    }

    @Test("an event that is not of HAP's form ends the connection")
    func badEvent() async throws {
        let scene = try Scene()
        try await scene.run { events in
            try await events.until(.connected)
            scene.accessory.sendEvent(#"{"values":[]}"#)
            try await events.until { $0.states.contains(.unreachable(.ended(.badAnswer))) }
        }
    }

    @Test("nothing is asked, written or changed before pair verify, also where the database is known")
    func nothingInClear() async throws {
        let scene = try Scene(isKnown: true)
        let silent = ScriptedAccessory { _, _ in .silence }
        silent.listen(scene.dialer, at: .test(1))
        let guest = ControllerIdentity.random().pairing(isAdmin: false)
        try await scene.run { _ in
            try await eventually("pair verify begins") { silent.requests.count == 1 }
            await #expect(throws: LinkError.notConnected) {
                try await scene.link.write([CharacteristicWrite(on, .bool(true))])
            }
            await #expect(throws: LinkError.notConnected) { try await scene.link.read([on]) }
            #expect(await scene.link.observe([on]) == [on: .pending])
            await #expect(throws: PairingsError.notConnected) { try await scene.link.pairings(.add(guest)) }
        }
        #expect(silent.requests.map(\.path) == ["/pair-verify"])
    }

    @Test(
        "of several addresses that fail, the one that has dropped our pairing gives the reason", arguments: [1, 2, 3])
    func reasonKept(_ place: Int) async throws {
        let scene = try Scene(isPaired: false)
        let unknownPeer = AccessoryIdentity(
            deviceID: try #require(DeviceID(octets: [9, 9, 9, 9, 9, 9])),
            longTermKey: try Ed25519KeyPair(seed: .random(count: 32)))
        ScriptedAccessory(unknownPeer) { _, _ in .silence }.listen(scene.dialer, at: .test(2))
        ScriptedAccessory { _, _ in .hangUp }.listen(scene.dialer, at: .test(3))
        var addresses: [AccessoryEndpoint] = [.test(2), .test(3)]
        addresses.insert(.test(1), at: place - 1)
        try await running(scene.link) { events in
            await scene.link.appeared(try .test(scene.link.id, at: addresses))
            try await events.until { events in
                events.states.contains { if case .unreachable = $0 { true } else { false } }
            }
            #expect(events.states.last == .unreachable(.notPaired))
        }
        #expect(scene.dialer.dialed == addresses)
    }

    @Test("without such an address, the last one that answered gives the reason")
    func lastReason() async throws {
        let scene = try Scene()
        ScriptedAccessory { _, _ in .answer(HTTPResponse(404)) }.listen(scene.dialer, at: .test(1))
        ScriptedAccessory { _, _ in .hangUp }.listen(scene.dialer, at: .test(2))
        try await running(scene.link) { events in
            await scene.link.appeared(try .test(scene.link.id, at: [.test(1), .test(2), .test(3)]))
            try await events.until { $0.states.contains(.unreachable(.ended(.lost))) }
        }
    }

    @Test("the address that was right the last time is the first the next time")
    func lastGood() async throws {
        let scene = try Scene()
        ScriptedAccessory { _, _ in .hangUp }.listen(scene.dialer, at: .test(2))
        try await running(scene.link) { events in
            await scene.link.appeared(try .test(scene.link.id, at: [.test(2), .test(1)]))
            try await events.until(.connected)
            events.forget()
            scene.accessory.connection?.end()
            try await events.until(.connected)
        }
        #expect(scene.dialer.dialed == [.test(2), .test(1), .test(1)])
    }

    @Test("where another accessory appears is of no interest, and a record that goes ends nothing")
    func others() async throws {
        let scene = try Scene()
        try await scene.run { events in
            try await events.until(.connected)
            let other = try #require(DeviceID(octets: [9, 9, 9, 9, 9, 9]))
            await scene.link.appeared(try .test(other, at: [.test(2)]))
            await scene.link.appeared(nil)
            #expect(try await scene.link.read([on]) == [on: .success(.bool(false))])
            events.forget()
            scene.accessory.connection?.end()
            try await events.until(.connected)
        }
        #expect(scene.dialer.dialed == [.test(1), .test(1)])
    }

    @Test("an impostor that refuses pair verify doesn't pass for an accessory that has removed our pairing")
    func impostor() async throws {
        let scene = try Scene(isForUnpairing: true)
        ScriptedAccessory { _, _ in .answer(refusal) }.listen(scene.dialer, at: .test(1))
        try await scene.run { events in
            try await eventually("it is tried again soon") { scene.dialer.dialed.count > 2 }
            #expect(!events.states.contains(.unreachable(.notPaired)))
        }
    }

    @Test("unpairing takes the pairing back, asks for nothing else, and says so")
    func unpairing() async throws {
        let scene = try Scene(isForUnpairing: true) { request, _ in
            request.path == "/pairings"
                ? .answer(HTTPResponse(200, .pairingTLV8, body: PairingsResponse.done.encoded)) : nil
        }
        try await scene.run { events in
            try await events.until { $0.states.contains(.unreachable(.notPaired)) }
        }
        let requests = scene.accessory.requests
        #expect(requests.map(\.path) == ["/pairings"])
        guard case .remove = try PairingsRequest(parsing: try #require(requests.first).body) else {
            Issue.record("something else than a removal")
            return
        }
    }
}

@Suite("Connections to several addresses at once", .timeout)
struct RaceTests {
    /// Answers at one address at once, and at another one only when it is not wanted any more.
    private final class LateDialer: AccessoryDialer {
        let late = InMemoryByteConnection(onSend: { _ in })
        let prompt = InMemoryByteConnection(onSend: { _ in })

        func dial(
            _ endpoint: AccessoryEndpoint, within limit: Duration
        ) async throws(Unreachable) -> any ByteConnection {
            guard endpoint == .test(1) else { return prompt }
            // Ends when it is cancelled, and by nothing else.
            for await _ in AsyncStream<Never>.makeStream().stream {}
            return late
        }
    }

    private let dialer = LateDialer()
    private let timing: ControllerTiming = {
        var timing = testTiming
        timing.stagger = .milliseconds(1)
        return timing
    }()

    @Test("an address that does not answer does not hold up the next, and loses its connection when it does")
    func loser() async throws {
        var candidates = Candidates<AccessoryEndpoint>([.test(1), .test(2)])
        let (_, endpoint) = try await dialer.dial(timing: timing) { candidates.next() }
        #expect(endpoint == .test(2))
        #expect(dialer.late.isClosed)
        #expect(!dialer.prompt.isClosed)
    }
}
