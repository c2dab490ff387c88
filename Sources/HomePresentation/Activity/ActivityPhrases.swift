import HAPModel
package import HomeModel
import Texts

/// The activity of a home in words.
package struct ActivityPhrases: Sendable {
    /// The longest pause between changes of a sensor on one line.
    private static let sensorInterval = Duration.seconds(15 * 60)
    /// The maximum number of details of a line.
    private static let maximumDetails = 50
    /// The maximum number of details of repeated changes, which are sent to open pages again with each change.
    private static let maximumRepetitions = 8

    let home: Home
    let time: HomeTime
    /// The names of well-known apps, by their IDs.
    private let apps: [String: LocalizableText] = [
        "org.lamplighter.homeweb": "the web page", "org.lamplighter.homehub": "the homehub command",
    ]
    /// The characteristics of the home with their services and accessories.
    private let places: [Characteristic.ID: ValuePlace]
    private let accessories: [Accessory.ID: Accessory]

    package init(home: Home, time: HomeTime) {
        self.home = home
        self.time = time
        var places: [Characteristic.ID: ValuePlace] = [:]
        for accessory in home.accessories {
            for service in accessory.services {
                for characteristic in service.characteristics {
                    places[characteristic.id] = ValuePlace(
                        accessory: accessory, service: service, characteristic: characteristic)
                }
            }
        }
        self.places = places
        accessories = Dictionary(home.accessories.map { ($0.id, $0) }) { $1 }
    }

    /// Returns a local time without its date: `18:00`.
    package func clock(_ moment: Timestamp) -> String { time.clock(moment) }

    // MARK: Days

    /// Returns the lines of entries, grouped by local day.
    ///
    /// Both are ordered from newest to oldest.
    package func days(_ entries: [ActivityEntry]) -> [ActivityDay] {
        var days: [ActivityDay] = []
        /// The lines that older changes of the same sensor continue, by the changed values.
        var open: [Set<Characteristic.ID>: (line: Int, entries: [ActivityEntry])] = [:]
        for entry in entries {
            let date = time.local(entry.time).date
            if days.last?.date != date {
                days.append(ActivityDay(date: date, name: name(of: date), lines: []))
                open = [:]
            }
            let day = days.count - 1
            guard let key = sensor(entry) else {
                days[day].lines.append(line(entry))
                continue
            }
            if let group = open[key], let oldest = group.entries.last,
                entry.time.duration(to: oldest.time) < Self.sensorInterval
            {
                let all = group.entries + [entry]
                open[key] = (group.line, all)
                days[day].lines[group.line] = line(ofSensor: all)
            } else {
                open[key] = (days[day].lines.count, [entry])
                days[day].lines.append(line(entry))
            }
        }
        return days
    }

    private func name(of date: CivilDate) -> String {
        switch date.day1970 - time.local(time.now).date.day1970 {
        case 0: return localized("Today")
        case -1: return localized("Yesterday")
        default:
            return localized(
                "\(date.weekday.nouns), \(CivilDate.name(ofMonth: date.month) ?? "") \(date.day)", context: "date")
        }
    }

    /// Returns the values that an accessory itself has changed; `nil` for another entry.
    private func sensor(_ entry: ActivityEntry) -> Set<Characteristic.ID>? {
        guard entry.cause == ActivityCause() else { return nil }
        let changed = Set(entry.changes.compactMap(\.characteristic))
        return changed.isEmpty || entry.changes.contains { $0.characteristic == nil } ? nil : changed
    }

    // MARK: Lines

    /// Returns the line of one entry.
    package func line(_ entry: ActivityEntry) -> ActivityLine {
        let entry = entry.withoutImpliedRenames
        let changed = Set(entry.changes.compactMap(\.accessory))
        let failed = entry.changes.contains(where: isProblem)
        var line = ActivityLine(
            id: entry.id, latest: entry.id, time: entry.time, text: text(entry), requester: requester(entry.cause),
            isProblem: failed, accessory: changed.count == 1 ? changed.first : nil, cause: entry.cause)
        if entry.changes.count > 1 {
            line.details = entry.changes.prefix(Self.maximumDetails).map { change in
                ActivityLine.Detail(text: phrase(change), accessory: change.accessory, isProblem: isProblem(change))
            }
        }
        return line
    }

    /// Returns the line of repeated changes of a sensor, newest first.
    private func line(ofSensor entries: [ActivityEntry]) -> ActivityLine {
        guard let newest = entries.first, let oldest = entries.last else { return line(entries[0]) }
        var line = line(newest)
        line.id = oldest.id
        line.text = localized("\(line.text); \(entries.count) changes since \(time.clock(oldest.time))")
        line.details = entries.prefix(Self.maximumRepetitions).flatMap { entry in
            entry.changes.map { ActivityLine.Detail(time: entry.time, text: value($0, withOld: false) ?? phrase($0)) }
        }
        return line
    }

    private func text(_ entry: ActivityEntry) -> String {
        let effect = effect(of: entry.changes, isRequested: entry.cause != ActivityCause())
        guard entry.cause.isRun else { return effect.map(\.uppercasedFirst) ?? localized("Nothing changed") }
        let name = entry.cause.name ?? (entry.cause.trigger == nil ? localized("A scene") : localized("An automation"))
        return effect.map { "\(name): \($0)" } ?? localized("\(name): ran")
    }

    private func requester(_ cause: ActivityCause) -> String? {
        guard let person = cause.person else { return cause.app.map { apps[$0]?.localized ?? $0 } }
        guard let app = cause.app, apps[app] == nil else { return person }
        return localized("\(person), with \(app)")
    }

    // MARK: Effects

    /// Returns several changes in a few words: `turned off 5 lights`; `nil` if there are none.
    private func effect(of changes: [ActivityChange], isRequested: Bool) -> String? {
        let failures = changes.filter { if case .failure = $0 { true } else { false } }
        let successes = changes.filter { if case .failure = $0 { false } else { true } }
        guard !successes.isEmpty else {
            guard failures.count > 1 else { return failures.first.map(phrase) }
            return localized("\(Set(failures.compactMap(\.accessory)).count.ofAccessories) didn't change")
        }
        let success = isRequested ? order(successes) ?? summary(of: successes) : summary(of: successes)
        guard !failures.isEmpty else { return success }
        return localized("\(success); \(Set(failures.compactMap(\.accessory)).count.ofAccessories) failed")
    }

    /// Returns a single requested change of a value: `turned off Hall Lamp`; `nil` for other changes.
    private func order(_ changes: [ActivityChange]) -> String? {
        guard changes.count == 1, let change = changes.first, let words = value(change, withOld: false),
            let place = change.characteristic.flatMap({ places[$0] })
        else { return nil }
        let name = name(place)
        if let power = power(changes) {
            return power ? localized("turned on \(name)") : localized("turned off \(name)")
        }
        if place.characteristic.isPlain { return localized("set \(name) to \(words)") }
        let label = place.characteristic.labelInSentence
        return localized("set the \(label) of \(name) to \(words.dropFirst(label.count + 1))")
    }

    private func summary(of changes: [ActivityChange]) -> String {
        guard changes.count > 1 else { return changes.first.map(phrase) ?? "" }
        if let move = commonMove(changes) { return move }
        let changed = Set(changes.compactMap(\.accessory))
        if let power = power(changes) {
            let nouns = Set(changes.compactMap { change in change.characteristic.flatMap { places[$0]?.service.type } })
            let count =
                nouns == [.lightbulb]
                ? localized("\(changed.count) light", plural: "\(changed.count) lights", count: changed.count)
                : changed.count.ofAccessories
            if changed.count > 1 { return power ? localized("turned on \(count)") : localized("turned off \(count)") }
        }
        let isAboutAccessories = changes.allSatisfy { $0.accessory != nil }
        if changed.count == 1, isAboutAccessories, changes.count <= 4 {
            let names = Set(changes.map { $0.characteristic.flatMap { places[$0] }.map(name) ?? "" })
            if names.count == 1, let name = names.first, !name.isEmpty {
                let values = changes.compactMap { change in value(change, withOld: false) }
                return "\(name): \(values.joined(separator: ", "))"
            }
            return changes.map(phrase).joined(separator: ", ")
        }
        let others = changes.count { $0.accessory == nil }
        if changed.isEmpty {
            return changes.count <= 2
                ? changes.map(phrase).joined(separator: ", ") : localized("made \(others) changes")
        }
        guard others == 0 else { return localized("changed \(changed.count.ofAccessories) and more") }
        return localized("changed \(changed.count.ofAccessories)")
    }

    /// Returns several additions or moves to one room in words; `nil` if there are other changes.
    private func commonMove(_ changes: [ActivityChange]) -> String? {
        var rooms: Set<String> = []
        var additions = 0
        for change in changes {
            switch change {
            case .moved(_, let room): rooms.insert(room)
            case .added(.accessory, _, _): additions += 1
            default: return nil
            }
        }
        if rooms.isEmpty { return localized("added \(additions.ofAccessories)") }
        guard additions == 0, rooms.count == 1, let room = rooms.first else { return nil }
        return localized("moved \(changes.count.ofAccessories) to \(room)")
    }

    /// Returns the common power state that changes have set; `nil` if there are other changes.
    private func power(_ changes: [ActivityChange]) -> Bool? {
        var state: Bool?
        for change in changes {
            guard case .value(_, let id, _, let new) = change, let type = places[id]?.characteristic.type,
                [.on, .active].contains(type), let isOn = new.bool ?? new.number.map({ $0 != 0 }),
                state == nil || state == isOn
            else { return nil }
            state = isOn
        }
        return state
    }

    private func isProblem(_ change: ActivityChange) -> Bool {
        switch change {
        case .failure, .fault, .notRun: true
        case .reachability(_, let isReachable): !isReachable
        default: false
        }
    }

    // MARK: Changes

    /// Returns a change in words: `Hall Lamp: brightness 40 %, before 80 %`.
    package func phrase(_ change: ActivityChange) -> String {
        switch change {
        case .value(let accessory, let characteristic, _, _):
            return
                "\(places[characteristic].map(name) ?? name(accessory)): \(value(change, withOld: true) ?? localized("changed"))"
        case .failure(let accessory, let characteristic, _, let code):
            let name = places[characteristic].map(name) ?? name(accessory)
            let value = value(change, withOld: false) ?? localized("a value")
            return localized("\(name) wasn't set to \(value), because \(localized(key: code.problem))")
        case .reachability(let id, let isReachable):
            return isReachable
                ? localized("\(name(id)) is responding again") : localized("\(name(id)) isn't responding")
        case .fault(let id, let code): return "\(name(id)): \(localized(key: code.problem))"
        case .unblocked(let id): return localized("\(name(id)) was unblocked")
        case .firmware(let id, let version): return localized("\(name(id)) now has firmware \(version)")
        case .moved(let id, let room): return localized("\(name(id)) was moved to \(room)")
        case .added(let object, let name, _): return object.added(name)
        case .renamed(let object, let old, let name, _):
            return object.renamed(old, name)
        case .changed(let object, let name, _): return object.changed(name)
        case .removed(let object, let name): return object.removed(name)
        case .presence(let name, let isHome): return isHome ? localized("\(name) came home") : localized("\(name) left")
        case .message(let text): return localized("sent \"\(text)\"")
        case .notRun(let result):
            let record = TriggerRecord(trigger: missing(), time: time.now, cause: .user, result: result)
            return TriggerPhrases(home: home, time: time).phrase(for: record)
        case .historyRemoved(let name):
            return name.map { localized("The history of \($0) was deleted") }
                ?? localized("The history of the home was deleted")
        }
    }

    private func value(_ change: ActivityChange, withOld: Bool) -> String? {
        let (id, old, new): (Characteristic.ID, CharacteristicValue?, CharacteristicValue)
        switch change {
        case .value(_, let characteristic, let former, let value): (id, old, new) = (characteristic, former, value)
        case .failure(_, let characteristic, let value, _): (id, old, new) = (characteristic, nil, value)
        default: return nil
        }
        guard let place = places[id] else { return nil }
        let characteristic = place.characteristic
        let words = place.accessory.words(for: new, of: characteristic)
        if characteristic.isPlain { return words }
        let label = characteristic.labelInSentence
        guard withOld, characteristic.isGradual, let old, old != new else { return "\(label) \(words)" }
        return localized("\(label) \(words), before \(place.accessory.words(for: old, of: characteristic))")
    }

    private func name(_ place: ValuePlace) -> String { place.accessory.shownName(of: place.service) }

    private func name(_ id: Accessory.ID) -> String { accessories[id]?.name ?? localized("A removed accessory") }

    private func missing<Entity>() -> Identifier<Entity> {
        var random = SystemRandomNumbers()
        return Identifier(using: &random)
    }
}

