import HAPModel
import HomeModel
import Testing

@testable import HomePresentation

/// November 27, 2026 at 11:00 UTC, a Friday.
private let friday = Timestamp(millisecondsSince1970: 1_795_777_200_000)

@Suite("The words for the history of automations") struct TriggerRecordTests {
    private let phrases = AutomationHouse.phrases
    private static let turnOn = CharacteristicWriteAction(
        characteristic: AutomationHouse.id(411), targetValue: .bool(true))
    private static let success = ActionOutcome(.write(turnOn), time: friday)
    private static let failure = ActionOutcome(.write(turnOn), error: HomeError(.accessoryNotReachable), time: friday)

    private func record(
        _ result: TriggerResult, cause: TriggerCause = .user, run: Int64? = nil, outcomes: [ActionOutcome] = [],
        time: Timestamp = friday
    ) -> TriggerRecord {
        TriggerRecord(
            id: AutomationHouse.id(9), trigger: AutomationHouse.id(10), time: time, cause: cause, result: result,
            run: run,
            outcomes: outcomes)
    }

    @Test(
        "name the result and its reason",
        arguments: [
            (.conditionFalse(.presence(.anyoneHome)), "not run: no one was home"),
            (.conditionFalse(.not(.presence(.noOneHome))), "not run: no one was home"),
            (.wrongWeekday, "not run: it doesn't run on Fridays"),
            (.missed(first: friday, count: 1), "missed at 11:00: the hub wasn't running"),
            (.missed(first: friday, count: 3), "missed 3 times since 2026-11-27 11:00: the hub wasn't running"),
            (.skippedByClock(first: friday, count: 1), "missed at 11:00: the clock was set forward"),
            (
                .skippedByClock(first: friday, count: 3),
                "missed 3 times since 2026-11-27 11:00: the clock was set forward"
            ),
            (.clockNotSet, "not run: the computer's clock wasn't set"),
            (.chainTooDeep, "stopped: automations were starting each other in a loop"),
            (.paused(until: friday), "paused until 11:00 because it ran too often"),
            (.ended, "restored the previous values"),
        ] as [(TriggerResult, String)])
    func results(result: TriggerResult, words: String) {
        #expect(phrases.phrase(for: record(result)) == words)
    }

    @Test("tell a run that is in progress from one with an unknown result")
    func runs() {
        let now = AutomationHouse.time.now
        #expect(phrases.phrase(for: record(.ran, run: 1, outcomes: [Self.success])) == "ran")
        #expect(
            phrases.phrase(for: record(.ran, run: 1, outcomes: [Self.success, Self.failure]))
                == "ran, but 1 of 2 actions failed")
        #expect(
            phrases.phrase(for: record(.ran, run: 1, outcomes: [Self.failure])) == "ran, but the action failed")
        #expect(phrases.phrase(for: record(.ran, run: 1, time: now)) == "running")
        #expect(
            phrases.phrase(for: record(.ran, run: 1)) == "ran; the hub stopped before the result was known")
        #expect(
            phrases.failures(of: record(.ran, run: 1, outcomes: [Self.success, Self.failure]))
                == ["turn on Hall Lamp: the accessory doesn't respond"])
    }

    @Test("name the cause")
    func causes() {
        let motion = TriggerEvent.characteristic(AutomationHouse.id(111), value: .bool(true))
        #expect(phrases.cause(of: record(.ran, cause: .event(motion))) == "when Hall Sensor detects motion")
        #expect(phrases.cause(of: record(.ended, cause: .endEvent(.duration(.seconds(300))))) == "5 minutes later")
        #expect(phrases.cause(of: record(.ran)) == "by hand")
        #expect(phrases.phrase(forCheck: record(.ran)) == "it would run now")
        #expect(
            phrases.phrase(forCheck: record(.conditionFalse(.presence(.anyoneHome))))
                == "it wouldn't run now: no one is home")
    }
}
