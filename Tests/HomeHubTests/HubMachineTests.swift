import Discovery
import HAPController
import HAPModel
import HAPProtocol
import HAPTesting
import HomeModel
import Testing

@testable import HomeHub

private func place(_ aid: UInt64, _ iid: UInt64) -> CharacteristicID {
    CharacteristicID(AccessoryID(aid), InstanceID(iid))
}

@Suite("The tracking of searches") struct SearchesTests {
    private func accessory(_ number: Int) -> DiscoveredAccessory {
        DiscoveredAccessory(id: TestDevices.id(number), name: "\(number)", category: .other, model: "")
    }

    private func found(_ session: UInt64, _ number: Int) -> Searches.Event {
        .init(session: SessionID(session), notification: .accessoryFound(accessory(number)))
    }

    private func lost(_ session: UInt64, _ number: Int) -> Searches.Event {
        .init(session: SessionID(session), notification: .accessoryLost(TestDevices.id(number)))
    }

    @Test("notifies each session of each accessory once, from start to stop")
    func transcript() {
        var searches = Searches()
        #expect(searches.see([accessory(1)]) == [])
        #expect(searches.start(SessionID(1)) == [found(1, 1)])
        #expect(searches.see([accessory(1), accessory(2)]) == [found(1, 2)])
        #expect(searches.start(SessionID(2)) == [found(2, 1), found(2, 2)])
        #expect(searches.see([accessory(2)]) == [lost(1, 1), lost(2, 1)])
        #expect(searches.start(SessionID(1)) == [found(1, 2)])
        searches.stop(SessionID(1))
        #expect(searches.see([]) == [lost(2, 2)])
        #expect(searches.see([accessory(2)]) == [found(2, 2)])
        searches.stop(SessionID(2))
        #expect(searches.see([accessory(3)]) == [])
    }
}

@Suite("The tracking of requests in progress") struct RequestsUnderWayTests {
    @Test("holds the events of a characteristic until all its requests are answered")
    func transcript() {
        var requests = RequestsUnderWay()
        let (a, b) = (place(1, 1), place(1, 2))
        #expect(requests.received([a: .success(.bool(true))]) == [a: .success(.bool(true))])
        requests.begin([a])
        requests.begin([a])
        #expect(
            requests.received([a: .success(.bool(true)), b: .success(.bool(true))]) == [b: .success(.bool(true))])
        #expect(requests.received([a: .success(.bool(false))]) == [:])
        #expect(requests.end([a]) == [a: .success(.bool(false))])
        #expect(requests.received([a: .success(.bool(true))]) == [:])
        #expect(requests.end([a]) == [a: .success(.bool(true))])
        #expect(requests == RequestsUnderWay())
        #expect(requests.end([a]) == [:])
    }
}

@Suite("The reachability of bridged accessories") struct BridgedReachabilityTests {
    @Test(
        "treats a bridged accessory as unreachable after a communication failure, otherwise as reachable after a success",
        arguments: [
            ([:], [:]), ([place(2, 8): .success], [2: true]), ([place(2, 8): .unableToCommunicate], [2: false]),
            ([place(2, 8): .unableToCommunicate, place(2, 9): .success], [2: false]),
            ([place(2, 8): .busy], [:]), ([place(2, 1): .success], [:]),
            ([place(2, 8): .success, place(3, 8): .unableToCommunicate], [2: true, 3: false]),
        ] as [([CharacteristicID: HAPStatus], [UInt64: Bool])])
    func rows(statuses: [CharacteristicID: HAPStatus], reachable: [UInt64: Bool]) {
        let received = BridgedReachability.read(from: statuses) { $0.iid == InstanceID(1) }
        #expect(received == Dictionary(uniqueKeysWithValues: reachable.map { (AccessoryID($0), $1) }))
    }

    @Test("derives the same reachability from statuses in any order")
    func order() {
        // A dictionary orders its keys by their hashes, so many keys cover many orders.
        for iid: UInt64 in 8..<40 {
            let statuses = [place(2, iid): HAPStatus.unableToCommunicate, place(2, iid + 100): .success]
            #expect(BridgedReachability.read(from: statuses) { _ in false } == [AccessoryID(2): false])
        }
    }
}

@Suite("The search for an accessory to add") struct SetupTargetTests {
    private func snapshot(_ shown: (Int, isPaired: Bool, hash: String?)..., isComplete: Bool = true) throws
        -> AccessorySnapshot
    {
        let house = try HouseUnderTest()
        for accessory in shown {
            house.show(
                TestDevices.id(accessory.0), at: .test(1), isPaired: accessory.isPaired, setupHash: accessory.hash)
        }
        var snapshot = AccessorySnapshot(house.network.snapshot)
        snapshot.isComplete = isComplete
        return snapshot
    }

    private func look(
        _ target: SetupTarget, _ snapshot: AccessorySnapshot, paired: Set<DeviceID> = [], isLast: Bool = false
    ) -> String {
        switch isLast ? target.lastLook(at: snapshot, paired: paired) : target.look(at: snapshot, paired: paired) {
        case .found(let accessory): "\(accessory.id.octets[5])"
        case .missing: "missing"
        case .ambiguous: "ambiguous"
        case .paired: "paired"
        case .foreign(let accessories): "foreign \(accessories.count)"
        }
    }

    @Test("finds the chosen accessory if it is unpaired")
    func chosen() throws {
        let both = try snapshot((1, false, nil), (2, true, nil))
        #expect(look(.device(TestDevices.id(1)), both) == "1")
        #expect(look(.device(TestDevices.id(2)), both) == "paired")
        #expect(look(.device(TestDevices.id(2)), both, paired: [TestDevices.id(2)]) == "missing")
        #expect(look(.device(TestDevices.id(3)), both) == "missing")
    }

