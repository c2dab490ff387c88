package import HAPModel
package import HomeModel
import SystemKit
import Texts

/// A parsed `write` command, before the current values are read.
///
/// The arguments of `write` are a target, which may be a place, a group or a kind, and the changes: `kitchen lights
/// off`, `"Reading Lamp" brightness=+10 on=yes`, `blinds close`.
package struct WriteOrder: Equatable {
    /// The requested change of a value.
    package enum Wanted: Equatable {
        /// A value, and the typed number if it was rounded to a step.
        case value(CharacteristicValue, asked: CharacteristicValue?)
        /// The difference from the current value.
        case step(Double)
        /// The opposite state: off if any target of the command is on, or else on.
        case other(ServiceToggle)
    }

    package struct Item: Equatable {
        package let place: ValuePlace
        package let wanted: Wanted
    }

    package let items: [Item]

    /// The characteristics to read before writing.
    package var unread: [ValuePlace] {
        items.filter {
            if case .value = $0.wanted { false } else { true }
        }.map(\.place)
    }

    /// Returns the changes for a scene or an automation.
    ///
    /// - Parameter owner: The noun for errors, such as `a scene`.
    /// - Returns: One change for each item.
    /// - Throws: `HomeError` with code 3 for a step or a toggle, which depend on current values.
    package func fixedChanges(for owner: String) throws(HomeError) -> [ValueChange] {
        var changes: [ValueChange] = []
        for item in items {
            guard case .value(let value, let asked) = item.wanted else {
                throw HomeError(
                    .invalidParameter,
                    detail:
                        localized(
                            "\(owner) needs a fixed value for \(item.place.characteristic.word), not a step or toggle"))
            }
            changes.append(ValueChange(place: item.place, value: value, asked: asked))
        }
        return changes
    }

    /// Returns the values to write, given the values that were read.
    ///
    /// - Returns: One change per item. Steps from an unknown value are omitted, and so are steps that have no effect
    ///   because the value is already at its limit.
    /// - Throws: The validation error of a number that is out of range.
    package func changes(
        given present: [Characteristic.ID: CharacteristicValue]
    ) throws(HomeError) -> [ValueChange] {
        let isAnyOn = items.contains { item in
            guard case .other(let toggle) = item.wanted, let value = present[toggle.characteristic] else {
                return false
            }
            return toggle.isOn(value)
        }
        var changes: [ValueChange] = []
        for item in items {
            let characteristic = item.place.characteristic
            switch item.wanted {
            case .value(let value, let asked):
                changes.append(ValueChange(place: item.place, value: value, asked: asked))
            case .other(let toggle):
                changes.append(ValueChange(place: item.place, value: isAnyOn ? toggle.off : toggle.on))
            case .step(let step):
                guard let number = present[characteristic.id]?.number else { continue }
                let value = try characteristic.metadata.validatedWrite(
                    characteristic.metadata.number(number + step, atLeast: number, step: step))
                if value != present[characteristic.id] { changes.append(ValueChange(place: item.place, value: value)) }
            }
        }
        return changes
    }
}

extension CharacteristicMetadata {
    /// Returns the number, clamped to the limits, in the characteristic's format.
    fileprivate func number(_ wanted: Double, atLeast present: Double, step: Double) -> CharacteristicValue {
        let number = min(max(wanted, minimum ?? wanted), maximum ?? wanted)
        // A step smaller than the accessory's step would have no effect, so use the accessory's step.
        guard let own = self.step, step.magnitude < own else {
            return .float(format == .float ? number : number.rounded())
        }
        let next = present + (step < 0 ? -own : own)
        return .float(min(max(next, minimum ?? next), maximum ?? next))
    }
}

/// A verb that changes the state of accessories.
package enum Verb: String, CaseIterable {
    case on, off, toggle, open, close, lock, unlock

    /// The types of characteristics that the verb changes.
    package var types: Set<CharacteristicType> {
        switch self {
        case .on, .off, .toggle: [.on, .active]
        case .open, .close: [.targetDoorState, .targetPosition]
        case .lock, .unlock: [.lockTargetState]
        }
    }

    /// The kinds of services that the verb affects if the command names only a room or zone; `nil` for all kinds.
    ///
    /// For example, `kitchen off` doesn't affect the alarm or the heating.
    package var kinds: Set<ServiceType>? {
        switch self {
        case .on, .off, .toggle: [.lightbulb, .switch, .outlet, .fan, .fanv2]
        case .open, .close: [.windowCovering, .window, .door]
        case .lock, .unlock: nil
        }
    }

    package func wanted(_ toggle: ServiceToggle) -> WriteOrder.Wanted {
        switch self {
        case .on, .open, .unlock: .value(toggle.on, asked: nil)
        case .off, .close, .lock: .value(toggle.off, asked: nil)
        case .toggle: .other(toggle)
        }
    }
}

// MARK: Parsing

