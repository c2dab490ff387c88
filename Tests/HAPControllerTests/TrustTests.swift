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

@Suite("Trust in peers", .timeout)
struct TrustTests {
    @Test("ignores an event before pair verify")
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

    @Test("ignores an event of a replaced session")
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

    @Test("sends nothing before pair verify, even if the database is known")
    func nothingInClear() async throws {
        let scene = try Scene(isKnown: true)
        let silent = ScriptedAccessory { _, _ in .silence }
        silent.listen(scene.dialer, at: .test(1))
        let guest = ControllerIdentity.random().pairing(isAdmin: false)
        try await scene.run { _ in
            try await eventually("pair verify begins") { silent.requests.count == 1 }
            await #expect(throws: LinkError.notConnected) {
                try await scene.link.write([AccessoryWrite(on, .bool(true))])
            }
            await #expect(throws: LinkError.notConnected) { try await scene.link.read([on]) }
            #expect(await scene.link.observe([on]) == [on: .pending])
            await #expect(throws: PairingsError.notConnected) { try await scene.link.pairings(.add(guest)) }
        }
        #expect(silent.requests.map(\.path) == ["/pair-verify"])
    }

    @Test(
        "reports a removed pairing rather than the failure of another address", arguments: [1, 2, 3])
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

    @Test("reports the failure of the last address that answered if no address reports a removed pairing")
    func lastReason() async throws {
        let scene = try Scene()
        ScriptedAccessory { _, _ in .answer(HTTPResponse(404)) }.listen(scene.dialer, at: .test(1))
        ScriptedAccessory { _, _ in .hangUp }.listen(scene.dialer, at: .test(2))
        try await running(scene.link) { events in
            await scene.link.appeared(try .test(scene.link.id, at: [.test(1), .test(2), .test(3)]))
            try await events.until { $0.states.contains(.unreachable(.ended(.lost))) }
        }
    }

    @Test("first tries the address at which the accessory last proved its identity")
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

    @Test("ignores other accessories, and keeps its connection when a record disappears")
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

    @Test("doesn't mistake an impostor's refusal of pair verify for a removed pairing")
    func impostor() async throws {
        let scene = try Scene(isForUnpairing: true)
        ScriptedAccessory { _, _ in .answer(refusal) }.listen(scene.dialer, at: .test(1))
        try await scene.run { events in
            try await eventually("the address is tried again soon") { scene.dialer.dialed.count > 2 }
            #expect(!events.states.contains(.unreachable(.notPaired)))
        }
    }

    @Test("sends only the removal of the pairing if the link is created for unpairing")
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
            Issue.record("a request other than a removal")
            return
        }
    }
}
