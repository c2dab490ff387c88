import Texts

/// A name in a home that can be improved, with alternatives.
public struct NameFinding: Sendable, Hashable {
    /// The accessory that has the name, or whose service has it.
    public let accessory: Accessory.ID
    /// The service that has the name; `nil` if it's the accessory's name.
    public let service: Service.ID?
    /// The name.
    public let name: String
    /// The possible improvements; never empty.
    public let hints: [NameHint]
    /// Alternative names, best first.
    public let suggestions: [String]
    /// The room that the name repeats, if the accessory is in another room and could move there.
    public let room: Room.ID?

    /// A Boolean value that indicates whether to replace the name without confirmation.
    ///
    /// A name that contains a place becomes wrong when the accessory moves. A name that contains the manufacturer or
    /// model may be intentional.
    public var isFixable: Bool { !suggestions.isEmpty && hints.contains(where: \.isPlace) }
}

extension Accessory {
    /// The parts whose own names users see and say.
    ///
    /// A main part without another of its type is displayed with the accessory's name. A part that is named after its
    /// service type got that name from the home, not from its user. Users don't address vendor-specific parts by voice.
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
    /// The names that can be improved, in display order, each accessory before its parts.
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

    /// Returns alternatives for a name that can be improved, best first.
    ///
    /// A shared or generic name is made unique by the category or by a number.
    private func suggestions(_ names: [String], for name: String, _ hints: [NameHint], others: [String]) -> [String] {
        var names = names.filter { NameKey($0) != NameKey(name) }
        guard hints.contains(.ambiguousForVoice) || hints.contains(.genericOnly) else { return names }
        let parts = accessories.flatMap(\.services).filter(\.isUserInteractive).map(\.name)
        let things = accessories.map(\.name) + rooms.map(\.name) + zones.map(\.name) + actionSets.map(\.name)
        let taken = Set((parts + things + [self.name]).map { NameKey($0) })
        let numbered = (2...9).map { "\(name) \($0)" }
        let free = (others.prefix(1) + numbered).filter { NameRules.isValid($0) && !taken.contains(NameKey($0)) }
        names.removeAll { taken.contains(NameKey($0)) }
        // A place in a name is worse than a shared name.
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
    /// Returns the name followed by another name, without repeated words: `Garage Door` and `Garage Door Opener` make
    /// `Garage Door Opener`.
    fileprivate func extended(by other: String) -> String {
        if NameWords(self).firstRange(of: NameKey(other)) != nil { return self }
        if NameWords(other).firstRange(of: NameKey(self)) != nil { return other }
        return "\(self) \(other)"
    }
}

extension NameHint {
    fileprivate var isPlace: Bool { if case .containsLocation = self { true } else { false } }

    /// The hint in English.
    public var localizedDescription: String {
        switch self {
        case .containsLocation(let location): localized("it repeats the location: \(location.name)")
        case .containsMaker: localized("it contains the manufacturer or the model")
        case .ambiguousForVoice: localized("another object in the home has the same name")
        case .genericOnly: localized("the room has several of this type")
        }
    }
}
