import HomeModel
import HomePresentation
import TerminalKit
import Texts

/// Describes automations in the words of pages.
struct AutomationSummary {
    let home: Home
    let time: HomeTime
    let phrases: TriggerPhrases

    init(home: Home, time: HomeTime) {
        self.home = home
        self.time = time
        phrases = TriggerPhrases(home: home, time: time)
    }

    /// Returns the automation in one sentence.
    ///
    /// For example: `When Hall Sensor detects motion, if it's after sunset: turn on Hall Lamp.`
    func sentence(_ definition: TriggerDefinition) -> String {
        let condition = phrases.condition(of: definition).map { ", \($0)" } ?? ""
        let actions = (phrases.actions(of: definition) + [phrases.end(of: definition)].compactMap(\.self))
            .joined(separator: "; ")
        return "\(phrases.events(of: definition))\(condition): \(actions)".sentence
    }

    /// Returns the time of the next run in words; `nil` if none is scheduled.
    func next(_ status: TriggerStatus?) -> String? { status?.next.map(time.words) }

    /// Returns the result of the last evaluation in words; `nil` before the first evaluation.
    func last(_ status: TriggerStatus?) -> String? {
        status?.last.map { "\(time.words(for: $0.time)), \(phrases.phrase(for: $0))" }
    }

    /// Returns the reason why an automation can't run, and the remedy; `nil` if it can run or is disabled.
    func problem(_ trigger: Trigger, _ status: TriggerStatus?) -> String? {
        switch home.activationState(of: trigger) {
        case .noLocation: return localized("The home has no location. Set it under People and location.")
        case .missingParts:
            return localized("\(phrases.state(of: trigger).capitalizedFirst). Edit the automation, then turn it on.")
        case .enabled, .disabled: break
        }
        return status?.pausedUntil.map { localized("Paused until \(time.words(for: $0)), because it ran too often.") }
    }

    /// Returns the template values of an automation in the list.
    func values(of trigger: Trigger, _ status: TriggerStatus?, isOwner: Bool, back: String) -> Templates.Values {
        var values: Templates.Values = [
            "id": "\(trigger.id)", "name": trigger.name, "sentence": sentence(trigger.definition),
            "state": trigger.isEnabled ? localized("on") : localized("off"),
        ]
        values["next"] = next(status)
        values["last"] = last(status)
        values["problem"] = problem(trigger, status)
        if isOwner { values["owner"] = controls(of: trigger, back: back) }
        return values
    }

    /// Returns the template values of an automation's buttons.
    func controls(of trigger: Trigger, back: String) -> Templates.Values {
        [
            "id": "\(trigger.id)", "name": trigger.name, "back": back, "isOn": trigger.isEnabled ? "true" : "false",
            "word": trigger.isEnabled ? localized("On") : localized("Off"), "next": trigger.isEnabled ? "0" : "1",
            "other": trigger.isEnabled ? "1" : "0",
        ]
    }

    /// Returns the template values of an entry in the history.
    func values(of record: TriggerRecord) -> Templates.Values {
        [
            "time": time.words(for: record.time), "result": phrases.phrase(for: record).capitalizedFirst,
            "cause": phrases.cause(of: record), "failures": phrases.failures(of: record).map(\.sentence),
        ]
    }
}
