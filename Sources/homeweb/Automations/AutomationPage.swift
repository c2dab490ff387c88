import HomeClient
import HomeModel
import HomePresentation
import TerminalKit
import Texts

/// The page of an automation, with its history.
struct AutomationPage: LivePage {
    let manager: HomeManager
    let trigger: Trigger.ID
    /// Whether the page shows if the automation would run now.
    var isChecked = false

    var path: String { "/automations/\(trigger)" + (isChecked ? "?check=1" : "") }
    var place: String { "/more" }

    func home(_ moment: Moment) -> Home? { moment.home { $0.trigger(trigger) != nil } }

    func changes(_ site: Site) async -> AsyncStream<Void>? { AutomationChanges.stream(of: site.manager) }

    func content(_ moment: Moment) async -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = self.home(moment), let trigger = home.trigger(trigger) else {
            return .missing(localized("This automation no longer exists."))
        }
        let summary = AutomationSummary(home: home, time: .current(of: home))
        var values: Templates.Values = [
            "name": trigger.name, "up": "/automations" + (home.isPrimary ? "" : "?home=\(home.id)"),
            "state": trigger.isEnabled ? localized("On") : localized("Off"), "history": [Templates.Values](),
        ]
        var status: TriggerStatus?
        do throws(HomeError) {
            status = try await manager.triggerStatuses(of: home.id).first { $0.trigger == trigger.id }
            values["history"] = try await manager.triggerHistory(of: home.id, trigger: trigger.id).map {
                summary.values(of: $0)
            }
        } catch {
            values["reason"] = localized("The history can't be loaded: \(error.localizedMessage)").sentence
        }
        values["facts"] = facts(trigger.definition, summary, status)
        values["problem"] = summary.problem(trigger, status)
        if isChecked { values["check"] = await check(summary) }
        if moment.visitor.isEditor {
            values["owner"] = summary.controls(of: trigger, back: "/automations/\(trigger.id)")
        }
        return PageContent(
            title: trigger.name, main: Templates.render("automation", values),
            values: isChecked ? trigger.definition.observedCharacteristics : [])
    }

    private func facts(
        _ definition: TriggerDefinition, _ summary: AutomationSummary, _ status: TriggerStatus?
    ) -> [Templates.Values] {
        let phrases = summary.phrases
        let facts: [(String, [String])] = [
            (localized("When"), [phrases.events(of: definition)]),
            (localized("Only"), [phrases.condition(of: definition)].compactMap(\.self)),
            (localized("What"), phrases.actions(of: definition)),
            (localized("Afterwards"), [phrases.end(of: definition)].compactMap(\.self)),
            (localized("Missed times"), [phrases.missedRuns(of: definition)].compactMap(\.self)),
            (localized("Ends"), definition.executeOnce ? [localized("turns off after the first run")] : []),
            (localized("Next"), [summary.next(status)].compactMap(\.self)),
            (localized("Last"), [summary.last(status)].compactMap(\.self)),
        ]
        return facts.filter { !$0.1.isEmpty }.map { name, lines in
            ["name": name, "lines": lines.map(\.capitalizedFirst)]
        }
    }

    /// Returns whether the automation would run now, and if not, why.
    private func check(_ summary: AutomationSummary) async -> String {
        do throws(HomeError) {
            let record = try await manager.runTrigger(trigger, mode: .check)
            return summary.phrases.phrase(forCheck: record).sentence
        } catch {
            return localized("This can't be checked: \(error.localizedMessage)").sentence
        }
    }
}
