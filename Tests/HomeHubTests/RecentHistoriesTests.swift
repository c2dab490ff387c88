import BoundedJSON
import HAPTesting
import HomeModel
import Testing

@testable import HomeHub

@Suite("The histories that apps have asked about last")
struct RecentHistoriesTests {
    private func record(_ second: Int, of trigger: Trigger.ID) -> TriggerRecord {
        TriggerRecord(
            trigger: trigger, time: TestWallClock.noon + .seconds(second), cause: .user, result: .wrongWeekday)
    }

    @Test("include what changed while the stored entries were read")
    func change() {
        var histories = RecentHistories()
        var numbers = SystemRandomNumbers()
        let trigger = Trigger.ID(using: &numbers)
        let (stored, waiting, new) = (record(1, of: trigger), record(2, of: trigger), record(3, of: trigger))
        var updated = stored
        updated.outcomes = [ActionOutcome(.notify("Hi"), time: TestWallClock.noon)]
        histories.begin(trigger, with: [waiting])
        histories.put(updated)
        histories.put(new)
        #expect(histories.json(of: trigger) == nil)
        histories.complete(trigger, with: [waiting, stored])
        #expect(histories.json(of: trigger) == [new, waiting, updated].json)
    }

    @Test("are eight")
    func limit() {
        var histories = RecentHistories()
        var numbers = SystemRandomNumbers()
        let triggers = (0..<9).map { _ in Trigger.ID(using: &numbers) }
        for trigger in triggers {
            histories.begin(trigger, with: [])
            histories.complete(trigger, with: [record(1, of: trigger)])
            #expect(histories.json(of: triggers[0]) != nil)
        }
        #expect(triggers.map { histories.json(of: $0) == nil } == triggers.map { $0 == triggers[1] })
    }
}
