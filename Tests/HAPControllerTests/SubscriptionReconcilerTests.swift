import HAPController
import HAPModel
import HAPProtocol
import HAPTesting
import Testing

private func id(_ number: UInt64) -> CharacteristicID { CharacteristicID(AccessoryID(1), InstanceID(number)) }
private let (a, b, c) = (id(1), id(2), id(3))

@Suite("SubscriptionReconciler")
struct SubscriptionReconcilerTests {
    @Test("sends each subscription and unsubscription only once")
    func transcript() {
        var subscriptions = SubscriptionReconciler()
        #expect(subscriptions.next { _ in true } == nil)
        #expect(subscriptions.desire([a, b]) == [a, b])
        #expect(subscriptions.next { _ in true } == .subscribe([a, b]))
        #expect(subscriptions.next { _ in true } == nil)
        subscriptions.answered([a: .success, b: .success])
        #expect(subscriptions.confirmed == [a, b])
        #expect(subscriptions.desire([b, c]) == [c])
        #expect(subscriptions.next { _ in true } == .subscribe([c]))
        #expect(subscriptions.next { _ in true } == .unsubscribe([a]))
        #expect(subscriptions.next { _ in true } == nil)
        subscriptions.answered([c: .success])
        #expect(subscriptions.confirmed == [b, c])
    }

    @Test("subscribes again after a refusal only when desired again or on the next connection")
    func refused() {
        var subscriptions = SubscriptionReconciler()
        _ = subscriptions.desire([a, b])
        _ = subscriptions.next { _ in true }
        subscriptions.answered([a: .notificationNotSupported, b: .success])
        #expect(subscriptions.refused == [a: .notificationNotSupported])
        #expect(subscriptions.next { _ in true } == nil)
        #expect(subscriptions.desire([b]) == [])
        #expect(subscriptions.desire([a, b]) == [a])
        #expect(subscriptions.next { _ in true } == .subscribe([a]))
        subscriptions.answered([a: .busy])
        subscriptions.begin()
        #expect(subscriptions.refused == [:] && subscriptions.confirmed == [])
        #expect(subscriptions.next { _ in true } == .subscribe([a, b]))
    }

    @Test("retries a refused subscription at an app's request, and when the accessory is reachable again")
    func retried() {
        var subscriptions = SubscriptionReconciler()
        _ = subscriptions.desire([a, b])
        _ = subscriptions.next { _ in true }
        subscriptions.answered([a: .unableToCommunicate, b: .success])
        #expect(subscriptions.desire([a, b]) == [])
        #expect(subscriptions.desire([a, b], retrying: [a, b]) == [a])
        #expect(subscriptions.next { _ in true } == .subscribe([a]))
        subscriptions.answered([a: .unableToCommunicate])
        subscriptions.retry(AccessoryID(2))
        #expect(subscriptions.next { _ in true } == nil)
        subscriptions.retry(AccessoryID(1))
        #expect(subscriptions.next { _ in true } == .subscribe([a]))
    }

    @Test("subscribes again to a characteristic that is desired again before it is unsubscribed")
    func anew() {
        var subscriptions = SubscriptionReconciler()
        _ = subscriptions.desire([a, b])
        _ = subscriptions.next { _ in true }
        subscriptions.answered([a: .success])
        _ = subscriptions.desire([])
        #expect(subscriptions.desire([a, b]) == [a, b])
        #expect(subscriptions.next { _ in true } == .subscribe([a, b]))
    }

    @Test("repeats a subscription whose response was lost, or removes it if it is no longer desired")
    func lostAnswer() {
        var subscriptions = SubscriptionReconciler()
        _ = subscriptions.desire([a, b, c])
        _ = subscriptions.next { _ in true }
        subscriptions.answered([c: .success])
        subscriptions.lostAnswer(about: [a, b, c])
        _ = subscriptions.desire([b, c])
        #expect(subscriptions.next { _ in true } == .subscribe([b]))
        #expect(subscriptions.next { _ in true } == .unsubscribe([a]))
        subscriptions.answered([b: .success])
        #expect(subscriptions.next { _ in true } == nil)
        #expect(subscriptions.confirmed == [b, c])
    }

    @Test("keeps an unreachable characteristic desired")
    func kept() {
        var subscriptions = SubscriptionReconciler()
        _ = subscriptions.desire([a, b])
        _ = subscriptions.next { _ in true }
        subscriptions.answered([a: .success, b: .success])
        #expect(subscriptions.desire([], keeping: [a, c]) == [])
        #expect(subscriptions.desired == [a])
        #expect(subscriptions.next { _ in true } == .unsubscribe([b]))
    }

    @Test("subscribes to a desired characteristic once the accessory can report its changes")
    func unreported() {
        var subscriptions = SubscriptionReconciler()
        _ = subscriptions.desire([a, b])
        #expect(subscriptions.next { $0 == a } == .subscribe([a]))
        #expect(subscriptions.next { $0 == a } == nil)
        #expect(subscriptions.desired == [a, b])
        #expect(subscriptions.next { _ in true } == .subscribe([b]))
    }

    @Test(
        "is subscribed to every desired characteristic that wasn't refused, after any sequence of steps",
        arguments: 1...8)
    func sequences(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var subscriptions = SubscriptionReconciler()
        // The characteristics that the accessory reports on this connection, and the characteristics that it refuses.
        var reported: Set<CharacteristicID> = []
        var unwilling: Set<CharacteristicID> = []
        var waiting: [CharacteristicID] = []
        let all = Set((1...6).map(id))
        func subset() -> Set<CharacteristicID> { all.filter { _ in Bool.random(using: &random) } }
        func exchange() -> Bool {
            switch subscriptions.next(reports: { _ in true }) {
            case .subscribe(let ids):
                waiting += ids
                reported.formUnion(ids.filter { !unwilling.contains($0) })
            case .unsubscribe(let ids): reported.subtract(ids)
            case nil: return false
            }
            return true
        }
        func answer() {
            subscriptions.answered(
                Dictionary(waiting.map { ($0, unwilling.contains($0) ? HAPStatus.busy : .success) }) { $1 })
            waiting = []
        }
        for _ in 0..<500 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: _ = subscriptions.desire(subset(), keeping: subset())
            case 1:
                subscriptions.begin()
                (reported, waiting) = ([], [])
                unwilling = subset()
            case 2: answer()
            default: _ = exchange()
            }
            guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
            answer()
            while exchange() { answer() }
            #expect(subscriptions.confirmed == subscriptions.desired.subtracting(subscriptions.refused.keys))
            #expect(reported == subscriptions.confirmed)
            #expect(Set(subscriptions.refused.keys).isSubset(of: unwilling))
        }
    }
}
