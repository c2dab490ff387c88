import HAPModel
import HAPProtocol
import Testing

@testable import HAPController

private let start = ContinuousClock.now

@Suite("ReconnectPolicy")
struct ReconnectPolicyTests {
    @Test("increases pauses by 50 % each time, from half a second to a minute")
    func growth() {
        var policy = ReconnectPolicy()
        var pauses: [Duration] = []
        for _ in 0..<100 { pauses.append(policy.ended(isRefused: false, share: 1, now: start) - start) }
        #expect(
            pauses.prefix(5) == [
                .milliseconds(500), .milliseconds(750), .milliseconds(1125),
                .microseconds(1_687_500), .microseconds(2_531_250),
            ])
        #expect(pauses.last == .seconds(60))
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("shortens a pause by a quarter at most", arguments: [(0, 375), (0.5, 437.5), (1, 500), (-7, 375), (9, 500)])
    func share(_ share: Double, _ milliseconds: Double) {
        var policy = ReconnectPolicy()
        #expect(policy.ended(isRefused: false, share: share, now: start) == start + .milliseconds(milliseconds))
    }

    @Test(
        "resets the number of failures after a session of half a minute",
        arguments: [(29, 1125), (30, 500), (3600, 500)])
    func proof(_ seconds: Int, _ milliseconds: Int) {
        var policy = ReconnectPolicy()
        for _ in 0..<2 { _ = policy.ended(isRefused: false, share: 1, now: start) }
        policy.connected(now: start)
        let end = start + .seconds(seconds)
        #expect(policy.ended(isRefused: false, share: 1, now: end) == end + .milliseconds(milliseconds))
    }

    @Test("waits five minutes after the accessory refuses the pairing")
    func refused() {
        var policy = ReconnectPolicy()
        #expect(policy.ended(isRefused: true, share: 0, now: start) == start + .seconds(300))
    }

    @Test("shortens the pause for a new address, but not below the shortest pause")
    func appeared() {
        var policy = ReconnectPolicy()
        #expect(policy.appeared(next: start) == start)
        let next = policy.ended(isRefused: true, share: 1, now: start)
        #expect(policy.appeared(next: next) == start + .milliseconds(500))
        #expect(policy.appeared(next: start + .milliseconds(375)) == start + .milliseconds(375))
    }
}

@Suite("PushWatch")
struct PushWatchTests {
    private let made = PushWatch(quiet: .seconds(60), poll: .seconds(10), now: start)

    @Test("checks values a minute after the last event as long as no event is missed")
    func quiet() {
        var watch = made
        #expect(watch.dueAt == start + .seconds(60))
        watch.eventCame(now: start + .seconds(5))
        #expect(watch.dueAt == start + .seconds(65))
        watch.looked(hasMissedEvents: false, now: start + .seconds(65))
        #expect(watch.dueAt == start + .seconds(125))
        #expect(!watch.isPolling)
    }

    @Test("checks values every ten seconds after a missed event")
    func polling() {
        var watch = made
        watch.looked(hasMissedEvents: true, now: start)
        #expect(watch.isPolling)
        watch.looked(hasMissedEvents: false, now: start + .seconds(10))
        #expect(watch.isPolling)
        #expect(watch.dueAt == start + .seconds(20))
    }

    @Test("stops polling after an event or on a new connection")
    func back() {
        var watch = made
        watch.looked(hasMissedEvents: true, now: start)
        watch.eventCame(now: start)
        #expect(!watch.isPolling)
        watch.looked(hasMissedEvents: true, now: start)
        watch.connected(now: start)
        #expect(!watch.isPolling)
        #expect(watch.dueAt == start + .seconds(60))
    }

    @Test("reads all values shortly after dropped events, unless the session ends")
    func dropped() {
        var watch = made
        let due = start + EventBudget.noticeInterval
        #expect(watch.begin(now: start) == .events)
        #expect(watch.dropped(now: start) == true)
        #expect(watch.dropped(now: due) == false)
        #expect(watch.dueAt == due)
        var ended = watch
        ended.sessionEnded()
        #expect(ended == made)
        #expect(watch.begin(now: start) == .liveness)
        #expect(watch.begin(now: due) == .everything)
        #expect(watch.begin(now: due) == .events)
    }

    @Test("reads 50 values at a time, or all values while events are being lost or after events were dropped")
    func batches() {
        var watch = made
        let ids = (1...120).map { CharacteristicID(AccessoryID(1), InstanceID($0)) }
        let batches = (1...4).map { _ in watch.batch(of: ids, for: .events) }
        #expect(batches == [Array(ids[..<50]), Array(ids[50..<100]), Array(ids[100...]), Array(ids[..<50])])
        #expect(watch.batch(of: ids, for: .everything) == ids)
        watch.looked(hasMissedEvents: true, now: start)
        #expect(watch.batch(of: ids, for: .liveness) == ids)
    }
}

