/// A name of a home that could be better, and what to call the thing instead.
public struct NameFinding: Sendable, Hashable {
    /// The accessory that has the name, or whose part has it.
    public let accessory: Accessory.ID
    /// The part that has it; `nil` if it is the accessory's own.
    public let service: Service.ID?
    /// The name.
    public let name: String
    /// What could be better; never empty.
    public let hints: [NameHint]
    /// Other names, the best first.
    public let suggestions: [String]
    /// The room that the name repeats, if the accessory is not in it: where it could be put.
    public let room: Room.ID?

    /// Whether the name is to be replaced without more thought.
    ///
    /// One that says a place becomes wrong when the thing is moved. With the maker's word in it somebody may be content.
    public var isFixable: Bool { !suggestions.isEmpty && hints.contains(where: \.isPlace) }
}

extension Accessory {
    /// Its parts whose own names people see and say.
    ///
    /// A main part without its like is shown by the accessory's name, and the name of a part that is its kind is the home's
    /// own work. What only its maker knows is not spoken to.
    fileprivate var partsWithNames: [Service] {
        let parts = parts
        let main = primaryService
        return parts.filter { part in
            let isMain = part.id == main?.id && parts.count { $0.type == part.type } == 1
            return !isMain && part.type.isKnown && NameKey(part.name) != NameKey(name)
                && NameKey(part.name) != NameKey(part.localizedDescription)
        }
    }
}

extension Home {
    /// The names that could be better, those of accessories before those of their parts, in the order to show them.
    public var nameFindings: [NameFinding] {
        accessories.sortedForDisplay.flatMap { accessory in
            [finding(accessory)] + accessory.partsWithNames.map { finding($0, of: accessory) }
        }
        .compactMap(\.self)
    }

    private func finding(_ accessory: Accessory) -> NameFinding? {
        finding(
            accessory.name, of: accessory, service: nil, nameHints(of: accessory.id),
            suggestedNames(from: accessory.name, for: accessory.id),
            others: suggestedNames(
                from: accessory.name.extended(by: accessory.category.localizedDescription), for: accessory.id))
    }

    private func finding(_ service: Service, of accessory: Accessory) -> NameFinding? {
        finding(
            service.name, of: accessory, service: service.id, nameHints(of: service.id),
            suggestedNames(from: service.name, for: service.id),
            others: suggestedNames(from: accessory.name.extended(by: service.name), for: service.id))
    }

    private func finding(
        _ name: String, of accessory: Accessory, service: Service.ID?, _ hints: [NameHint], _ names: [String],
        others: [String]
    ) -> NameFinding? {
        guard !hints.isEmpty else { return nil }
        return NameFinding(
            accessory: accessory.id, service: service, name: name, hints: hints,
            suggestions: suggestions(names, for: name, hints, others: others), room: elsewhere(hints, accessory))
    }

    /// Names in place of one that could be better, the best first.
    ///
    /// A name that is shared is made another by what else is known of the thing, or by a number.
    private func suggestions(_ names: [String], for name: String, _ hints: [NameHint], others: [String]) -> [String] {
        var names = names.filter { NameKey($0) != NameKey(name) }
        guard hints.contains(.ambiguousForVoice) || hints.contains(.genericOnly) else { return names }
        let parts = accessories.flatMap(\.services).filter(\.isUserInteractive).map(\.name)
        let things = accessories.map(\.name) + rooms.map(\.name) + zones.map(\.name) + actionSets.map(\.name)
        let taken = Set((parts + things + [self.name]).map { NameKey($0) })
        let numbered = (2...9).map { "\(name) \($0)" }
        let free = (others.prefix(1) + numbered).filter { NameRules.isValid($0) && !taken.contains(NameKey($0)) }
        names.removeAll { taken.contains(NameKey($0)) }
        // A place in a name is worse than another thing of the name.
        return Array((hints.contains(where: \.isPlace) ? names + free : free + names).prefix(3))
    }

    private func elsewhere(_ hints: [NameHint], _ accessory: Accessory) -> Room.ID? {
        for case .containsLocation(let location) in hints {
            if case .room(let id) = location.place, id != accessory.room { return id }
        }
        return nil
    }
}

extension String {
    /// The name followed by another one, without words that would be there twice: `Garage Door` and `Garage Door Opener` make
    /// `Garage Door Opener`.
    fileprivate func extended(by other: String) -> String {
        if NameWords(self).firstRange(of: NameKey(other)) != nil { return self }
        if NameWords(other).firstRange(of: NameKey(self)) != nil { return other }
        return "\(self) \(other)"
    }
}

extension NameHint {
    fileprivate var isPlace: Bool { if case .containsLocation = self { true } else { false } }

    /// What could be better, in English.
    public var localizedDescription: String {
        switch self {
        case .containsLocation(let location): "it repeats where it is: \(location.name)"
        case .containsMaker: "it names the maker or the model"
        case .ambiguousForVoice: "something else in the home is called the same"
        case .genericOnly: "there are more of its kind in the room"
        }
    }
}
