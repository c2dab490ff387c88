import BoundedJSON
import HomeModel

/// The names of a home that could be better, with suggestions.
struct NamesReport {
    struct Entry {
        let object: HomeObject
        let finding: NameFinding
        /// The room that the name contains, if any.
        let room: Room?
    }

    let home: Home
    let entries: [Entry]

    init(_ home: Home) {
        self.home = home
        entries = home.nameFindings.compactMap { finding in
            guard let accessory = home.accessory(finding.accessory) else { return nil }
            let part = finding.service.flatMap { accessory.service($0) }
            return Entry(
                object: part.map { .part($0, of: accessory) } ?? .accessory(accessory), finding: finding,
                room: finding.room.flatMap(home.room))
        }
    }

    var text: String {
        guard !entries.isEmpty else { return "All names in \(home.name) are fine.\n" }
        return entries.map { entry in
            var text = "\(entry.object.qualifiedName)\n"
            for hint in entry.finding.hints { text += "  \(hint.localizedDescription)\n" }
            if !entry.finding.suggestions.isEmpty {
                let names = entry.finding.suggestions.map { "\"\($0)\"" }.joined(separator: ", ")
                text += "  suggestions: \(names)\n"
            }
            if let room = entry.room { text += "  could be moved to \(room.name)\n" }
            return text
        }.joined(separator: "\n")
    }

    var listing: JSONValue {
        .array(
            entries.map { entry in
                var object: JSONObject = [
                    "id": .string(entry.object.id), "kind": .string(entry.object.kind.rawValue),
                    "name": .string(entry.object.name), "hints": .array(entry.finding.hints.map { .string($0.name) }),
                    "suggestions": .array(entry.finding.suggestions.map(JSONValue.string)),
                ]
                object["room"] = entry.room.map { .string("\($0.id)") }
                return .object(object)
            })
    }
}
