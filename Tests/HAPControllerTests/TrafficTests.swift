import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@testable import HAPController

private let on = Scene.on
private let brightness = Scene.brightness

@Suite("Traffic over a link", .timeout)
struct TrafficTests {
    /// The ways to read a value.
    enum ReadKind: CaseIterable {
        case read, enable
    }

    @Test("ignores the result of a read that is older than an event", arguments: ReadKind.allCases)
    func olderRead(_ kind: ReadKind) async throws {
        // The event reports a change that happened while the response was being sent.
        let event = HTTPSerializer.bytes(
            of: .event(body: Array(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#.utf8)))
        let old = HTTPSerializer.bytes(
            of: .response(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#)))
        let scene = try Scene { request, _ in
            request.query == "id=1.8" ? .sealed(event + old) : nil
        }
        try await scene.run { events in
            try await events.until(.connected)
            switch kind {
            case .read: #expect(try await scene.link.read([on]) == [on: .success(.bool(false))])
            case .enable: #expect(await scene.link.observe([on]) == [on: .confirmed])
            }
            // An event that is sent later must also arrive later.
            scene.accessory.sendEvent(#"{"characteristics":[{"aid":1,"iid":9,"value":77}]}"#)
            try await events.until { $0.value(brightness) == .success(.integer(77)) }
            #expect(events.value(on) == .success(.bool(true)))
        }
    }

    @Test("reports the result of a read that began after an event", arguments: ReadKind.allCases)
    func newerRead(_ kind: ReadKind) async throws {
        let scene = try Scene()
        try await scene.run { events in
            try await events.until(.connected)
            scene.accessory.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#)
            try await events.until { $0.value(on) == .success(.bool(true)) }
            switch kind {
            case .read: _ = try await scene.link.read([on])
            case .enable: _ = await scene.link.observe([on])
            }
            try await events.until { $0.value(on) == .success(.bool(false)) }
        }
    }

    @Test("skips an informational response", arguments: [100, 102, 199])
    func informational(_ status: Int) async throws {
        let bytes = Array("HTTP/1.1 \(status) Wait\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n".utf8)
        let scene = try Scene { request, _ in request.method == .put ? .sealed(bytes) : nil }
        try await scene.run { events in
            try await events.until(.connected)
            #expect(
                try await scene.link.write([AccessoryWrite(on, .bool(true))]) == [on: WriteOutcome(.success)])
            // Responses still match their requests.
            #expect(try await scene.link.read([on]) == [on: .success(.bool(false))])
            #expect(!events.states.contains { if case .unreachable = $0 { true } else { false } })
        }
    }

    @Test("reports unableToCommunicate for each characteristic that a response omits")
    func rejected() async throws {
        let scene = try Scene { request, _ in
            switch (request.method, request.path) {
            case (.put, "/characteristics"):
                .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"status":0}]}"#, status: 207))
            case (.get, "/characteristics"):
                .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#))
            default: nil
            }
        }
        try await scene.run { events in
            try await events.until(.connected)
            #expect(
                try await scene.link.write([AccessoryWrite(on, .bool(true)), .init(brightness, .integer(7))])
                    == [on: WriteOutcome(.success), brightness: WriteOutcome(.unableToCommunicate)])
            #expect(
                try await scene.link.read([on, brightness])
                    == [on: .success(.bool(true)), brightness: .failure(.unableToCommunicate)])
        }
    }

