import Testing

@testable import HAPController

@Suite("EventBudget")
struct EventBudgetTests {
    private let start = ContinuousClock.now

    @Test("accepts a burst, then one event per interval")
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

    @Test("reports dropped events immediately, then once a second")
    func notices() {
        var budget = EventBudget()
        let times = [0, 1, 999, 1000, 1001, 1999, 5000].map { start + .milliseconds($0) }
        let notices = times.map { budget.dropped(now: $0) }
        #expect(notices == [true, false, false, true, false, false, true])
    }
}
