import BoundedJSON
import HomeModel

/// Names of a home that could be better, and what to call the things instead.
struct NamesReport {
    /// One name.
    struct Entry {
        let object: HomeObject
        let hints: [NameHint]
        /// Other names, the best first.
        let suggestions: [String]
        /// The room that the name repeats, if the accessory is not in it: where it could be put.
        let room: Room?

        /// Whether there is another name; two parts that sound alike may both be right.
        var isAdvised: Bool { !suggestions.isEmpty }

        /// Whether the name is to be replaced without more thought.
        ///
        /// One that says a place becomes wrong when the thing is moved. With the maker's word in it somebody may be content.
        var isFixable: Bool {
            !suggestions.isEmpty && hints.contains { if case .containsLocation = $0 { true } else { false } }
        }
    }

    let home: Home
    let entries: [Entry]

    init(_ home: Home) {
        self.home = home
        var entries: [Entry] = []
        for accessory in home.accessories.sortedForDisplay {
            let hints = home.nameHints(of: accessory.id)
            entries.append(
                Entry(
                    object: .accessory(accessory), hints: hints,
                    suggestions: home.suggestions(
                        home.suggestedNames(from: accessory.name, for: accessory.id), for: accessory.name, hints,
                        others: home.suggestedNames(
                            from: "\(accessory.name) \(accessory.category.localizedDescription)", for: accessory.id)),
                    room: home.elsewhere(hints, accessory)))
            for service in accessory.parts where NameKey(service.name) != NameKey(accessory.name) {
                let hints = home.nameHints(of: service.id)
                entries.append(
                    Entry(
                        object: .part(service, of: accessory), hints: hints,
                        suggestions: home.suggestions(
                            home.suggestedNames(from: service.name, for: service.id), for: service.name, hints,
                            others: home.suggestedNames(
                                from: "\(accessory.name) \(service.name)", for: service.id)),
                        room: home.elsewhere(hints, accessory)))
            }
        }
        self.entries = entries.filter { !$0.hints.isEmpty }
    }

    var text: String {
        guard !entries.isEmpty else { return "All names in \(home.name) are good.\n" }
        return entries.map { entry in
            var text = "\(entry.object.qualifiedName)\n"
            for hint in entry.hints { text += "  \(hint.sentence)\n" }
            if entry.isAdvised {
                let names = entry.suggestions.map { "\"\($0)\"" }.joined(separator: ", ")
                text += "  better: \(names)\n"
            }
            if let room = entry.room { text += "  it could be assigned to \(room.name)\n" }
            return text
        }.joined(separator: "\n")
    }

    var listing: JSONValue {
        .array(
            entries.map { entry in
                var object: JSONObject = [
                    "id": .string(entry.object.id), "kind": .string(entry.object.kind.rawValue),
                    "name": .string(entry.object.name), "hints": .array(entry.hints.map { .string($0.name) }),
                    "suggestions": .array(entry.suggestions.map(JSONValue.string)),
                ]
                object["room"] = entry.room.map { .string("\($0.id)") }
                return .object(object)
            })
    }
}

extension Home {
    /// Names in place of one that could be better, the best first.
    ///
    /// A name that is shared is made another by what else is known of the thing, or by a number.
    fileprivate func suggestions(
        _ names: [String], for name: String, _ hints: [NameHint], others: [String]
    ) -> [String] {
        var names = names.filter { NameKey($0) != NameKey(name) }
        guard hints.contains(.ambiguousForVoice) || hints.contains(.genericOnly) else { return names }
        let parts = accessories.flatMap(\.services).filter(\.isUserInteractive).map(\.name)
        let things = accessories.map(\.name) + rooms.map(\.name) + zones.map(\.name) + actionSets.map(\.name)
        let taken = Set((parts + things + [self.name]).map { NameKey($0) })
        let numbered = (2...9).map { "\(name) \($0)" }
        let free = (others.prefix(1) + numbered).filter { NameRules.isValid($0) && !taken.contains(NameKey($0)) }
        names.removeAll { taken.contains(NameKey($0)) }
        // A place in a name is worse than another thing of the name.
        let repeatsPlace = hints.contains { if case .containsLocation = $0 { true } else { false } }
        return Array((repeatsPlace ? names + free : free + names).prefix(3))
    }

    fileprivate func elsewhere(_ hints: [NameHint], _ accessory: Accessory) -> Room? {
        for case .containsLocation(let location) in hints {
            if case .room(let id) = location.place, id != accessory.room { return room(id) }
        }
        return nil
    }
}

extension NameHint {
    /// What could be better, for people.
    var sentence: String {
        switch self {
        case .containsLocation(let location): "it repeats where it is: \(location.name)"
        case .containsMaker: "it names the maker or the model"
        case .ambiguousForVoice: "something else in the home is called the same"
        case .genericOnly: "there are more of its kind in the room"
        }
    }
}