extension Home {
    /// Parses the arguments of `write`.
    ///
    /// - Throws: `HomeError` with code 2 or 3 for unknown or ambiguous words, and validation errors of values.
    package func writeOrder(typed words: [String]) throws(HomeError) -> WriteOrder {
        let wanted = words.suffix(countOfChanges(words))
        let named = words.dropLast(wanted.count).joined(separator: " ")
        guard !wanted.isEmpty else {
            throw HomeError(
                .invalidParameter,
                detail: localized("don't understand \"\(words.last?.shown ?? "")\"; try on, off or brightness=40"))
        }
        let target = try writeTarget(named)
        var items: [WriteOrder.Item] = []
        for word in wanted {
            for item in try target.items(typed: word) {
                guard !items.contains(where: { $0.place.characteristic.id == item.place.characteristic.id }) else {
                    throw HomeError(
                        .invalidParameter,
                        detail: localized("\(item.place.characteristic.word) is specified twice; specify it only once"))
                }
                items.append(item)
            }
        }
        return WriteOrder(items: items)
    }

    /// Returns the number of words at the end that are changes.
    ///
    /// The first word always belongs to the target, because a lamp may be named On. Other verbs also belong to the
    /// target if they are part of a complete name, such as `Front Door Lock`.
    private func countOfChanges(_ words: [String]) -> Int {
        let count = words.reversed().prefix { $0.contains("=") || Verb(rawValue: $0.lowercased()) != nil }.count
        let most = max(0, min(count, words.count - 1))
        guard most > 1 else { return most }
        let named = (1..<most).first { changes in
            let rest = words.dropLast(changes)
            return !(rest.last?.contains("=") ?? true)
                && (try? valueTarget(rest.joined(separator: " "), isWhole: true)) != nil
        }
        return named ?? most
    }

    /// Returns the target with the given name, or else the services of the given kind.
    ///
    /// A kind may follow the name of a room or zone; otherwise, it applies to the entire home.
    private func writeTarget(_ typed: String) throws(HomeError) -> WriteTarget {
        do throws(HomeError) {
            return try WriteTarget(valueTarget(typed, isWhole: true), of: self)
        } catch  where error.code != .notFound {
            throw error
        } catch {}
        if let group = serviceGroups.named(typed).first {
            guard !group.services.isEmpty else {
                throw HomeError(
                    .notFound,
                    detail:
                        "\(group.name) is empty; add to it with \(ShellCommand.homehub) groups put '\(group.name)' ACCESSORY"
                )
            }
            return .several(group.services, of: self, name: group.name, isKind: true)
        }
        if let kinds = Self.kinds(NameKey(typed)) {
            return try .kind(typed, rows().filter { kinds.contains($0.kind) }, of: self, place: name)
        }
        let words = typed.split(separator: " ").map(String.init)
        for split in words.indices.dropFirst() {
            let kind = words[split...].joined(separator: " ")
            guard let kinds = Self.kinds(NameKey(kind)),
                case .place(let accessories, let name)? = try? valueTarget(words[..<split].joined(separator: " "))
            else { continue }
            let rows = accessories.flatMap { $0.rows() }.filter { kinds.contains($0.kind) }
            return try .kind(kind, rows, of: self, place: name)
        }
        // A kind takes precedence over the beginning of a name.
        return WriteTarget(try valueTarget(typed), of: self)
    }
}

/// The services whose values are written.
private enum WriteTarget {
    case one(ValueTarget)
    /// Services of several accessories; `isKind` is `true` if the user has chosen a group or a kind of service.
    case several([Service.ID], of: Home, name: String, isKind: Bool)

    init(_ target: ValueTarget, of home: Home) {
        switch target {
        case .place(let accessories, let name):
            self = .several(accessories.flatMap { $0.rows() }.map(\.id), of: home, name: name, isKind: false)
        case .accessory, .part, .value: self = .one(target)
        }
    }

    /// Returns the target for the services of a kind in a place.
    ///
    /// - Throws: `HomeError` with code 2 if there are no such services.
    static func kind(
        _ typed: String, _ rows: [ServiceRow], of home: Home, place: String
    ) throws(HomeError) -> WriteTarget {
        let name = "\(typed.shown) in \(place)"
        guard !rows.isEmpty else {
            throw HomeError(
                .notFound,
                detail: typed.hasSuffix("s") ? localized("there are no \(name)") : localized("there's no \(name)"))
        }
        return .several(rows.map(\.id), of: home, name: name, isKind: true)
    }

    func items(typed word: String) throws(HomeError) -> [WriteOrder.Item] {
        if let verb = Verb(rawValue: word.lowercased()) { return try items(verb) }
        guard let equals = word.firstIndex(of: "=") else { return [] }
        var name = String(word[..<equals])
        var sign = 0.0
        if let last = name.last, last == "+" || last == "-" {
            sign = last == "-" ? -1 : 1
            name.removeLast()
        }
        let wanted = String(word[word.index(after: equals)...])
        switch self {
        case .one(let target): return [try target.settablePlace(name).item(typed: wanted, sign: sign)]
        case .several(let ids, let home, let target, _):
            let places = ids.compactMap { id in
                home.accessory(of: id).flatMap { accessory in
                    accessory.service(id)?.places(in: accessory).first {
                        $0.characteristic.answers(to: name)
                            && $0.characteristic.metadata.permissions.contains(.pairedWrite)
                    }
                }
            }
            guard !places.isEmpty else {
                throw HomeError(.notFound, detail: localized("can't set \"\(name.shown)\" of \(target)"))
            }
            var items: [WriteOrder.Item] = []
            for place in places { items.append(try place.item(typed: wanted, sign: sign)) }
            return items
        }
    }