    @Test("finds the accessory whose setup hash matches the label")
    func scanned() throws {
        let id = try #require(SetupID("7OSX"))
        #expect(SetupTarget.hash(id, try #require(DeviceID("E1:91:1A:70:85:AA"))) == "yf4bzw==")
        #expect(SetupTarget.hash(id, try #require(DeviceID("C8:D8:58:C6:63:F5"))) == "712Omw==")
        let hash = SetupTarget.hash(id, TestDevices.id(2))
        #expect(look(.setupID(id), try snapshot((1, false, nil), (2, false, hash))) == "2")
        #expect(look(.setupID(id), try snapshot((1, false, nil), (2, true, hash))) == "missing")
        #expect(look(.setupID(id), try snapshot((1, false, hash))) == "missing")
    }

    @Test("explains at the timeout why no accessory matched a label")
    func lastLook() throws {
        let id = try #require(SetupID("7OSX"))
        let (one, two) = (SetupTarget.hash(id, TestDevices.id(1)), SetupTarget.hash(id, TestDevices.id(2)))
        let last = { (snapshot: AccessorySnapshot, paired: Set<DeviceID>) in
            self.look(.setupID(id), snapshot, paired: paired, isLast: true)
        }
        #expect(last(try snapshot((2, false, two)), []) == "2")
        #expect(last(try snapshot((1, false, two), (2, true, two)), []) == "paired")
        #expect(last(try snapshot((1, false, two), (2, true, two)), [TestDevices.id(2)]) == "foreign 1")
        #expect(last(try snapshot((1, false, two), (3, true, nil)), []) == "foreign 1")
        #expect(last(try snapshot((1, false, two), (3, false, nil)), []) == "missing")
        #expect(last(try snapshot(), []) == "foreign 0")
        #expect(last(try snapshot((1, false, one), (2, false, two)), []) == "ambiguous")
        #expect(look(.any, try snapshot(), isLast: true) == "missing")
    }

    @Test("finds the only unpaired accessory after discovery is complete")
    func only() throws {
        #expect(look(.any, try snapshot((1, false, nil), (2, true, nil))) == "1")
        #expect(look(.any, try snapshot((1, false, nil), (2, false, nil))) == "ambiguous")
        #expect(look(.any, try snapshot((1, false, nil), isComplete: false)) == "missing")
        #expect(look(.any, try snapshot()) == "missing")
    }
}

@Suite("The routing of requests to vendors' apps") struct VendorRequestsTests {
    private let now = ContinuousClock.now
    private let one = SessionID(1)
    private let two = SessionID(2)

    private func request(_ number: UInt64, vendor: String = "kilgo", after seconds: Int = 60) -> VendorRequests.Request
    {
        var generator = SeededNumbers(seed: number)
        let question = AddAccessoryRequest(
            id: AddAccessoryRequest.ID(using: &generator), home: Home.ID(using: &generator), accessoryName: "Lamp",
            category: .lightbulb, requiresSetupPayloadURL: true)
        return VendorRequests.Request(
            question: question, device: TestDevices.id(Int(number)), vendor: vendor, initiator: one,
            deadline: now + .seconds(seconds))
    }

    private func ask(_ session: SessionID, _ request: VendorRequests.Request) -> VendorRequests.Ask {
        .init(session: session, question: request.question)
    }

    @Test("asks only the first session, once, and accepts only its answer")
    func answer() throws {
        var requests = VendorRequests()
        let lamp = request(1)
        #expect(requests.add(lamp, sessions: [two, one]) == ask(two, lamp))
        #expect(requests.isPending(lamp.device) && !requests.isPending(TestDevices.id(2)))
        #expect(throws: HomeError.self) { try requests.answered(lamp.question.id, by: one) }
        #expect(try requests.answered(lamp.question.id, by: two).device == lamp.device)
        #expect(!requests.isPending(lamp.device))
        #expect(throws: HomeError.self) { try requests.answered(lamp.question.id, by: two) }
    }

    @Test("asks another session of the vendor when the first one closes")
    func comingAndGoing() throws {
        var requests = VendorRequests()
        let (lamp, fan) = (request(1), request(2, vendor: "other"))
        #expect(requests.add(lamp, sessions: []) == nil)
        #expect(requests.add(fan, sessions: []) == nil)
        #expect(requests.came(one, vendor: "kilgo") == [ask(one, lamp)])
        #expect(requests.came(two, vendor: "kilgo") == [])
        #expect(requests.asked(one) == [ask(one, lamp)] && requests.asked(two) == [])
        #expect(requests.went(one) { $0 == "kilgo" ? [two] : [] } == [ask(two, lamp)])
        #expect(requests.went(two) { _ in [] } == [])
        #expect(throws: HomeError.self) { try requests.answered(lamp.question.id, by: two) }
        #expect(requests.came(one, vendor: "kilgo") == [ask(one, lamp)])
    }

    @Test("drops a request at its deadline")
    func lapse() {
        var requests = VendorRequests()
        #expect(requests.nextDeadline == nil)
        let (soon, late) = (request(1, after: 10), request(2, after: 20))
        _ = requests.add(late, sessions: [one])
        _ = requests.add(soon, sessions: [one])
        #expect(requests.nextDeadline == soon.deadline)
        #expect(requests.deadlinesPassed(now: now + .seconds(9)) == [])
        #expect(requests.deadlinesPassed(now: now + .seconds(10)).map(\.device) == [soon.device])
        #expect(throws: HomeError.self) { try requests.answered(soon.question.id, by: one) }
        #expect(requests.nextDeadline == late.deadline)
    }
}
