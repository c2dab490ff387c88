import AsyncKit
import HAPController
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import HomeModel
import Logging
import Testing

@testable import HomeHub

@Suite("The schedule of accessory databases") struct DatabaseHistoryTests {
    private let now = ContinuousClock.now

    private func database(_ name: String) throws -> AccessoryDatabase {
        try AccessoryDatabase(
            parsing: Array(
                soundDatabase.replacing(#""type":"25""#, with: #""description":"\#(name)","type":"25""#).utf8))
    }

    @Test("delays a database that arrives soon after the last one, and keeps only the newest")
    func interval() throws {
        var history = DatabaseHistory()
        let (first, second, third) = (try database("1"), try database("2"), try database("3"))
        #expect(history.received(first, interval: .seconds(5), now: now) == .takeOver)
        history.takenOver(isChanged: true, now: now)
        #expect(
            history.received(second, interval: .seconds(5), now: now + .seconds(1)) == .retry(at: now + .seconds(5)))
        #expect(history.received(third, interval: .seconds(5), now: now + .seconds(2)) == .wait)
        #expect(history.isWaiting)
        #expect(history.due() == third)
        #expect(history.due() == nil)
    }

    @Test("doesn't delay a database after an unchanged one")
    func unchanged() throws {
        var history = DatabaseHistory()
        let first = try database("1")
        #expect(history.received(first, interval: .seconds(5), now: now) == .takeOver)
        history.takenOver(isChanged: false, now: now)
        #expect(history.received(first, interval: .seconds(5), now: now) == .takeOver)
        #expect(history.postpone(first, until: now + .seconds(9)) == .retry(at: now + .seconds(9)))
        #expect(history.received(first, interval: .seconds(5), now: now + .seconds(1)) == .takeOver)
        #expect(!history.isWaiting)
    }

    @Test("keeps the newest database while one is being stored")
    func storing() throws {
        var history = DatabaseHistory()
        let (first, second, third) = (try database("1"), try database("2"), try database("3"))
        #expect(history.received(first, interval: .zero, now: now) == .takeOver)
        history.storing()
        #expect(history.received(second, interval: .zero, now: now) == .wait)
        #expect(history.received(third, interval: .zero, now: now) == .wait)
        history.takenOver(isChanged: true, now: now)
        #expect(history.stored() == third)
        #expect(history.stored() == nil)
        #expect(history.received(second, interval: .zero, now: now) == .takeOver)
    }

    @Test("blocks after three violations without a valid database in between")
    func violations() {
        var history = DatabaseHistory()
        #expect(history.violated() == false)
        #expect(history.violated() == false)
        history.connected()
        #expect(history.violated() == false)
        history.refused(isUnusable: true, now: now)
        history.connected()
        #expect(history.violated() == false)
        history.connected()
        #expect(history.violated() == true)
        history.takenOver(isChanged: false, now: now)
        #expect(history.violated() == false)
    }
}

@Suite("The reconciliation of subscriptions") struct SubscriptionRunTests {
    private let id = CharacteristicID(AccessoryID(1), InstanceID(8))

    @Test("runs once at a time, with another round for new demand")
    func rounds() {
        var run = SubscriptionRun()
        let idle = run.untilEnded()
        #expect(idle == nil)
        #expect(run.demandChanged() == true)
        #expect(run.demandChanged() == false)
        #expect(run.nextRound() == true)
        #expect(run.asked([id: .none]) == [])
        #expect(run.demandChanged() == false)
        #expect(run.nextRound() == true)
        #expect(run.nextRound() == false)
        run.ended()
        #expect(!run.isRunning)
        #expect(run.demandChanged() == true)
    }

    @Test("keeps a refusal until the subscription succeeds")
    func refusals() async throws {
        var run = SubscriptionRun()
        _ = run.demandChanged()
        _ = run.nextRound()
        let ended = run.untilEnded()
        #expect(run.asked([id: .accessoryIsBusy]) == [id])
        #expect(run.refusal(of: id) == .accessoryIsBusy)
        #expect(run.nextRound() == true)
        #expect(run.nextRound() == false)
        run.ended()
        let signal = try #require(ended)
        #expect(await signal.wait())
        _ = run.demandChanged()
        #expect(run.asked([id: .none]) == [])
        #expect(run.refusal(of: id) == nil)
    }
}

@Suite("The derivation of accessory faults") struct AccessoryFaultTests {
    @Test(
        "derives the fault from the link's failure, then from the advertisement",
        arguments: [
            (nil, nil, nil, nil), (.unreachable, nil, nil, nil), (.busy, nil, nil, nil),
            (.ended(.lost), nil, nil, nil), (.ended(.timedOut), nil, nil, nil), (.ended(.closed), nil, nil, nil),
            (.ended(.notAuthorized), nil, nil, nil),
            (.notPaired, .forgotten, .pairedElsewhere, .forgotten),
            (.notGenuine, .forgotten, nil, nil),
            (.otherAccessory, .forgotten, .pairedElsewhere, nil),
            (.ended(.badAnswer), .invalidAnswers, .invalidAnswers, .invalidAnswers),
            (.outOfCompliance(ComplianceError("x")), .invalidAnswers, .invalidAnswers, .invalidAnswers),
        ] as [(LinkFailure?, AccessoryFault?, AccessoryFault?, AccessoryFault?)])
    func table(
        failure: LinkFailure?, whenFree: AccessoryFault?, whenPaired: AccessoryFault?, whenUnseen: AccessoryFault?
    ) {
        #expect(AccessoryFault(failure, isPaired: false) == whenFree)
        #expect(AccessoryFault(failure, isPaired: true) == whenPaired)
        #expect(AccessoryFault(failure, isPaired: nil) == whenUnseen)
    }

    @Test("treats a silent accessory as reset if an unpaired successor is at its address")
    func successor() {
        for failure in [nil, .unreachable, .notPaired, .notGenuine, .otherAccessory, .ended(.lost)] as [LinkFailure?] {
            // An old advertisement may still be visible.
            for isPaired in [nil, true, false] {
                #expect(AccessoryFault(failure, isPaired: isPaired, hasSuccessor: true) == .forgotten)
            }
        }
        #expect(AccessoryFault(.ended(.badAnswer), isPaired: true, hasSuccessor: true) == .invalidAnswers)
    }

    @Test("gives each fault a distinct description and code")
    func words() {
        let all = AccessoryFault.allCases
        #expect(Set(all.map(\.localizedDescription)).count == all.count)
        #expect(Set(all.map(\.code) + [.accessoryNotReachable]).count == all.count + 1)
    }
}

@Suite("A connection to an accessory server") struct ConnectionTests {
    private let one = AccessoryID(2)
    private let other = AccessoryID(3)

    @Test("forgets which bridged accessories are unreachable when the connection ends")
    func away() {
        let pairing = AccessoryPairing(
            deviceID: TestDevices.id(1), publicKey: ControllerIdentity.random().longTermKey.publicKey)
        let link = AccessoryLink(
            pairing, as: .random(), dialer: InMemoryDialer(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var connection = Connection(link, [:], targetPauses: [])
        #expect(connection.isReachable(one) == nil)
        connection.connected()
        connection.opened()
        connection.bridged(one, isReachable: false)
        #expect(connection.isReachable(one) == false && connection.isReachable(other) == true)
        connection.disconnected(.notPaired)
        #expect(connection.isReachable(one) == false && connection.isReachable(other) == false)
        #expect(connection.failure == .notPaired)
        connection.connected()
        #expect(connection.failure == nil)
        #expect(connection.isReachable(one) == true && connection.isReachable(other) == true)
    }
}