    private func items(_ verb: Verb) throws(HomeError) -> [WriteOrder.Item] {
        switch self {
        case .one(let target):
            guard let item = target.parts.lazy.compactMap({ $0.service.item(verb, in: $0.accessory) }).first else {
                throw HomeError(.notFound, detail: localized("\(target.name) can't be \(verb.participle)"))
            }
            return [item]
        case .several(let ids, let home, let name, let isKind):
            let items = ids.compactMap { id -> WriteOrder.Item? in
                guard let accessory = home.accessory(of: id), let service = accessory.service(id) else { return nil }
                let kind = service.associatedServiceType ?? service.type
                guard isKind || verb.kinds?.contains(kind) ?? true else { return nil }
                return service.item(verb, in: accessory)
            }
            guard !items.isEmpty else {
                throw HomeError(
                    .notFound,
                    detail: isKind
                        ? localized("\(name) can't be \(verb.participle)")
                        : localized("nothing in \(name) can be \(verb.participle)"))
            }
            return items
        }
    }
}

extension Verb {
    fileprivate var participle: String {
        switch self {
        case .on: localized("turned on")
        case .off: localized("turned off")
        case .toggle: localized("toggled")
        case .open: localized("opened")
        case .close: localized("closed")
        case .lock: localized("locked")
        case .unlock: localized("unlocked")
        }
    }
}

extension ValueTarget {
    /// Returns the characteristic with the given name, preferring a target to a current value with a similar name.
    ///
    /// - Throws: `HomeError` with code 2 if nothing matches, or code 3 if several parts have the characteristic.
    fileprivate func settablePlace(_ word: String) throws(HomeError) -> ValuePlace {
        do throws(HomeError) {
            let place = try place(word)
            guard !place.characteristic.metadata.permissions.contains(.pairedWrite),
                let target = try? self.place("target \(word)")
            else { return place }
            return target
        } catch {
            if let place = try? place("target \(word)") { return place }
            throw error
        }
    }

    /// The parts that a verb may change, in order of preference.
    fileprivate var parts: [(service: Service, accessory: Accessory)] {
        switch self {
        case .accessory(let accessory): accessory.parts.map { ($0, accessory) }
        case .part(let service, let accessory), .value(_, let service, let accessory): [(service, accessory)]
        case .place: []
        }
    }
}

extension Service {
    fileprivate func item(_ verb: Verb, in accessory: Accessory) -> WriteOrder.Item? {
        guard let toggle, let characteristic = characteristics.first(where: { $0.id == toggle.characteristic }),
            verb.types.contains(characteristic.type)
        else { return nil }
        return WriteOrder.Item(
            place: ValuePlace(accessory: accessory, service: self, characteristic: characteristic),
            wanted: verb.wanted(toggle))
    }
}

extension ValuePlace {
    /// Parses the text after `value=`: a value, or a step with a sign.
    ///
    /// A minus sign means a step if the value can't be negative. `value-=` always means a step.
    fileprivate func item(typed: String, sign: Double) throws(HomeError) -> WriteOrder.Item {
        let metadata = characteristic.metadata
        if typed.lowercased() == Verb.toggle.rawValue, let toggle = service.toggle,
            toggle.characteristic == characteristic.id
        {
            return WriteOrder.Item(place: self, wanted: .other(toggle))
        }
        let isSigned = typed.hasPrefix("+") || typed.hasPrefix("-") && (metadata.minimum ?? -1) >= 0
        // Enumerations have no steps.
        let hasSteps =
            metadata.format.isNumeric && metadata.validValues == nil && characteristic.type.valueNames.isEmpty
        guard hasSteps, sign != 0 || isSigned else {
            guard sign == 0 else {
                throw HomeError(
                    .invalidValueType,
                    detail: localized("\(characteristic.word) can't be changed in steps; give a value"))
            }
            let value = try characteristic.value(typed: typed)
            let asked = characteristic.numberBetweenSteps(typed: typed, writing: value)
            return WriteOrder.Item(place: self, wanted: .value(value, asked: asked))
        }
        guard metadata.permissions.contains([.pairedRead, .pairedWrite]) else {
            // If the value can't be written or is invalid, this throws a more specific error.
            _ = try characteristic.value(typed: typed)
            throw HomeError(
                .writeOnlyCharacteristic,
                detail: localized("\(characteristic.word) can't be read, so it can't be changed in steps; give a value")
            )
        }
        let step = try characteristic.number(ofStep: typed) * (sign == 0 ? 1 : sign)
        return WriteOrder.Item(place: self, wanted: .step(step))
    }
}