extension ActivityEntry {
    /// The entry without the renames of main services that got the new names of their accessories.
    fileprivate var withoutImpliedRenames: Self {
        var entry = self
        entry.changes.removeAll { change in
            guard case .renamed(.service, _, let name, let accessory) = change else { return false }
            return changes.contains {
                if case .renamed(.accessory, _, name, accessory) = $0 { true } else { false }
            }
        }
        return entry
    }
}

extension Characteristic {
    /// A Boolean value that indicates whether a value in words needs no label, such as `on` or `motion`.
    fileprivate var isPlain: Bool { Self.plain.contains(type) }

    private static let plain: Set<CharacteristicType> = [
        .on, .active, .carbonDioxideDetected, .carbonMonoxideDetected, .contactSensorState, .currentDoorState, .inUse,
        .leakDetected, .lockCurrentState, .lockTargetState, .motionDetected, .occupancyDetected,
        .programmableSwitchEvent, .securitySystemCurrentState, .securitySystemTargetState, .smokeDetected, .statusFault,
        .statusLowBattery, .targetDoorState, .filterChangeIndication, .obstructionDetected, .statusTampered,
        .outletInUse, .mute,
    ]
}

extension ActivityChange.Object {
    fileprivate func added(_ name: String) -> String {
        switch self {
        case .home: localized("The home \(name) was added")
        case .room: localized("The room \(name) was added")
        case .zone: localized("The zone \(name) was added")
        case .accessory, .service: localized("\(name) was added")
        case .actionSet: localized("The scene \(name) was added")
        case .serviceGroup: localized("The group \(name) was added")
        case .trigger: localized("The automation \(name) was added")
        case .person: localized("\(name) was added to the people of the home")
        }
    }

