import HAPController
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

private let on = Scene.on
private let brightness = Scene.brightness
private let lock = Scene.lock
private let control = Scene.control
private let button = Scene.button

@Suite("A session with a hostile accessory", .timeout)
struct HostileAccessoryTests {
    @Test(
        "ends the connection after bytes that aren't a frame",
        arguments: [
            "garbage": Array("no frame".utf8), "frame too long": [0xFF, 0xFF, 0, 0],
            "wrong tag": [4, 0] + Array(repeating: 7, count: 20),
            "clear text": Array("HTTP/1.1 204 No Content\r\n\r\n".utf8),
        ])
    func garbage(_ name: String, _ bytes: [UInt8]) async throws {
        let scene = try Scene { request, _ in request.path == "/accessories" ? .bytes(bytes) : nil }
        try await scene.run { events in
            try await events.until { events in
                events.states.contains { if case .unreachable(.ended(.violation)) = $0 { true } else { false } }
            }
        }
    }

    @Test(
        "ends the connection after a sealed response that violates HTTP or HAP",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 16777217\r\n\r\n", SessionEnd.violation(.bodyTooLong)),
            ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .violation(.malformedHTTP(.contentLength))),
            ("HTTP/1.1 200 OK\r\nX\r\n\r\n", .violation(.malformedHTTP(.header))),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", .violation(.malformedHTTP(.chunk))),
            ("EVENT/1.0 200 OK\r\nContent-Length: 3\r\n\r\n{]}", .badAnswer),
            ("EVENT/1.0 200 OK\r\nContent-Length: 13\r\n\r\n{\"values\":[]}", .badAnswer),
            (
                "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
                .badAnswer
            ),
        ])
    func broken(_ text: String, _ end: SessionEnd) async throws {
        let scene = try Scene { request, _ in request.path == "/characteristics" ? .sealed(Array(text.utf8)) : nil }
        try await scene.run { events in
            try await events.until { $0.updates.contains { if case .database = $0 { true } else { false } } }
            _ = try? await scene.link.read([on])
            try await events.until { $0.states.contains(.unreachable(.ended(end))) }
        }
    }

    @Test(
        "distinguishes a partial response, silence and a closed connection",
        arguments: [
            (ScriptedAccessory.Reaction.silence, SessionEnd.timedOut),
            (.sealed(Array("HTTP/1.1 200 O".utf8)), .timedOut),
            (.hangUp, .lost), (.answer(HTTPResponse(470)), .notAuthorized),
        ])
    func dead(_ reaction: ScriptedAccessory.Reaction, _ end: SessionEnd) async throws {
        var timing = testTiming
        if end == .timedOut { timing.request = .milliseconds(300) }
        let scene = try Scene(timing) { request, _ in request.method == .put ? reaction : nil }
        try await scene.run { events in
            try await events.until(.connected)
            await #expect(throws: LinkError.request(.ended(end))) {
                try await scene.link.write([AccessoryWrite(on, .bool(true))])
            }
            try await events.until { $0.states.contains(.unreachable(.ended(end))) }
        }
    }

    @Test(
        "reports an unusable database without quoting it",
        arguments: [
            "", "[]", #"{"accessories":[]}"#, #"{"accessories":[{"aid":0,"services":[]}]}"#,
            #"{"accessories":[{"aid":1,"services":[{"iid":1,"type":"secret","characteristics":[]}]}]}"#,
            String(repeating: "[", count: 100_000),
        ])
    func compliance(_ text: String) async throws {
        let scene = try Scene { request, _ in request.path == "/accessories" ? .answer(.json(text)) : nil }
        try await scene.run { events in
            try await events.until { events in
                events.states.contains {
                    if case .unreachable(.outOfCompliance(let error)) = $0 {
                        !"\(error)".contains("secret")
                    } else {
                        false
                    }
                }
            }
        }
    }

    @Test("rejects an accessory that signs the right id with a different key")
    func wrongKey() async throws {
        let scene = try Scene { _, _ in nil }
        let unknownPeer = AccessoryIdentity(
            deviceID: scene.link.id, longTermKey: try Ed25519KeyPair(seed: .random(count: 32)))
        let impostor = ScriptedAccessory(unknownPeer) { _, _ in .silence }
        impostor.listen(scene.dialer, at: .test(1))
        try await scene.run { events in
            try await events.until { $0.states.contains(.unreachable(.otherAccessory)) }
        }
        #expect(impostor.requests.isEmpty)
    }

    @Test(
        "keeps the pairing when an unproven peer refuses pair verify",
        arguments: [
            HTTPResponse(200, .pairingTLV8, body: PairingTLV.failure(2, .authentication).encoded),
            HTTPResponse(404), HTTPResponse(200, body: Array("<html>".utf8)),
        ])
    func impostor(_ answer: HTTPResponse) async throws {
        let scene = try Scene { _, _ in nil }
        let impostor = ScriptedAccessory { _, _ in .answer(answer) }
        impostor.listen(scene.dialer, at: .test(2))
        try await running(scene.link) { events in
            await scene.link.appeared(try .test(scene.link.id, at: [.test(2), .test(1)]))
            try await events.until(.connected)
        }
    }

    @Test("ignores events with unknown characteristics or values of the wrong type, and reports each button press")
    func events() async throws {
        let scene = try Scene { _, _ in nil }
        try await scene.run { events in
            await scene.link.desire([on, brightness, button])
            try await events.until { $0.value(brightness) != nil }
            try await events.until(.connected)
            scene.accessory.sendEvent(
                #"{"characteristics":[{"aid":1,"iid":8,"value":"on"},{"aid":7,"iid":8,"value":true},{"aid":1,"iid":9},{"aid":1,"iid":12,"value":1}]}"#
            )
            scene.accessory.sendEvent(
                #"{"characteristics":[{"aid":1,"iid":12,"value":1},{"aid":1,"iid":8,"value":1}]}"#)
            try await events.until { $0.value(on) == .success(.bool(true)) }
            #expect(events.updates.count { $0 == .occurrence(button, .integer(1)) } == 2)
            #expect(events.value(brightness) == .success(.integer(5)))
        }
    }

    @Test("announces a timed write on the same connection and with the same id")
    func timedWrite() async throws {
        let scene = try Scene { _, _ in nil }
        try await scene.run { events in
            try await events.until(.connected)
            _ = try await scene.link.write([AccessoryWrite(lock, .integer(1))])
        }
        let writes = scene.accessory.requests.filter { $0.method == .put }
        #expect(writes.map(\.path) == ["/prepare", "/characteristics"])
        let prepare = try #require(PrepareRequest(parsing: writes[0].body))
        #expect(prepare.timeToLive == .seconds(5))
        #expect(WriteRequest(parsing: writes[1].body)?.preparedID == prepare.preparedID)
    }

    @Test(
        "doesn't send a timed write whose announcement is refused",
        arguments: [(-70403, HAPStatus.busy), (0, .unableToCommunicate)])
    func refusedPrepare(_ said: Int, _ status: HAPStatus) async throws {
        let scene = try Scene { request, _ in
            request.path == "/prepare" ? .answer(.json(#"{"status":\#(said)}"#, status: 400)) : nil
        }
        try await scene.run { events in
            try await events.until(.connected)
            #expect(
                try await scene.link.write([AccessoryWrite(lock, .integer(1))]) == [lock: WriteOutcome(status)])
        }
        #expect(!scene.accessory.requests.contains { $0.method == .put && $0.path == "/characteristics" })
    }

    @Test("requests a write response only if the characteristic supports one, and returns it")
    func writeResponse() async throws {
        let scene = try Scene { request, _ in
            request.method == .put
                ? .answer(
                    .json(
                        #"{"characteristics":[{"aid":1,"iid":11,"status":0,"value":"AgA="},{"aid":1,"iid":8,"status":0}]}"#,
                        status: 207)) : nil
        }
        try await scene.run { events in
            try await events.until(.connected)
            let outcomes = try await scene.link.write([
                AccessoryWrite(control, .data([1]), wantsResponse: true),
                AccessoryWrite(on, .bool(true), wantsResponse: true, authorizationData: [1, 2, 255]),
            ])
            #expect(outcomes[control] == WriteOutcome(.success, response: .data([2, 0])))
            #expect(outcomes[on] == WriteOutcome(.success))
        }
        let write = try #require(scene.accessory.requests.first { $0.method == .put })
        #expect(WriteRequest(parsing: write.body)?.entries.map(\.wantsResponse) == [true, false])
        #expect(WriteRequest(parsing: write.body)?.entries.map(\.authorizationData) == [nil, [1, 2, 255]])
    }

    @Test("polls an accessory that loses events until the accessory sends events again")
    func lostEvents() async throws {
        var timing = testTiming
        timing.quiet = .milliseconds(20)
        timing.poll = .milliseconds(5)
        let value = Mutex(1)
        let scene = try Scene(timing) { request, _ in
            guard request.method == .get, request.path == "/characteristics" else { return nil }
            let number = value.withLock { $0 }
            return .answer(.json(#"{"characteristics":[{"aid":1,"iid":9,"value":\#(number)}]}"#))
        }
        try await scene.run { events in
            await scene.link.desire([brightness])
            try await events.until { $0.value(brightness) == .success(.integer(1)) }
            for number in 2...4 {
                value.withLock { $0 = number }
                try await events.until { $0.value(brightness) == .success(.integer(Int64(number))) }
            }
            value.withLock { $0 = 50 }
            scene.accessory.sendEvent(#"{"characteristics":[{"aid":1,"iid":9,"value":50}]}"#)
            try await events.until { $0.value(brightness) == .success(.integer(50)) }
        }
        let subscriptions = scene.accessory.requests.count { String(decoding: $0.body, as: UTF8.self).contains("ev") }
        #expect(subscriptions == 1)
    }

    @Test("detects an idle accessory that no longer answers")
    func deadPeer() async throws {
        var timing = testTiming
        timing.quiet = .milliseconds(20)
        timing.request = .milliseconds(200)
        let isDead = Mutex(false)
        let scene = try Scene(timing) { _, _ in isDead.withLock { $0 } ? .silence : nil }
        try await scene.run { events in
            try await events.until(.connected)
            isDead.withLock { $0 = true }
            try await events.until { $0.states.contains(.unreachable(.ended(.timedOut))) }
        }
    }
}
