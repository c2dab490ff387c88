import HAPModel
package import HomeModel
import TerminalKit

/// The typed forms of automations, which ``TriggerParser`` understands.
///
/// Each result is parsed again to check that it has the same meaning. If a result with names would have another
/// meaning, it contains identifiers instead.
package struct TriggerText: Sendable {
    /// The parser that checks the typed forms.
    private let parser: TriggerParser

    private var home: Home { parser.home }

    /// Creates typed forms that the given parser understands.
    package init(_ parser: TriggerParser) { self.parser = parser }

    // MARK: Events

    /// The command-line option or file key for a typed event.
    package enum EventKey: Sendable, Hashable {
        case at, every, when, duration
    }

    /// Returns the typed form of an event, and its option or key.
    package func text(of event: TriggerEvent) -> (key: EventKey, text: String) {
        switch event {
        case .calendar(let time): return (.at, time.typedText)
        case .significant(let time): return (.at, time.typedText)
        case .timer(let first, nil): return (.at, parser.time.text(of: first))
        case .timer(let first, let interval?):
            return (.every, "\(TypedDuration.text(of: interval)) from \(parser.time.text(of: first))")
        case .characteristic(let id, let value):
            return (.when, chosen(of: id, event) { $0.statements(value.map { .value($0) }) })
        case .range(let id, let range): return (.when, chosen(of: id, event) { $0.statements(.range(range)) })
        case .held(let id, let test, let duration):
            let suffix = " for \(TypedDuration.text(of: duration))"
            return (.when, chosen(of: id, event) { $0.statements(test).map { $0 + suffix } })
        case .button(let id, let kind): return (.when, chosen(of: id, event) { $0.statements(press: kind) })
        case .unreachable(let id, let duration):
            let suffix = " unreachable for \(TypedDuration.text(of: duration))"
            let names = [home.accessory(id)?.name, "\(id)"].compactMap(\.self)
            return (.when, chosen(names.map { $0 + suffix }) { (try? parser.event(typed: $0)) == event })
        case .presence(let change, let people):
            let names = [people.map { home.person($0)?.name ?? "\($0)" }, people.map { "\($0)" }]
            return (.when, chosen(names.map { text(of: change, $0) }) { (try? parser.event(typed: $0)) == event })
        case .duration(let duration): return (.duration, TypedDuration.text(of: duration))
        }
    }

    private func text(of change: PresenceChange, _ names: [String]) -> String {
        switch change {
        case .firstEntry: names.isEmpty ? "first person arrives" : "first of \(names.joined(with: "and")) arrives"
        case .everyEntry: names.isEmpty ? "anyone arrives" : "\(names.joined(with: "or")) arrives"
        case .lastExit: names.isEmpty ? "last person leaves" : "last of \(names.joined(with: "and")) leaves"
        case .everyExit: names.isEmpty ? "anyone leaves" : "\(names.joined(with: "or")) leaves"
        }
    }

    private func chosen(
        of id: Characteristic.ID, _ event: TriggerEvent, _ statements: (TypedSubject) -> [String]
    ) -> String {
        let event = event.withPlainNumbers
        return chosen(subjects(of: id).flatMap(statements)) {
            (try? parser.event(typed: $0))?.withPlainNumbers == event
        }
    }

    /// Returns the first text that passes the check, or the last text if none does.
    private func chosen(_ texts: [String], where isRight: (String) -> Bool) -> String {
        texts.first(where: isRight) ?? texts.last ?? ""
    }

    // MARK: Conditions

    /// Returns the typed form of a condition.
    package func text(of condition: TriggerCondition) -> String {
        switch condition {
        case .all(let parts): return parts.map(nestedText).joined(separator: " and ")
        case .any(let parts): return parts.map(nestedText).joined(separator: " or ")
        case .not(let part): return "not \(nestedText(of: part))"
        case .time(let start, let end): return "between \(start) and \(end)"
        case .sun(let relation, let time): return "\(relation.rawValue) \(time.typedText)"
        case .weekday(let days): return "on \(days.typedText)"
        case .presence(.anyoneHome): return "anyone home"
        case .presence(.noOneHome): return "no one home"
        case .presence(.home(let person)):
            let names = [home.person(person)?.name, "\(person)"].compactMap(\.self)
            return chosen(names.map { "\($0) home" }) { (try? parser.condition(typed: $0)) == condition }
        case .comparison(let id, let comparison, let value):
            let texts = subjects(of: id).flatMap { $0.statements(comparison, value) }
            let condition = condition.withPlainNumbers
            return chosen(texts) { (try? parser.condition(typed: $0))?.withPlainNumbers == condition }
        }
    }

    /// Returns the typed form of a nested condition, in parentheses if it contains other conditions.
    private func nestedText(of part: TriggerCondition) -> String {
        switch part {
        case .all, .any, .not: "(\(text(of: part)))"
        case .time, .sun, .weekday, .comparison, .presence: text(of: part)
        }
    }

    // MARK: Actions

    /// Returns the typed forms of values to write, one for each service.
    package func texts(of actions: [CharacteristicWriteAction]) -> [String] {
        var texts: [String] = []
        var rest = actions[...]
        while let first = rest.first {
            let service = home.characteristic(first.characteristic)?.service
            let group = service.map { service in
                rest.prefix { home.characteristic($0.characteristic)?.service == service }
            }
            let together = group.map(Array.init) ?? [first]
            if let text = text(of: together) {
                texts.append(text)
            } else {
                texts += together.map { text(of: [$0]) ?? "\($0.characteristic) value=?" }
            }
            rest = rest.dropFirst(together.count)
        }
        return texts
    }

    private func text(of actions: [CharacteristicWriteAction]) -> String? {
        guard let first = actions.first else { return nil }
        let texts = subjects(of: first.characteristic).compactMap { subject -> String? in
            let words = actions.compactMap { action in
                home.place(of: action.characteristic).map { $0.assignment(action.targetValue) }
            }
            return words.count == actions.count ? ([subject.name] + words).joined(separator: " ") : nil
        }
        return texts.first { text in
            let changes = try? parser.writes(typed: text)
            return changes?.map {
                CharacteristicWriteAction(characteristic: $0.place.characteristic.id, targetValue: $0.value)
            } == actions
        }
    }

    /// Returns the possible beginnings of a statement about the characteristic, best first.
    private func subjects(of id: Characteristic.ID) -> [TypedSubject] {
        guard let place = home.place(of: id) else { return [TypedSubject(name: "\(id)", place: nil)] }
        let names = [
            place.accessory.name, "\(place.accessory.name)/\(place.service.name)", "\(place.service.id)", "\(id)",
        ]
        return names.map { TypedSubject(name: $0, place: place) }
    }
}

