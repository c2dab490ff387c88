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

/// Counts from 1.
final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

/// Consists of nothing, which no app can use, and ends its pairing.
private let withoutAccessories: Device.Reaction = { request in
    switch request.path {
    case "/accessories": .answer(.json(#"{"accessories":[]}"#))
    case "/pairings": .answer(HTTPResponse(200, .pairingTLV8, body: [6, 1, 2]))
    default: nil
    }
}

@Suite("The hub and accessories that are not as they should be", .timeout)
struct HubHostileTests {
    @Test("An accessory that never answers costs its own requests only, and not for ever")
    func silence() async throws {
        // Where the machine has no time for us, what is answered comes too late as well: then it is given more.
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
                // Its connection stands; a new one would be there before anybody has noticed that this one ended.
                device.house.dialer.listen(at: .test(1), nil)
                let call = await a.begin(.writeValues([ValueWrite(characteristic: device.on, value: .bool(true))]))
                #expect(try HomesReply(json: try await b.call(.homes)).homes.count == 1)
                let results = try [ValueResult](json: try await a.result(call))
                guard results.map(\.error?.code) == [.operationTimedOut] else { return }
                isOver = true
                try await eventually("it is away") { b.live.contains(.reachabilityUpdated(device.accessory.id, false)) }
            }
            if isOver { return }
        }
        Issue.record("no write was given up for its time")
    }

    @Test("What an accessory will not report is not observed, and the app is told why")
    func refusesToReport() async throws {
        let device = try Device { request in
            request.method == .put
                ? .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"status":-70407}]}"#, status: 207)) : nil
        }
        try await device.run { a, b in
            try await device.isThere(a)
            #expect(try await a.observe(device.on)?.code == .accessoryOutOfResources)
            #expect(try await device.house.home(a).characteristic(device.on)?.isNotificationEnabled == false)
            // Asked again, it is asked again.
            #expect(try await b.observe(device.on)?.code == .accessoryOutOfResources)
        }
    }

    @Test("What an accessory refused to report once, and reports when it is asked again, is observed")
    func refusesOnce() async throws {
        let refusals = Counter()
        let device = try Device { request in
            // The first is the hub's own.
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

    @Test(
        "What no app observes any more and is no state an accessory is asked to report no more",
        arguments: [false, true])
    func reportsNoMore(isClosed: Bool) async throws {
        let device = try Device()
        try await device.run { a, b in
            try await device.isThere(a)
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
            try await eventually("it is told") { notified().last == false }
        }
    }

    @Test("Who wants to be notified while an accessory is being asked to report is told, too, that it does not")
    func refusesToReportToTwo() async throws {
        let refusal = HTTPResponse.json(#"{"characteristics":[{"aid":1,"iid":12,"status":-70407}]}"#, status: 207)
        let isHeld = Mutex(true)
        let device = try Device { !$0.subscribesToButton ? nil : isHeld.withLock { $0 } ? .silence : .answer(refusal) }
        try await device.run { a, b in
            try await device.isThere(a)
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

    @Test("Who gives up before an accessory is asked has done nothing", arguments: [false, true])
    func cancelledBefore(isScene: Bool) async throws {
        let device = try Device { $0.path == "/accessories" ? .silence : nil }
        try await device.run { a, _ in
            try await eventually("it is looked at") { device.looks == 1 }
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

    @Test("Who gives up once an accessory is asked is told what came of it", arguments: [false, true])
    func cancelledAfter(isScene: Bool) async throws {
        let device = try Device { $0.writesValue ? .silence : nil }
        try await device.run { a, b in
            try await device.isThere(a)
            let call = try await device.switchOn(a, isScene: isScene)
            try await eventually("it is asked") { device.writes == 1 }
            await device.house.hub.cancel(call)
            try await device.house.drain(a)
            device.answer(HTTPResponse(204))
            #expect(try [ValueResult](json: try await a.result(call)).map(\.value) == [.bool(true)])
            #expect(try await device.house.home(b).characteristic(device.on)?.value == .bool(true))
        }
    }

    @Test("What an accessory tells while it is written to is newer than what is written")
    func eventDuringWrite() async throws {
        // The hub reads the value once after the event, because that might be older than the write.
        let device = try Device { request in
            if request.query == "id=1.8" {
                return .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#))
            }
            return WriteRequest(parsing: request.body)?.entries.contains { $0.value != nil } == true ? .silence : nil
        }
        try await device.run { a, b in
            try await device.isThere(a)
            #expect(try await b.observe(device.on) == nil)
            let before = device.count(.put)
            let call = try await device.switchOn(a, isScene: false)
            try await eventually("it is asked") { device.count(.put) > before }
            b.forget()
            device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#)
            device.answer(HTTPResponse(204))
            _ = try await a.result(call)
            try await eventually("the event") { b.values.last == .bool(false) }
            #expect(try await device.house.home(a).characteristic(device.on)?.value == .bool(false))
        }
    }

    @Test("What an accessory tells while it is read is newer than what it answers, and is what the reader gets")
    func eventDuringRead() async throws {
        let isHeld = Mutex(false)
        let device = try Device { request in
            request.method == .get && isHeld.withLock { $0 } ? .silence : nil
        }
        try await device.run { a, b in
            try await device.isThere(a)
            #expect(try await b.observe(device.button) == nil)
            let before = device.count(.get)
            isHeld.withLock { $0 = true }
            let call = await a.begin(.readValues([device.on]))
            try await eventually("it is asked") { device.count(.get) > before }
            device.server.sendEvent(
                #"{"characteristics":[{"aid":1,"iid":8,"value":false},{"aid":1,"iid":12,"value":0}]}"#)
            try await eventually("the press of the same event") { b.values == [.integer(0)] }
            device.answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#))
            #expect(try [ValueResult](json: try await a.result(call)).map(\.value) == [.bool(false)])
            #expect(try await device.house.home(b).characteristic(device.on)?.value == .bool(false))
        }
    }

    @Test("What an accessory has made of a written value is what its writer and the home have of it")
    func writeResponse() async throws {
        let database = soundDatabase.replacing(#"["pr","pw","ev"]"#, with: #"["pr","pw","ev","wr"]"#)
        let device = try Device(database: database) { request in
            guard WriteRequest(parsing: request.body)?.entries.contains(where: \.wantsResponse) == true else {
                return nil
            }
            return .answer(
                .json(#"{"characteristics":[{"aid":1,"iid":8,"status":0,"value":false}]}"#, status: 207))
        }
        try await device.run { a, b in
            try await device.isThere(a)
            let results = try await a.writeValues(ValueWrite(characteristic: device.on, value: .bool(true)))
            #expect(results.map(\.value) == [.bool(false)])
            #expect(try await device.house.home(b).characteristic(device.on)?.value == .bool(false))
        }
    }

    @Test("Who gave up a read is notified of what it found as everybody else is")
    func cancelledRead() async throws {
        let isHeld = Mutex(false)
        let device = try Device { request in
            request.method == .get && isHeld.withLock { $0 } ? .silence : nil
        }
        try await device.run { a, _ in
            try await device.isThere(a)
            #expect(try await a.observe(device.on) == nil)
            let before = device.count(.get)
            isHeld.withLock { $0 = true }
            let call = await a.begin(.readValues([device.on]))
            try await eventually("it is asked") { device.count(.get) > before }
            await device.house.hub.cancel(call)
            await expect(.operationCancelled) { try await a.result(call) }
            device.answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#))
            try await eventually("the event") { a.values.last == .bool(false) }
        }
    }

    @Test(
        "What was asked before something is written, and is answered later, is not taken for what is",
        arguments: [false, true])
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
        try await device.run { a, b in
            try await device.isThere(a)
            #expect(try await b.observe(device.on) == nil)
            let reader = try await device.house.app()
            isHeld.withLock { $0 = true }
            let before = device.count(.get)
            let reading = await reader.begin(.readValues([device.on]))
            try await eventually("it is read") { device.count(.get) > before }
            isHeld.withLock { $0 = false }
            let call = try await device.switchOn(a, isScene: isScene)
            try await eventually("the write waits behind it") {
                await device.house.hub.turn { $0.sessions.isEffective(call) }
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

    @Test("However often an accessory becomes another, the home does so at times only")
    func restless() async throws {
        let device = try Device(databaseInterval: .seconds(3600), Self.renamed())
        try await device.run { a, _ in
            try await eventually("its first name") { try await device.description(a) == "Glow 1" }
            try await device.isThere(a)
            #expect(try await a.observe(device.on) == nil)
            let commits = device.house.store.commits
            for number: UInt16 in 2...4 {
                let subscriptions = device.count(.put)
                device.change(to: number)
                try await eventually("it is looked at") { device.looks == Int(number) }
                // What it tells is asked for anew once it is known what it consists of.
                try await eventually("it is asked to report again") { device.count(.put) > subscriptions }
            }
            device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#)
            try await eventually("its value") { a.values.last == .bool(true) }
            #expect(device.house.store.commits == commits)
            #expect(try await device.description(a) == "Glow 1")
        }
    }

    @Test("What an accessory became last is what the home takes over")
    func restlessAtLast() async throws {
        let device = try Device(databaseInterval: .seconds(1), Self.renamed())
        try await device.run { a, _ in
            try await eventually("its first name") { try await device.description(a) == "Glow 1" }
            for number: UInt16 in 2...4 {
                device.change(to: number)
                try await eventually("it is looked at") { device.looks == Int(number) }
            }
            try await eventually("its last name") { try await device.description(a) == "Glow 4" }
        }
    }

    /// Calls its switch otherwise whenever it is asked.
    private static func renamed() -> Device.Reaction {
        let looks = Counter()
        return { request in
            guard request.path == "/accessories" else { return nil }
            let name = #""description":"Glow \#(looks.next())","type":"25""#
            return .answer(.json(soundDatabase.replacing(#""type":"25""#, with: name)))
        }
    }

    @Test("An accessory that shows again and again what no home can take is left alone, also if it comes and goes")
    func unusable() async throws {
        let second = #"{"aid":2,"services":[{"iid":1,"type":"3E","characteristics":[]}]}"#
        let two = soundDatabase.replacing("]}]}]}", with: "]}]},\(second)]}")
        let device = try Device { $0.path == "/accessories" ? .answer(.json(two)) : nil }
        try await device.run { a, _ in
            for number: UInt16 in 2...3 {
                try await device.isThere(a)
                device.house.dialer.listen(at: .test(1), nil)
                device.server.connection?.end()
                try await eventually("it is away") {
                    try await device.house.home(a).accessories.first?.isReachable == false
                }
                device.change(to: number)
                device.server.listen(device.house.dialer, at: .test(1))
            }
            try await eventually("it is blocked") {
                try await device.house.home(a).accessories.first?.isBlocked == true
            }
        }
    }

    @Test("What an accessory says of a write is what the app is told, and what goes with the write reaches it")
    func writes() async throws {
        let device = try Device { request in
            request.method == .put
                ? .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"status":-70411}]}"#, status: 207)) : nil
        }
        try await device.run { a, _ in
            try await device.isThere(a)
            let write = ValueWrite(characteristic: device.on, value: .bool(false), authorizationData: [1, 2, 255])
            #expect(try await a.writeValues(write).map(\.error?.code) == [.invalidOrMissingAuthorizationData])
            let request = try #require(device.server.requests.last { $0.method == .put })
            #expect(WriteRequest(parsing: request.body)?.entries.map(\.authorizationData) == [[1, 2, 255]])
            // What was refused is not taken for what is.
            #expect(try await device.house.home(a).characteristic(device.on)?.value == .bool(true))
        }
    }

    @Test("What an accessory calls its own things is what the home calls them from then on")
    func descriptions() async throws {
        let described = soundDatabase.replacing(#""type":"25""#, with: #""description":"Night Glow","type":"25""#)
        let device = try Device { request in
            request.path == "/accessories" ? .answer(.json(described)) : nil
        }
        try await device.run { a, _ in
            try await eventually("it is told") {
                try await device.house.home(a).characteristic(device.on)?.manufacturerDescription == "Night Glow"
            }
            #expect(
                device.house.store.stored.graph.characteristic(device.on)?.manufacturerDescription == "Night Glow")
        }
    }

    @Test("What takes timed writes only is written so, whatever the app knows of it")
    func timedWrite() async throws {
        let timed = soundDatabase.replacing(#"["pr","pw","ev"]"#, with: #"["pr","pw","ev","tw"]"#)
        let device = try Device { request in
            switch request.path {
            case "/accessories": .answer(.json(timed))
            case "/prepare": .answer(.json(#"{"status":0}"#))
            default: nil
            }
        }
        try await device.run { a, _ in
            try await device.isThere(a)
            let results = try await a.writeValues(ValueWrite(characteristic: device.on, value: .bool(true)))
            #expect(results.map(\.error) == [nil])
        }
        let writes = device.server.requests.filter { $0.method == .put && !$0.isSubscription }
        #expect(writes.map(\.path) == ["/prepare", "/characteristics"])
    }

    @Test("An accessory that cannot make itself noticed is not asked to")
    func identify() async throws {
        let device = try Device()
        try await device.run { a, _ in
            try await device.isThere(a)
            await expect(.operationNotSupported) { try await a.call(.identify(device.accessory.id)) }
            // Nor would it be if it were there.
            device.house.dialer.listen(at: .test(1), nil)
            device.server.connection?.end()
            try await eventually("it is away") {
                try await device.house.home(a).accessories.first?.isReachable == false
            }
            await expect(.operationNotSupported) { try await a.call(.identify(device.accessory.id)) }
        }
        #expect(device.server.requests.allSatisfy { $0.method == .get || $0.isSubscription })
    }

    @Test("Each press of a button is told to who observes it, and is no value to keep")
    func button() async throws {
        let device = try Device()
        try await device.run { a, b in
            try await device.isThere(a)
            #expect(try await a.observe(device.button) == nil)
            for number in 1...3 {
                device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":12,"value":0}]}"#)
                try await eventually("the press") { a.values.count == number }
            }
            #expect(a.values == Array(repeating: .integer(0), count: 3) && b.values == [])
        }
        #expect(device.house.store.noted.allSatisfy { $0[device.button] == nil })
    }

    @Test("An accessory that breaks the rules again and again is left alone until somebody unblocks it")
    func blocking() async throws {
        let isSound = Mutex(false)
        let device = try Device(database: ConfiguredHouse.database) { request in
            request.path == "/accessories" && !isSound.withLock { $0 }
                ? .answer(.json(#"{"accessories":[]}"#)) : nil
        }
        try await device.run { a, b in
            try await eventually("it is blocked") {
                try await device.house.home(a).accessories.first?.isBlocked == true
            }
            let id = device.accessory.id
            #expect(b.events.contains(.accessoryError(id, .accessoryIsBlocked)))
            #expect(try await a.readValues(device.on).map(\.error?.code) == [.accessoryIsBlocked])
            #expect(try await a.observe(device.on)?.code == .accessoryIsBlocked)
            await expect(.accessoryIsBlocked) { try await a.call(.identify(id)) }
            let dialed = device.house.dialer.dialed.count
            isSound.withLock { $0 = true }
            // That nothing happens cannot be awaited: a link that tried again would have dialed by then.
            try await Task.sleep(for: .milliseconds(200))
            #expect(device.house.dialer.dialed.count == dialed)
            try await a.write(.unblockAccessory(device.accessory.home, id))
            try await device.isThere(a)
            #expect(try await a.readValues(device.on).first?.value == .bool(true))
        }
    }

    @Test("An accessory that is removed while it is unblocked is not connected to any more")
    func removedWhileUnblocked() async throws {
        let device = try Device(withoutAccessories)
        try await device.run { a, _ in
            let (home, id) = (device.accessory.home, device.accessory.id)
            try await eventually("it is blocked") {
                try await device.house.home(a).accessories.first?.isBlocked == true
            }
            let looks = device.looks
            device.slowVault.close()
            try await a.write(.unblockAccessory(home, id))
            try await eventually("its pairing is read") { device.slowVault.isAsked }
            let removal = await a.begin(.write(.removeAccessory(home, id)))
            try await eventually("it is gone") { try await device.house.home(a).accessories.isEmpty }
            device.slowVault.open()
            _ = try await a.result(removal)
            // Before it could be connected to, the hub has come to this.
            try await Task.sleep(for: .milliseconds(200))
            #expect(device.looks == looks)
        }
    }

    @Test("An accessory that removes the pairing and closes the connection without an answer needs no reset")
    func removedWithoutAnswer() async throws {
        let device = try Device { $0.path == "/pairings" ? .unpairAndHangUp : nil }
        try await device.run { a, _ in
            try await device.isThere(a)
            #expect(try await a.write(.removeAccessory(device.accessory.home, device.accessory.id)).stale == [])
            #expect(device.slowVault.vault.pairings().isEmpty)
        }
        #expect(device.server.requests.count { $0.path == "/pairings" } == 1)
    }

    @Test("An accessory that was removed is free, also while mDNS shows it as it was before")
    func removedWithAnOldRecord() async throws {
        let device = try Device { $0.path == "/pairings" ? .unpairAndHangUp : nil }
        try await device.run { a, _ in
            try await device.isThere(a)
            let id = device.accessory.deviceID
            try await a.call(.startBrowsing)
            #expect(a.found == [])
            #expect(try await a.write(.removeAccessory(device.accessory.home, device.accessory.id)).stale == [])
            #expect(AccessoryBrowser(device.house.network).snapshot[id]?.isPaired == true)
            try await eventually("it is found") { a.found == [id] }
            // Avahi may say the old one again after the new one.
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

    @Test("An accessory that was blocked for what it consists of is told all the same that it is removed")
    func removedWhileBlocked() async throws {
        let device = try Device(withoutAccessories)
        try await device.run { a, _ in
            let (home, id) = (device.accessory.home, device.accessory.id)
            try await eventually("it is blocked") {
                try await device.house.home(a).accessories.first?.isBlocked == true
            }
            #expect(try await a.write(.removeAccessory(home, id)).stale == [])
            #expect(device.slowVault.vault.pairings().isEmpty)
        }
        #expect(device.server.requests.contains { $0.path == "/pairings" })
    }
}
