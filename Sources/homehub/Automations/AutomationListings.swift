import BoundedJSON
import HomeClient
import HomeModel
import HomePresentation
import SystemKit
import TerminalKit

/// The listings of automations, their history, and people.
struct AutomationListings {
    let home: Home
    let phrases: TriggerPhrases

    init(_ home: Home) {
        self.home = home
        phrases = TriggerPhrases(home: home, time: .current(of: home))
    }

    // MARK: Automations

    /// Returns a table with one line for each automation.
    func automations(_ statuses: [Trigger.ID: TriggerStatus]) -> String {
        guard !home.triggers.isEmpty else {
            return "\(home.name) has no automations yet. To add one: \(ShellCommand.homehub) automations add NAME\n"
        }
        var table = Table(["NAME", "STATE", "WHEN", "NEXT", "LAST"])
        for trigger in home.triggers.sortedForDisplay {
            let status = statuses[trigger.id]
            let state = phrases.state(of: trigger)
            let style: Table.Style? = state == "on" ? nil : state == "off" ? .faint : .alert
            table.append(
                [
                    trigger.name, state, phrases.events(of: trigger.definition), status.map(next) ?? "",
                    status?.last.map(last) ?? "",
                ], style)
        }
        return table.text(isPainted: Terminal.current.isPainted)
    }

    private func next(_ status: TriggerStatus) -> String {
        if let end = status.pausedUntil { return "paused until \(phrases.time.words(for: end))" }
        return status.next.map(phrases.time.words) ?? ""
    }

    private func last(_ record: TriggerRecord) -> String {
        "\(phrases.time.words(for: record.time)): \(phrases.phrase(for: record))"
    }

    /// Returns all properties of an automation.
    func details(of trigger: Trigger, _ status: TriggerStatus?) -> String {
        let definition = trigger.definition
        var lines: [(String, [String])] = [
            ("name", [trigger.name]), ("state", [phrases.state(of: trigger)]),
            ("when", definition.events.map(phrases.phrase)),
            ("days", definition.weekdays == .everyDay ? [] : [definition.weekdays.phrase]),
            ("condition", [phrases.condition(of: definition)].compactMap(\.self)),
            ("actions", phrases.actions(of: definition)), ("end", [phrases.end(of: definition)].compactMap(\.self)),
            ("once", definition.executeOnce ? ["disabled after the first run"] : []),
            ("missed runs", [phrases.missedRuns(of: definition)].compactMap(\.self)),
        ]
        if let status {
            lines.append(("next", [next(status)].filter { !$0.isEmpty }))
            lines.append(("last", status.last.map { [last($0)] + phrases.failures(of: $0) } ?? []))
        }
        return lines.filter { !$0.1.isEmpty }.map { name, values in
            values.enumerated().map { index, value in
                (index == 0 ? name : "").padded(to: 13) + value.sanitized + "\n"
            }.joined()
        }.joined()
    }

    /// Returns a table with one line for each record, newest last.
    func history(_ records: [TriggerRecord], ofOne: Bool) -> String {
        guard !records.isEmpty else { return "" }
        var table = Table(ofOne ? ["TIME", "CAUSE", "RESULT"] : ["TIME", "AUTOMATION", "CAUSE", "RESULT"])
        for record in records.reversed() {
            let name = ofOne ? [] : [home.trigger(record.trigger)?.name ?? "-"]
            let result = ([phrases.phrase(for: record)] + phrases.failures(of: record)).joined(separator: "; ")
            table.append([phrases.time.text(of: record.time)] + name + [phrases.cause(of: record), result])
        }
        return table.text
    }

    // MARK: People

    /// Returns a table of the home's people.
    static func people(of home: Home) -> String {
        guard !home.people.isEmpty else {
            return "\(home.name) has no people yet. To add one: \(ShellCommand.homehub) people add NAME\n"
        }
        var table = Table(["NAME", "PRESENCE"])
        for person in home.people.sortedForDisplay { table.append([person.name, person.isHome ? "home" : "away"]) }
        return table.text
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

// MARK: JSON

extension AutomationListings {
    /// Returns an automation in the hub's JSON form, with its state, events, condition and actions in words.
    func listing(of trigger: Trigger, _ status: TriggerStatus? = nil) -> JSONValue {
        var object = trigger.json.object ?? [:]
        let definition = trigger.definition
        object["state"] = .string(phrases.state(of: trigger))
        object["when"] = .string(phrases.events(of: definition))
        object["if"] = phrases.condition(of: definition).map(JSONValue.string)
        object["actions"] = .array(phrases.actions(of: definition).map(JSONValue.string))
        object["end"] = phrases.end(of: definition).map(JSONValue.string)
        if let status {
            object["next"] = status.next.map { .integer($0.millisecondsSince1970) } ?? .null
            object["pausedUntil"] = status.pausedUntil.map { .integer($0.millisecondsSince1970) }
            object["last"] = status.last.map(listing) ?? .null
        }
        return .object(object)
    }

    /// Returns a record in the hub's JSON form, with its cause, result and failures in words.
    ///
    /// The result of a check is worded differently, because a check runs nothing.
    func listing(of record: TriggerRecord, isCheck: Bool) -> JSONValue {
        guard isCheck, var object = listing(of: record).object else { return listing(of: record) }
        object["resultText"] = .string(phrases.phrase(forCheck: record))
        return .object(object)
    }

    /// Returns a record in the hub's JSON form, with its cause, result and failures in words.
    func listing(of record: TriggerRecord) -> JSONValue {
        var object = record.json.object ?? [:]
        object["causeText"] = .string(phrases.cause(of: record))
        object["resultText"] = .string(phrases.phrase(for: record))
        object["failures"] = .array(phrases.failures(of: record).map(JSONValue.string))
        return .object(object)
    }
}
