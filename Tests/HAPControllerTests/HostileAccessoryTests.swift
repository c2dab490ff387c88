import AsyncKit
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

@Suite("An accessory that is not as it should be", .timeout)
struct HostileAccessoryTests {
    @Test(
        "bytes that are no answer end the connection, and only that",
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
        "a sealed answer that breaks HTTP or HAP ends the connection",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 16777217\r\n\r\n", SessionEnd.violation(.bodyTooLong)),
            ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .violation(.malformedHTTP(.contentLength))),
            ("HTTP/1.1 200 OK\r\nX\r\n\r\n", .violation(.malformedHTTP(.header))),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", .violation(.malformedHTTP(.chunk))),
            ("EVENT/1.0 200 OK\r\nContent-Length: 3\r\n\r\n{]}", .badAnswer),
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

    @Test("a body that does not come to its end is given up when the answer is due")
    func unfinished() async throws {
        var timing = testTiming
        timing.database = .milliseconds(200)
        let scene = try Scene(timing) { request, _ in
            request.path == "/accessories"
                ? .sealed(Array("HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n{".utf8)) : nil
        }
        try await scene.run { events in
            try await events.until { $0.states.contains(.unreachable(.ended(.timedOut))) }
        }
    }

    @Test("an endless body costs no more than its limit, and ends the connection there", arguments: [false, true])
    func endless(isChunked: Bool) async throws {
        let source = EndlessBody(isChunked: isChunked)
        let session = ControllerSession(source)
        async let running = session.run(onEvent: { _ in })
        await #expect(throws: SetupError.ended(.violation(.bodyTooLong), mayBePaired: false)) {
            _ = try await session.readDatabase(within: .seconds(60))
        }
        #expect(await running == .violation(.bodyTooLong))
        // Two pieces more than the limit: a head, and a part of a chunk.
        #expect(source.given <= HTTPLimits.responseBody + 2 * EndlessBody.piece)
        #expect(isChunked == (source.given > HTTPLimits.responseBody - EndlessBody.piece))
    }

    @Test(
        "half answers, silence and a closed connection are distinguished",
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
                try await scene.link.write([CharacteristicWrite(on, .bool(true))])
            }
            try await events.until { $0.states.contains(.unreachable(.ended(end))) }
        }
    }

    @Test(
        "a database that cannot be used is out of compliance, in words without the accessory's own",
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

    @Test("a signature by another key at the right id is refused")
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
        "who is not proven cannot end the pairing at the right address",
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

    @Test("events of what is unknown and of wrong kinds are passed over, presses are told one by one")
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

    @Test("a timed write is announced on the same connection with the number that it carries")
    func timedWrite() async throws {
        let scene = try Scene { _, _ in nil }
        try await scene.run { events in
            try await events.until(.connected)
            _ = try await scene.link.write([CharacteristicWrite(lock, .integer(1))])
        }
        let writes = scene.accessory.requests.filter { $0.method == .put }
        #expect(writes.map(\.path) == ["/prepare", "/characteristics"])
        let prepare = try #require(PrepareRequest(parsing: writes[0].body))
        #expect(prepare.timeToLive == .seconds(5))
        #expect(WriteRequest(parsing: writes[1].body)?.preparedID == prepare.preparedID)
    }

    @Test(
        "a timed write whose announcement is refused is not sent and not done, whatever the refusal says",
        arguments: [(-70403, HAPStatus.busy), (0, .unableToCommunicate)])
    func refusedPrepare(_ said: Int, _ status: HAPStatus) async throws {
        let scene = try Scene { request, _ in
            request.path == "/prepare" ? .answer(.json(#"{"status":\#(said)}"#, status: 400)) : nil
        }
        try await scene.run { events in
            try await events.until(.connected)
            #expect(
                try await scene.link.write([CharacteristicWrite(lock, .integer(1))]) == [lock: WriteOutcome(status)])
        }
        #expect(!scene.accessory.requests.contains { $0.method == .put && $0.path == "/characteristics" })
    }

    @Test("a write response is asked for where there is one, and read")
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
                CharacteristicWrite(control, .data([1]), wantsResponse: true),
                CharacteristicWrite(on, .bool(true), wantsResponse: true, authorizationData: [1, 2, 255]),
            ])
            #expect(outcomes[control] == WriteOutcome(.success, response: .data([2, 0])))
            #expect(outcomes[on] == WriteOutcome(.success))
        }
        let write = try #require(scene.accessory.requests.first { $0.method == .put })
        #expect(WriteRequest(parsing: write.body)?.entries.map(\.wantsResponse) == [true, false])
        #expect(WriteRequest(parsing: write.body)?.entries.map(\.authorizationData) == [nil, [1, 2, 255]])
    }

    @Test("an accessory that loses events is asked until it tells again")
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

    @Test("an accessory that stops answering is noticed without anybody asking")
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

    @Test("a subscription that is refused is asked for once on a connection, and again on the next")
    func refusedSubscription() async throws {
        let scene = try Scene { request, _ in
            request.method == .put
                ? .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"status":-70406}]}"#, status: 207)) : nil
        }
        try await scene.run { events in
            await scene.link.desire([on])
            try await events.until(.connected)
            await scene.link.desire([on])
            _ = try await scene.link.read([on])
            #expect(scene.accessory.requests.count { $0.method == .put } == 1)
            scene.accessory.connection?.end()
            try await events.until { _ in scene.accessory.requests.count { $0.method == .put } == 2 }
        }
    }
}

/// An accessory that answers whatever comes with a body that never ends.
private final class EndlessBody: ByteConnection {
    static let piece = 64 * 1024
    private static let filler = [UInt8](repeating: UInt8(ascii: "["), count: piece)

    private struct State {
        var hasBegun = false
        var isClosed = false
        var given = 0
    }

    private let isChunked: Bool
    private let state = Mutex(State())
    private let signal = AsyncSignal()

    init(isChunked: Bool) { self.isChunked = isChunked }

    /// How many bytes have been taken.
    var given: Int { state.withLock(\.given) }

    func send(_ bytes: [UInt8]) { signal.send() }

    func receive() async -> [UInt8]? {
        if !state.withLock(\.hasBegun) { await signal.wait() }
        return state.withLock { state in
            guard !state.isClosed else { return nil }
            let hasBegun = state.hasBegun
            state.hasBegun = true
            let head = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(HTTPLimits.responseBody + 1)"
            var bytes = hasBegun ? [] : Array("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n".utf8)
            if isChunked { bytes += Array("\(String(Self.piece, radix: 16))\r\n".utf8) }
            bytes += Self.filler
            if isChunked { bytes += Array("\r\n".utf8) }
            state.given += bytes.count
            return bytes
        }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.hasBegun = true
        }
        signal.send()
    }
}