    @Test("subscribes and unsubscribes in one request each")
    func coalesced() async throws {
        let scene = try Scene()
        try await scene.run { events in
            try await events.until(.connected)
            await scene.link.desire([on, brightness])
            try await eventually("both subscriptions are requested") { scene.subscriptions.count == 1 }
            await scene.link.desire([])
            try await eventually("both subscriptions are removed") { scene.subscriptions.count == 2 }
            _ = try await scene.link.read([on])
        }
        #expect(
            scene.subscriptions == [
                [.init(id: on, events: true), .init(id: brightness, events: true)],
                [.init(id: on, events: false), .init(id: brightness, events: false)],
            ])
    }

    @Test("doesn't count the effect of a write as a lost event")
    func ownWrite() async throws {
        var timing = testTiming
        timing.quiet = .milliseconds(20)
        // The accessory is known to lose events, and isn't read again during this test.
        timing.poll = .seconds(3600)
        let value = Mutex(5)
        let scene = try Scene(timing) { request, _ in
            switch (request.method, request.path) {
            case (.get, "/characteristics"):
                let number = value.withLock { $0 }
                return .answer(.json(#"{"characteristics":[{"aid":1,"iid":9,"value":\#(number)}]}"#))
            case (.put, "/characteristics"):
                // The accessory supports the value 8, but not 7.
                if WriteRequest(parsing: request.body)?.entries.first?.value != nil { value.withLock { $0 = 8 } }
                return nil
            default: return nil
            }
        }
        try await scene.run { events in
            await scene.link.desire([brightness])
            try await events.until(.connected)
            _ = try await scene.link.write([AccessoryWrite(brightness, .integer(7))])
            try await events.until { $0.value(brightness) == .success(.integer(8)) }
            let looks = scene.accessory.requests.count
            try await eventually("the accessory is checked again") { scene.accessory.requests.count >= looks + 2 }
        }
    }

    @Test("reads the last value of an accessory although its flood of events is dropped")
    func flood() async throws {
        func event(_ value: Int) -> [UInt8] {
            HTTPSerializer.bytes(
                of: .event(body: Array(#"{"characteristics":[{"aid":1,"iid":9,"value":\#(value)}]}"#.utf8)))
        }
        let value = Mutex(5)
        let scene = try Scene { request, _ in
            guard request.path == "/characteristics", request.method == .get else { return nil }
            let number = value.withLock { $0 }
            return .answer(.json(#"{"characteristics":[{"aid":1,"iid":9,"value":\#(number)}]}"#))
        }
        try await scene.run { events in
            await scene.link.desire([brightness])
            try await events.until(.connected)
            value.withLock { $0 = 42 }
            let flood = Array((0..<EventBudget.burst * 2).map { event($0 % 30) }.joined())
            scene.accessory.push(flood + event(42))
            try await events.until { $0.value(brightness) == .success(.integer(42)) }
            #expect(events.states.last == .connected)
        }
    }

    @Test("reads a value once when an event contradicts a newer write")
    func contradicted() async throws {
        let scene = try Scene { request, _ in
            request.query == "id=1.9" ? .answer(.json(#"{"characteristics":[{"aid":1,"iid":9,"value":60}]}"#)) : nil
        }
        try await scene.run { events in
            try await events.until(.connected)
            _ = try await scene.link.write([AccessoryWrite(brightness, .integer(60))])
            scene.accessory.sendEvent(#"{"characteristics":[{"aid":1,"iid":9,"value":30}]}"#)
            try await events.until { $0.value(brightness) == .success(.integer(60)) }
            scene.accessory.sendEvent(#"{"characteristics":[{"aid":1,"iid":9,"value":31}]}"#)
            try await events.until { $0.value(brightness) == .success(.integer(31)) }
            _ = try await scene.link.read([on])
        }
        #expect(scene.accessory.requests.filter { $0.query == "id=1.9" }.count == 1)
    }

    @Test("repeats a read once in the next session if the accessory rejects the current one", arguments: [1, 2])
    func notAuthorized(_ count: Int) async throws {
        let refusals = Mutex(count)
        let scene = try Scene { request, _ in
            guard request.query == "id=1.8" else { return nil }
            let isRefused = refusals.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            return isRefused ? .answer(HTTPResponse(470)) : nil
        }
        try await scene.run { events in
            try await events.until(.connected)
            if count == 1 {
                #expect(try await scene.link.read([on]) == [on: .success(.bool(false))])
            } else {
                await #expect(throws: LinkError.request(.ended(.notAuthorized))) { try await scene.link.read([on]) }
            }
        }
    }

    @Test("sets no deadline while no response is due")
    func quiet() async throws {
        let accessory = ScriptedAccessory { _, _ in .answer(HTTPResponse(204)) }
        let dialer = InMemoryDialer()
        accessory.listen(dialer, at: .test(1))
        let session = ControllerSession(try await dialer.dial(.test(1), within: .seconds(5)))
        async let running = session.run(onEvent: { _ in })
        for _ in 0..<2 {
            #expect(try await session.request(HTTPRequest(.post, "/identify"), within: .seconds(60)).status == 204)
            #expect(await session.deadline == nil)
        }
        await session.close()
        _ = await running
    }
}

extension Scene {
    /// The entries of each request that subscribes or unsubscribes.
    fileprivate var subscriptions: [[WriteRequest.Entry]] {
        accessory.requests.filter { $0.method == .put && $0.path == "/characteristics" }
            .compactMap { WriteRequest(parsing: $0.body)?.entries }
            .filter { $0.contains { $0.events != nil } }
    }
}

@Suite("Batching", .timeout)
struct BatchTests {
    /// An accessory with so many characteristics that reading, writing or subscribing takes several full batches and a
    /// partial batch.
    private struct Crowd {
        let ids = (0..<3).flatMap { service in
            (1...90).map { CharacteristicID(AccessoryID(1), InstanceID(UInt64(100 * (service + 1) + $0))) }
        }
        let scene: Scene

        init() throws {
            let services = (0..<3).map { service in
                let characteristics = (1...90).map {
                    #"{"iid":\#(100 * (service + 1) + $0),"type":"8","format":"int","perms":["pr","pw","ev"],"value":5}"#
                }
                return
                    #"{"iid":\#(100 * (service + 1)),"type":"43","characteristics":[\#(characteristics.joined(separator: ","))]}"#
            }
            let database =
                #"{"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[]},\#(services.joined(separator: ","))]}]}"#
            scene = try Scene { request, _ in request.path == "/accessories" ? .answer(.json(database)) : nil }
        }

        /// Returns the characteristics of each request whose entries `isMeant` selects.
        func batches(_ isMeant: (WriteRequest.Entry) -> Bool) -> [[CharacteristicID]] {
            scene.accessory.requests.filter { $0.method == .put }
                .compactMap { WriteRequest(parsing: $0.body)?.entries.filter(isMeant).map(\.id) }
                .filter { !$0.isEmpty }
        }
    }

    @Test("reads at most 50 characteristics per request")
    func reads() async throws {
        let crowd = try Crowd()
        try await crowd.scene.run { events in
            try await events.until(.connected)
            let readings = try await crowd.scene.link.read(crowd.ids)
            #expect(readings.count == 270 && readings.values.allSatisfy { $0 == .success(.integer(5)) })
        }
        let asked = crowd.scene.accessory.requests.compactMap { ReadRequest(query: $0.query)?.ids }
        #expect(asked.map(\.count) == [50, 50, 50, 50, 50, 20])
        #expect(asked.flatMap { $0 } == crowd.ids)
    }

    @Test("writes at most 100 characteristics per request")
    func writes() async throws {
        let crowd = try Crowd()
        try await crowd.scene.run { events in
            try await events.until(.connected)
            let outcomes = try await crowd.scene.link.write(crowd.ids.map { AccessoryWrite($0, .integer(7)) })
            #expect(outcomes.count == 270 && outcomes.values.allSatisfy { $0 == WriteOutcome(.success) })
        }
        let written = crowd.batches { $0.value != nil }
        #expect(written.map(\.count) == [100, 100, 70])
        #expect(written.flatMap { $0 } == crowd.ids)
    }

    @Test("subscribes to at most 100 characteristics per request")
    func subscriptions() async throws {
        let crowd = try Crowd()
        try await crowd.scene.run { events in
            await crowd.scene.link.desire(Set(crowd.ids))
            try await events.until(.connected)
        }
        let subscribed = crowd.batches { $0.events == true }
        #expect(subscribed.map(\.count) == [100, 100, 70])
        #expect(subscribed.flatMap { $0 } == crowd.ids)
    }
}
