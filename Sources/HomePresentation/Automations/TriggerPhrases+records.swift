import HAPModel
package import HomeModel
import Texts

extension TriggerPhrases {
    /// Returns the result of an evaluation: `ran`, `not run: no one was home`, `missed at 07:00: the hub wasn't running`,
    /// `missed at 07:00: the clock was set forward`.
    package func phrase(for record: TriggerRecord) -> String {
        switch record.result {
        case .ran: return ran(localized("ran"), record)
        case .ended: return ran(localized("restored the previous values"), record)
        case .conditionFalse(let part): return localized("not run: \(reason(for: part))")
        case .wrongWeekday:
            return localized("not run: it doesn't run on \(time.local(record.time).date.weekday.plural)")
        case .missed(let first, let count):
            return localized("\(missed(first, count, record)): the hub wasn't running")
        case .skippedByClock(let first, let count):
            return localized("\(missed(first, count, record)): the clock was set forward")
        case .clockNotSet: return localized("not run: the computer's clock wasn't set")
        case .chainTooDeep: return localized("stopped: automations were starting each other in a loop")
        case .paused(let end): return localized("paused until \(clock(end, record.time)) because it ran too often")
        }
    }

    /// Returns the result of a check, which runs nothing: `would run`, `wouldn't run: no one is home`.
    package func phrase(forCheck record: TriggerRecord) -> String {
        switch record.result {
        case .ran: return localized("it would run now")
        case .conditionFalse(let part): return localized("it wouldn't run now: \(negation(of: part))")
        case .wrongWeekday:
            return localized("it wouldn't run now: it doesn't run on \(time.local(record.time).date.weekday.plural)")
        case .ended, .missed, .skippedByClock, .clockNotSet, .chainTooDeep, .paused:
            return localized("it wouldn't run now: \(phrase(for: record))")
        }
    }

    /// Returns the cause of an evaluation: `at 07:00`, `when Hall Sensor detects motion`, `by hand`.
    package func cause(of record: TriggerRecord) -> String {
        switch record.cause {
        case .event(let event), .endEvent(let event): phrase(for: event)
        case .user: localized("by hand")
        }
    }

    /// Returns a sentence for each action that failed: `turn on Hall Lamp: it isn't responding`.
    package func failures(of record: TriggerRecord) -> [String] {
        record.outcomes.compactMap { outcome in
            outcome.error.map { "\(phrase(for: outcome.action)): \($0.localizedProblem)" }
        }
    }

    /// Returns an action of a run.
    package func phrase(for action: TriggerAction) -> String {
        switch action {
        case .actionSet(_, let name): localized("run \(name)")
        case .write(let action): phrase(for: action)
        case .restore(let action): localized("restore: \(phrase(for: action))")
        case .notify(let text): localized("send \"\(text)\"")
        }
    }

    private func ran(_ word: String, _ record: TriggerRecord) -> String {
        let outcomes = record.outcomes
        let failed = outcomes.count { $0.error != nil }
        if failed > 0 {
            return outcomes.count == 1
                ? localized("\(word), but the action failed")
                : localized("\(word), but \(failed) of \(outcomes.count) actions failed")
        }
        // The hub stores a run before its actions start.
        let isPending = record.run != nil && (outcomes.isEmpty || outcomes.contains { $0.time == nil })
        guard isPending, record.result == .ran else { return word }
        let isOld = record.time.duration(to: time.now) > .seconds(120)
        return isOld ? localized("\(word); the hub stopped before the result was known") : localized("running")
    }

    private func missed(_ first: Timestamp, _ count: Int, _ record: TriggerRecord) -> String {
        count > 1
            ? localized("missed \(count) times since \(time.shownText(of: first))")
            : localized("missed at \(clock(first, record.time))")
    }

    /// Returns the first time, without its date if both times are on the same day.
    private func clock(_ moment: Timestamp, _ other: Timestamp) -> String {
        let (date, clock) = time.local(moment)
        return date == time.local(other).date ? "\(clock)" : "\(date) \(clock)"
    }
}