@Suite("PendingUpdates")
struct PendingUpdatesTests {
    private let a = CharacteristicID(AccessoryID(2), InstanceID(9))
    private let b = CharacteristicID(AccessoryID(2), InstanceID(10))

    @Test("keeps the newest value of each characteristic and the last state")
    func folded() {
        var pending = PendingUpdates()
        pending.add(.state(.connecting))
        pending.add(.values([a: .success(.bool(true)), b: .failure(.timedOut)]))
        pending.add(.state(.connected))
        pending.add(.values([a: .success(.bool(false))]))
        #expect(
            pending.take() == [
                .values([a: .success(.bool(false)), b: .failure(.timedOut)]), .state(.connected),
            ])
        #expect(pending.take() == nil)
    }

    @Test("drops values older than a database, and returns the database before newer values")
    func database() throws {
        let database = try AccessoryDatabase(
            parsing: Array(#"{"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[]}]}]}"#.utf8)
        )
        var pending = PendingUpdates()
        pending.add(.values([a: .success(.bool(true))]))
        pending.add(.database(database, configurationNumber: 3))
        pending.add(.values([b: .success(.bool(true))]))
        #expect(
            pending.take() == [
                .database(database, configurationNumber: 3), .values([b: .success(.bool(true))]),
            ])
    }

    @Test("keeps the last 64 button presses")
    func occurrences() throws {
        var pending = PendingUpdates()
        for number in 0..<100 { pending.add(.occurrence(a, .integer(Int64(number)))) }
        let updates = pending.take()
        let taken = try #require(updates)
        #expect(taken.count == 64)
        #expect(taken.first == .occurrence(a, .integer(36)))
        #expect(taken.last == .occurrence(a, .integer(99)))
    }
}

@Suite("ExchangeQueue")
struct ExchangeQueueTests {
    private func get(_ path: String) -> HTTPRequest { HTTPRequest(.get, path) }

    @Test("sends one request at a time, and keeps related requests together")
    func order() {
        var queue = ExchangeQueue<Int>()
        _ = queue.add([get("/a"), get("/b")], as: 1)
        _ = queue.add([get("/c")], as: 2)
        let actions = [
            queue.next(), queue.next(), queue.received(HTTPResponse(200)), queue.received(HTTPResponse(204)),
            queue.next(),
        ]
        #expect(actions.map(\.text) == ["send /a", "wait", "send /b", "finish 1 200 204", "send /c"])
        #expect(queue.current == 2)
    }

    @Test("drops the remaining requests of an exchange after a failed one", arguments: [400, 470, 500])
    func failure(_ status: Int) {
        var queue = ExchangeQueue<Int>()
        _ = queue.add([get("/prepare"), get("/b")], as: 1)
        _ = queue.next()
        let action = queue.received(HTTPResponse(status))
        #expect(action.text == "finish 1 \(status)")
    }

    @Test("drops the unsent requests of a canceled caller, and waits for responses to the sent ones")
    func canceled() {
        var queue = ExchangeQueue<Int>()
        _ = queue.add([get("/prepare"), get("/b")], as: 1)
        _ = queue.add([get("/c")], as: 2)
        _ = queue.add([get("/d")], as: 3)
        _ = queue.next()
        for token in [1, 2, 9] { queue.cancel(token) }
        let actions = [queue.next(), queue.received(HTTPResponse(204)), queue.next()]
        #expect(actions.map(\.text) == ["wait", "finish 1 204", "send /d"])
    }

    @Test("rejects a response without a request, and too many requests")
    func limits() {
        var queue = ExchangeQueue<Int>()
        let unasked = queue.received(HTTPResponse(200))
        #expect(unasked.text == "refuse")
        let all = (0..<ExchangeQueue<Int>.capacity).map { queue.add([get("/a")], as: $0) }
        #expect(!all.contains(false))
        let isTaken = queue.add([get("/a")], as: -1)
        #expect(!isTaken)
        let left = queue.removeAll()
        #expect(left == Array(0..<ExchangeQueue<Int>.capacity))
    }
}

extension ExchangeQueue<Int>.Action {
    fileprivate var text: String {
        switch self {
        case .wait: "wait"
        case .send(let request): "send \(request.path)"
        case .finish(let token, let responses):
            (["finish", "\(token)"] + responses.map { "\($0.status)" }).joined(separator: " ")
        case .refuse: "refuse"
        }
    }
}
