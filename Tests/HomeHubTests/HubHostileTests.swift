import HAPController
import HAPProtocol
import HAPTesting
import HomeModel
import Synchronization
import TestTimeouts
import Testing

import struct HAPModel.AccessoryID
import struct HAPModel.CharacteristicType
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID

@testable import HomeHub

/// A counter that starts at 1.
final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

/// Returns an empty database and removes the pairing.
private let withoutAccessories: Device.Reaction = { request in
    switch request.path {
    case "/accessories": .answer(.json(#"{"accessories":[]}"#))
    case "/pairings": .answer(HTTPResponse(200, .pairingTLV8, body: [6, 1, 2]))
    default: nil
    }
}

@Suite("The hub with misbehaving accessories", .timeout)
struct HubHostileTests {
    @Test("times out the requests of a silent accessory without delaying others")
    func silence() async throws {
        // On a busy machine, other answers may time out, too. In that case the timeout grows.
        for timeout in [Duration.milliseconds(300), .seconds(1), .seconds(4)] {
            let device = try Device(timeout: timeout) { $0.writesValue ? .silence : nil }
            var isOver = false
            try await device.run { a, b in
                var isThere = false
                for _ in 1...100 where !isThere {
                    try await Task.sleep(for: .milliseconds(10))
                    isThere = try await device.house.home(a).accessories.first?.isReachable == true
                }
                guard isThere else { return }
                // Refuse new connections, because a new connection would hide the end of the old one.
                device.house.dialer.listen(at: .test(1), nil)
                let call = await a.begin(.writeValues([ValueWrite(characteristic: device.on, value: .bool(true))]))
                #expect(try HomesReply(json: try await b.call(.homes)).homes.count == 1)
                let results = try [ValueResult](json: try await a.result(call))
                guard results.map(\.error?.code) == [.operationTimedOut] else { return }
                isOver = true
                try await eventually("the accessory is unreachable") {
                    b.live.contains(.reachabilityUpdated(device.accessory.id, false))
                }
            }
            if isOver { return }
        }
        Issue.record("no write timed out")
    }

    @Test("subscribes again after an accessory has refused a subscription")
    func refusesOnce() async throws {
        let refusals = Counter()
        let device = try Device { request in
            // The first request is the hub's own.
            request.method == .put && refusals.next() <= 2
                ? .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"status":-70407}]}"#, status: 207)) : nil
        }
        try await device.run { a, _ in
            try await device.isThere(a)
            #expect(try await a.observe(device.on)?.code == .accessoryOutOfResources)
            #expect(try await a.observe(device.on) == nil)
            #expect(try await device.house.home(a).characteristic(device.on)?.isNotificationEnabled == true)
        }
    }

    @Test("unsubscribes from an event that no app observes anymore", arguments: [false, true])
    func reportsNoMore(isClosed: Bool) async throws {
        let device = try Device()
        try await device.whenReachable { a, b in
            for app in [a, b] { #expect(try await app.observe(device.button) == nil) }
            func notified() -> [Bool] {
                device.server.requests.filter { $0.method == .put }
                    .flatMap { WriteRequest(parsing: $0.body)?.entries.compactMap(\.events) ?? [] }
            }
            #expect(!notified().contains(false))
            #expect(try await a.observe(device.button, false) == nil)
            if isClosed {
                await device.house.hub.close(b.session)
            } else {
                #expect(try await b.observe(device.button, false) == nil)
            }
            try await eventually("the hub turns the notification off") { notified().last == false }
        }
    }

    @Test("reports a refused subscription to every app that waits for it")
    func refusesToReportToTwo() async throws {
        let refusal = HTTPResponse.json(#"{"characteristics":[{"aid":1,"iid":12,"status":-70407}]}"#, status: 207)
        let isHeld = Mutex(true)
        let device = try Device { !$0.subscribesToButton ? nil : isHeld.withLock { $0 } ? .silence : .answer(refusal) }
        try await device.whenReachable { a, b in
            let request = HomeRequest.setNotification([device.button], isEnabled: true)
            let first = await a.begin(request)
            try await eventually("the accessory is asked") {
                device.server.requests.contains(where: \.subscribesToButton)
            }
            let second = await b.begin(request)
            try await device.house.drain(b)
            isHeld.withLock { $0 = false }
            device.answer(refusal)
            for (app, call) in [(a, first), (b, second)] {
                let results = try [ValueResult](json: try await app.result(call))
                #expect(results.map(\.error?.code) == [.accessoryOutOfResources])
            }
        }
    }

    @Test("writes nothing for a call that is canceled before the request is sent", arguments: [false, true])
    func cancelledBefore(isScene: Bool) async throws {
        let device = try Device { $0.path == "/accessories" ? .silence : nil }
        try await device.run { a, _ in
            try await eventually("the hub reads the database") { device.looks == 1 }
            let call = try await device.switchOn(a, isScene: isScene)
            try await device.house.drain(a)
            await device.house.hub.cancel(call)
            await expect(.operationCancelled) { try await a.result(call) }
            device.answer(.json(soundDatabase))
            try await device.isThere(a)
            #expect(try await a.readValues(device.on).count == 1)
            #expect(device.writes == 0)
        }
    }

    @Test("completes a call that is canceled after the request was sent", arguments: [false, true])
    func cancelledAfter(isScene: Bool) async throws {
        let device = try Device { $0.writesValue ? .silence : nil }
        try await device.whenReachable { a, b in
            let call = try await device.switchOn(a, isScene: isScene)
            try await eventually("the accessory receives the write") { device.writes == 1 }
            await device.house.hub.cancel(call)
            try await device.house.drain(a)
            device.answer(HTTPResponse(204))
            #expect(try [ValueResult](json: try await a.result(call)).map(\.value) == [.bool(true)])
            #expect(try await device.house.home(b).characteristic(device.on)?.value == .bool(true))
        }
    }

    @Test("treats an event during a write as newer than the written value")
    func eventDuringWrite() async throws {
        // The hub reads the value once after the event, because the event might be older than the write.
        let device = try Device { request in
            if request.query == "id=1.8" {
                return .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#))
            }
            return WriteRequest(parsing: request.body)?.entries.contains { $0.value != nil } == true ? .silence : nil
        }
        try await device.whenReachable { a, b in
            #expect(try await b.observe(device.on) == nil)
            let before = device.count(.put)
            let call = try await device.switchOn(a, isScene: false)
            try await eventually("the accessory receives the write") { device.count(.put) > before }
            b.forget()
            device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#)
            device.answer(HTTPResponse(204))
            _ = try await a.result(call)
            try await eventually("the event") { b.values.last == .bool(false) }
            #expect(try await device.house.home(a).characteristic(device.on)?.value == .bool(false))
        }
    }

    @Test("treats an event during a read as newer than the answer")
    func eventDuringRead() async throws {
        let isHeld = Mutex(false)
        let device = try Device { request in
            request.method == .get && isHeld.withLock { $0 } ? .silence : nil
        }
        try await device.whenReachable { a, b in
            #expect(try await b.observe(device.button) == nil)
            let before = device.count(.get)
            isHeld.withLock { $0 = true }
            let call = await a.begin(.readValues([device.on]))
            try await eventually("the accessory receives the read") { device.count(.get) > before }
            device.server.sendEvent(
                #"{"characteristics":[{"aid":1,"iid":8,"value":false},{"aid":1,"iid":12,"value":0}]}"#)
            try await eventually("the press of the same event") { b.values == [.integer(0)] }
            device.answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#))
            #expect(try [ValueResult](json: try await a.result(call)).map(\.value) == [.bool(false)])
            #expect(try await device.house.home(b).characteristic(device.on)?.value == .bool(false))
        }
    }

    @Test("uses the value from a write response")
    func writeResponse() async throws {
        let database = soundDatabase.replacing(#"["pr","pw","ev"]"#, with: #"["pr","pw","ev","wr"]"#)
        let device = try Device(database: database) { request in
            guard WriteRequest(parsing: request.body)?.entries.contains(where: \.wantsResponse) == true else {
                return nil
            }
            return .answer(
                .json(#"{"characteristics":[{"aid":1,"iid":8,"status":0,"value":false}]}"#, status: 207))
        }
        try await device.whenReachable { a, b in
            let results = try await a.writeValues(ValueWrite(characteristic: device.on, value: .bool(true)))
            #expect(results.map(\.value) == [.bool(false)])
            #expect(try await device.house.home(b).characteristic(device.on)?.value == .bool(false))
        }
    }

    @Test("sends the value of a canceled read to its initiator as an event")
    func cancelledRead() async throws {
        let isHeld = Mutex(false)
        let device = try Device { request in
            request.method == .get && isHeld.withLock { $0 } ? .silence : nil
        }
        try await device.whenReachable { a, _ in
            #expect(try await a.observe(device.on) == nil)
            let before = device.count(.get)
            isHeld.withLock { $0 = true }
            let call = await a.begin(.readValues([device.on]))
            try await eventually("the accessory receives the read") { device.count(.get) > before }
            await device.house.hub.cancel(call)
            await expect(.operationCancelled) { try await a.result(call) }
            device.answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#))
            try await eventually("the event") { a.values.last == .bool(false) }
        }
    }

    @Test("ignores the answer to a read that was sent before a write and answered after it", arguments: [false, true])
    func olderAnswer(isScene: Bool) async throws {
        let isHeld = Mutex(false)
        let isOn = Mutex(false)
        let device = try Device { request in
            guard request.method == .put else {
                let value = isOn.withLock { $0 }
                return request.path == "/accessories"
                    ? nil
                    : isHeld.withLock { $0 }
                        ? .silence : .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":\#(value)}]}"#))
            }
            let isWrite = WriteRequest(parsing: request.body)?.entries.contains { $0.value != nil } == true
            if isWrite { isOn.withLock { $0 = true } }
            return nil
        }
        try await device.whenReachable { a, b in
            #expect(try await b.observe(device.on) == nil)
            let reader = try await device.house.app()
            isHeld.withLock { $0 = true }
            let before = device.count(.get)
            let reading = await reader.begin(.readValues([device.on]))
            try await eventually("the accessory receives the read") { device.count(.get) > before }
            isHeld.withLock { $0 = false }
            let call = try await device.switchOn(a, isScene: isScene)
            try await eventually("the write waits") {
                await device.house.hub.turn { $0.calls.isEffective(call) }
            }
            device.answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#))
            _ = try await reader.result(reading)
            #expect(try [ValueResult](json: try await a.result(call)).map(\.value) == [.bool(true)])
            try await eventually("the event") { !b.values.isEmpty }
            try await device.house.drain(b)
            #expect(b.values == [.bool(true)])
            #expect(try await device.house.home(a).characteristic(device.on)?.value == .bool(true))
        }
    }

    @Test("limits the rate of structure changes and keeps receiving events")
    func restless() async throws {
        let device = try Device(databaseInterval: .seconds(3600), Self.renamed())
        try await device.run { a, _ in
            try await eventually("the accessory's first description") { try await device.description(a) == "Glow 1" }
            try await device.isThere(a)
            #expect(try await a.observe(device.on) == nil)
            let commits = device.house.store.commits
            for number: UInt16 in 2...4 {
                let subscriptions = device.count(.put)
                device.change(to: number)
                try await eventually("the hub reads the database") { device.looks == Int(number) }
                // The hub subscribes again after it has read the database.
                try await eventually("the hub subscribes again") { device.count(.put) > subscriptions }
            }
            device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#)
            try await eventually("the value") { a.values.last == .bool(true) }
            #expect(device.house.store.commits == commits)
            #expect(try await device.description(a) == "Glow 1")
        }
    }

    @Test("applies the latest of several structure changes")
    func restlessAtLast() async throws {
        let device = try Device(databaseInterval: .seconds(1), Self.renamed())
        try await device.run { a, _ in
            try await eventually("the accessory's first description") { try await device.description(a) == "Glow 1" }
            for number: UInt16 in 2...4 {
                device.change(to: number)
                try await eventually("the hub reads the database") { device.looks == Int(number) }
            }
            try await eventually("the accessory's last description") { try await device.description(a) == "Glow 4" }
        }
    }

    /// Renames the switch with each read of the database.
    private static func renamed() -> Device.Reaction {
        let looks = Counter()
        return { request in
            guard request.path == "/accessories" else { return nil }
            let name = #""description":"Glow \#(looks.next())","type":"25""#
            return .answer(.json(soundDatabase.replacing(#""type":"25""#, with: name)))
        }
    }

    @Test("blocks an accessory that repeatedly presents an unusable database")
    func unusable() async throws {
        let second = #"{"aid":2,"services":[{"iid":1,"type":"3E","characteristics":[]}]}"#
        let two = soundDatabase.replacing("]}]}]}", with: "]}]},\(second)]}")
        let device = try Device { $0.path == "/accessories" ? .answer(.json(two)) : nil }
        try await device.run { a, _ in
            func accessory() async throws -> Accessory? { try await device.house.home(a).accessories.first }
            // A connection that ends before the hub has the database doesn't count.
            for number: UInt16 in 2...20 {
                try await eventually("the database is read or the accessory is blocked") {
                    let isBlocked = try await accessory()?.isBlocked == true
                    return isBlocked || device.looks >= Int(number) - 1
                }
                if try await accessory()?.isBlocked == true { break }
                device.house.dialer.listen(at: .test(1), nil)
                device.server.connection?.end()
                try await eventually("the accessory is unreachable") { try await accessory()?.isReachable == false }
                device.change(to: number)
                device.server.listen(device.house.dialer, at: .test(1))
            }
            #expect(try await accessory()?.isBlocked == true)
        }
    }

    @Test("forwards authorization data, and returns the accessory's write status")
    func writes() async throws {
        let device = try Device { request in
            request.method == .put
                ? .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"status":-70411}]}"#, status: 207)) : nil
        }
        try await device.whenReachable { a, _ in
            let write = ValueWrite(characteristic: device.on, value: .bool(false), authorizationData: [1, 2, 255])
            #expect(try await a.writeValues(write).map(\.error?.code) == [.invalidOrMissingAuthorizationData])
            let request = try #require(device.server.requests.last { $0.method == .put })
            #expect(WriteRequest(parsing: request.body)?.entries.map(\.authorizationData) == [[1, 2, 255]])
            // A value that the accessory refused isn't applied.
            #expect(try await device.house.home(a).characteristic(device.on)?.value == .bool(true))
        }
    }

    @Test("uses a timed write where the accessory requires it")
    func timedWrite() async throws {
        let timed = soundDatabase.replacing(#"["pr","pw","ev"]"#, with: #"["pr","pw","ev","tw"]"#)
        let device = try Device { request in
            switch request.path {
            case "/accessories": .answer(.json(timed))
            case "/prepare": .answer(.json(#"{"status":0}"#))
            default: nil
            }
        }
        try await device.whenReachable { a, _ in
            let results = try await a.writeValues(ValueWrite(characteristic: device.on, value: .bool(true)))
            #expect(results.map(\.error) == [nil])
        }
        let writes = device.server.requests.filter { $0.method == .put && !$0.isSubscription }
        #expect(writes.map(\.path) == ["/prepare", "/characteristics"])
    }

    @Test("refuses to identify an accessory without the Identify characteristic")
    func identify() async throws {
        let device = try Device()
        try await device.whenReachable { a, _ in
            await expect(.operationNotSupported) { try await a.call(.identify(device.accessory.id)) }
            // The error is the same while the accessory is unreachable.
            device.house.dialer.listen(at: .test(1), nil)
            device.server.connection?.end()
            try await eventually("the accessory is unreachable") {
                try await device.house.home(a).accessories.first?.isReachable == false
            }
            await expect(.operationNotSupported) { try await a.call(.identify(device.accessory.id)) }
        }
        #expect(device.server.requests.allSatisfy { $0.method == .get || $0.isSubscription })
    }

    @Test("delivers each press of a button to observers, but doesn't store presses")
    func button() async throws {
        let device = try Device()
        try await device.whenReachable { a, b in
            #expect(try await a.observe(device.button) == nil)
            for number in 1...3 {
                device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":12,"value":0}]}"#)
                try await eventually("the press") { a.values.count == number }
            }
            #expect(a.values == Array(repeating: .integer(0), count: 3) && b.values == [])
        }
        #expect(device.house.store.noted.allSatisfy { $0[device.button] == nil })
    }

    @Test("blocks an accessory after repeated violations until it is unblocked")
    func blocking() async throws {
        let isSound = Mutex(false)
        let device = try Device(database: ConfiguredHouse.database) { request in
            request.path == "/accessories" && !isSound.withLock { $0 }
                ? .answer(.json(#"{"accessories":[]}"#)) : nil
        }
        try await device.run { a, b in
            try await eventually("the accessory is blocked") {
                try await device.house.home(a).accessories.first?.isBlocked == true
            }
            let id = device.accessory.id
            #expect(b.events.contains(.accessoryError(id, .accessoryIsBlocked)))
            #expect(try await a.readValues(device.on).map(\.error?.code) == [.accessoryIsBlocked])
            #expect(try await a.observe(device.on)?.code == .accessoryIsBlocked)
            await expect(.accessoryIsBlocked) { try await a.call(.identify(id)) }
            let dialed = device.house.dialer.dialed.count
            isSound.withLock { $0 = true }
            // A link that retries would dial within this time.
            try await Task.sleep(for: .milliseconds(200))
            #expect(device.house.dialer.dialed.count == dialed)
            try await a.write(.unblockAccessory(device.accessory.home, id))
            try await device.isThere(a)
            #expect(try await a.readValues(device.on).first?.value == .bool(true))
        }
    }

    @Test("doesn't connect to an accessory that is removed while it is unblocked")
    func removedWhileUnblocked() async throws {
        let device = try Device(withoutAccessories)
        try await device.run { a, _ in
            let (home, id) = (device.accessory.home, device.accessory.id)
            try await eventually("the accessory is blocked") {
                try await device.house.home(a).accessories.first?.isBlocked == true
            }
            let looks = device.looks
            device.slowVault.close()
            try await a.write(.unblockAccessory(home, id))
            try await eventually("the hub reads the pairing") { device.slowVault.isAsked }
            let removal = await a.begin(.write(.removeAccessory(home, id)))
            try await eventually("the accessory is removed") { try await device.house.home(a).accessories.isEmpty }
            device.slowVault.open()
            _ = try await a.result(removal)
            // An open link would read the database within this time.
            try await Task.sleep(for: .milliseconds(200))
            #expect(device.looks == looks)
        }
    }

    @Test("treats a connection that closes during the removal of a pairing as success")
    func removedWithoutAnswer() async throws {
        let device = try Device { $0.path == "/pairings" ? .unpairAndHangUp : nil }
        try await device.run { a, _ in
            try await device.isThere(a)
            #expect(try await a.write(.removeAccessory(device.accessory.home, device.accessory.id)).stale == [])
            #expect(device.slowVault.vault.pairings().isEmpty)
        }
        #expect(device.server.requests.count { $0.path == "/pairings" } == 1)
    }

    @Test("offers a removed accessory while mDNS still shows it as paired")
    func removedWithAnOldRecord() async throws {
        let device = try Device { $0.path == "/pairings" ? .unpairAndHangUp : nil }
        try await device.whenReachable { a, _ in
            let id = device.accessory.deviceID
            try await a.call(.startBrowsing)
            #expect(a.found == [])
            #expect(try await a.write(.removeAccessory(device.accessory.home, device.accessory.id)).stale == [])
            #expect(AccessoryServerBrowser(device.house.network).snapshot[id]?.isPaired == true)
            try await eventually("the accessory is found") { a.found == [id] }
            // Avahi may report the old record again after the new one.
            device.house.show(id, at: .test(1), isPaired: false)
            let other = try #require(DeviceID("02:00:00:00:00:99"))
            device.house.show(other, at: .test(2), isPaired: false)
            try await eventually("the hub has seen both") { a.found == [id, other] }
            device.house.show(id, at: .test(1), isPaired: true)
            let third = try #require(DeviceID("02:00:00:00:00:98"))
            device.house.show(third, at: .test(3), isPaired: false)
            try await eventually("the hub has seen all") { a.found == [id, other, third] }
            #expect(a.lost == [])
        }
    }

    @Test("unpairs an accessory that is removed while it is blocked")
    func removedWhileBlocked() async throws {
        let device = try Device(withoutAccessories)
        try await device.run { a, _ in
            let (home, id) = (device.accessory.home, device.accessory.id)
            try await eventually("the accessory is blocked") {
                try await device.house.home(a).accessories.first?.isBlocked == true
            }
            #expect(try await a.write(.removeAccessory(home, id)).stale == [])
            #expect(device.slowVault.vault.pairings().isEmpty)
        }
        #expect(device.server.requests.contains { $0.path == "/pairings" })
    }
}