    fileprivate func renamed(_ old: String, _ name: String) -> String {
        switch self {
        case .home: localized("The home \(old) was renamed to \(name)")
        case .room: localized("The room \(old) was renamed to \(name)")
        case .zone: localized("The zone \(old) was renamed to \(name)")
        case .accessory, .service: localized("\(old) was renamed to \(name)")
        case .actionSet: localized("The scene \(old) was renamed to \(name)")
        case .serviceGroup: localized("The group \(old) was renamed to \(name)")
        case .trigger: localized("The automation \(old) was renamed to \(name)")
        case .person: localized("\(old) was renamed to \(name)")
        }
    }

    fileprivate func changed(_ name: String) -> String {
        switch self {
        case .home: localized("The location of \(name) was changed")
        case .room: localized("The room \(name) was changed")
        case .zone: localized("The zone \(name) was changed")
        case .accessory: localized("\(name) was paired again")
        case .service: localized("\(name) was changed")
        case .actionSet: localized("The scene \(name) was changed")
        case .serviceGroup: localized("The group \(name) was changed")
        case .trigger: localized("The automation \(name) was changed")
        case .person: localized("\(name) was changed")
        }
    }

    fileprivate func removed(_ name: String) -> String {
        switch self {
        case .home: localized("The home \(name) was removed")
        case .room: localized("The room \(name) was removed")
        case .zone: localized("The zone \(name) was removed")
        case .accessory, .service: localized("\(name) was removed")
        case .actionSet: localized("The scene \(name) was removed")
        case .serviceGroup: localized("The group \(name) was removed")
        case .trigger: localized("The automation \(name) was removed")
        case .person: localized("\(name) was removed from the people of the home")
        }
    }
}

extension Int {
    fileprivate var ofAccessories: String { localized("\(self) accessory", plural: "\(self) accessories", count: self) }
}

extension String {
    fileprivate var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}