// Values are compared by number, so 20 and 20.0 have the same text.

extension TriggerEvent {
    fileprivate var withPlainNumbers: TriggerEvent {
        switch self {
        case .characteristic(let id, let value?): .characteristic(id, value: value.plainNumber)
        case .held(let id, .value(let value), let duration):
            .held(id, .value(value.plainNumber), duration: duration)
        default: self
        }
    }
}

extension TriggerCondition {
    fileprivate var withPlainNumbers: TriggerCondition {
        guard case .comparison(let id, let comparison, let value) = self else { return self }
        return .comparison(id, comparison, value.plainNumber)
    }
}

extension CharacteristicValue {
    fileprivate var plainNumber: CharacteristicValue {
        guard let number, let whole = Int64(exactly: number) else { return self }
        return .integer(whole)
    }
}

/// The name at the beginning of a statement, and the characteristic that the statement is about.
private struct TypedSubject {
    let name: String
    let place: ValuePlace?

    /// Returns possible statements that the value passes the test; if it's `nil`, that the value changes.
    func statements(_ test: ValueTest?) -> [String] {
        guard let characteristic = place?.characteristic else { return ["\(name) changes"] }
        let word = characteristic.word
        switch test {
        case .value(let value): return statements(.equal, value)
        case .range(let range):
            let limits = [range.minimum, range.maximum].map { $0.map { characteristic.compactText(of: .float($0)) } }
            return switch (limits[0], limits[1]) {
            case (let low?, nil): ["\(name) open", "\(name) \(word)>=\(low)"]
            case (nil, let high?): ["\(name) \(word)<=\(high)"]
            case (let low?, let high?): ["\(name) \(word)=\(low)..\(high)"]
            case (nil, nil): ["\(name) \(word) changes"]
            }
        case nil: return ["\(name) \(word) changes"]
        }
    }

    func statements(_ comparison: ValueComparison, _ value: CharacteristicValue) -> [String] {
        guard let characteristic = place?.characteristic else { return ["\(name) value=?"] }
        let mark = comparison == .equal ? "=" : comparison.rawValue
        let plain = "\(name) \(characteristic.word)\(mark)\(characteristic.compactText(of: value))"
        guard comparison == .equal else { return [plain] }
        let number = value.bool.map { $0 ? 1 : 0 } ?? value.number.flatMap { Int64(exactly: $0) }
        let word = number.flatMap { characteristic.type.words(for: $0) }
        return [word, characteristic.type == .currentPosition ? "closed" : nil].compactMap(\.self).map {
            "\(name) \($0)"
        } + [plain]
    }

    func statements(press kind: PressKind) -> [String] {
        let word = place?.characteristic.word ?? "press"
        return ["\(name) \(kind.rawValue) press", "\(name) \(word)=\(kind.rawValue)"]
    }
}

extension ValuePlace {
    /// Returns the typed form of a change, such as `on` or `brightness=40`.
    fileprivate func assignment(_ value: CharacteristicValue) -> String {
        if let toggle = service.toggle, toggle.characteristic == characteristic.id {
            for (verb, wanted) in [(Verb.on, toggle.on), (.off, toggle.off)]
            where verb.types.contains(characteristic.type) && value == wanted {
                return verb.rawValue
            }
        }
        return "\(characteristic.word)=\(characteristic.compactText(of: value))"
    }
}

extension Characteristic {
    /// Returns the value as a single word, in quotes if it's a string.
    fileprivate func compactText(of value: CharacteristicValue) -> String {
        switch value {
        case .string(let text): "\"\(text)\""
        case .data(let bytes): bytes.isEmpty ? "\"\"" : Hex.encode(bytes)
        case .float(let number): number == number.rounded() ? number.rounded(toDigits: 0) : "\(number)"
        case .bool(let flag): flag ? "yes" : "no"
        case .integer(let number): type.valueNames[number]?.dashed ?? "\(number)"
        case .unsigned(let number): "\(number)"
        }
    }
}
