import Testing

@testable import HAPController

@Suite("How many events a connection may bring")
struct EventBudgetTests {
    private let start = ContinuousClock.now

    @Test("a burst is processed at once, then one event in each interval")
    func rate() {
        var budget = EventBudget()
        let taken = (0..<1000).count { _ in budget.take(now: start) }
        #expect(taken == EventBudget.burst)
        #expect(budget.isExhausted(now: start))
        let later = (0..<1000).count { _ in budget.take(now: start + EventBudget.interval * 3) }
        #expect(later == 3)
        #expect(!budget.isExhausted(now: start + .seconds(60)))
        let rested = (0..<1000).count { _ in budget.take(now: start + .seconds(60)) }
        #expect(rested == EventBudget.burst)
    }

    @Test("dropped events are noticed at the first, and then once a second while there are more")
    func notices() {
        var budget = EventBudget()
        let times = [0, 1, 999, 1000, 1001, 1999, 5000].map { start + .milliseconds($0) }
        let notices = times.map { budget.dropped(now: $0) }
        #expect(notices == [true, false, false, true, false, false, true])
    }
}
