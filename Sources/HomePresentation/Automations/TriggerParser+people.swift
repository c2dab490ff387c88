import HomeModel
import Texts

extension TriggerParser {
    /// Parses names with commas, "and" or "or" between them.
    ///
    /// A name can contain these words, so the longest complete name takes precedence.
    ///
    /// - Parameters:
    ///   - words: The words of the list.
    ///   - isWhole: Whether all names must be complete.
    /// - Returns: The people, and whether "or" joins their names; `nil` if `isWhole` is `true` and a name isn't
    ///   complete.
    /// - Throws: `HomeError` with code 2 or 3 if a name is unknown or ambiguous.
    func people(
        _ words: [String], isWhole: Bool = false
    ) throws(HomeError) -> (ids: [Resident.ID], isAlternative: Bool)? {
        let parts = words.flatMap { word in
            word.split(separator: ",", omittingEmptySubsequences: false).map(String.init).joined(separatedBy: ",")
        }.filter { !$0.isEmpty }
        let isSeparator = parts.map { [",", "and", "or"].contains($0.lowercased()) }
        var list = (ids: [Resident.ID](), isAlternative: false)
        var start = 0
        // A person can be called "Or".
        var isAfterSeparator = true
        while start < parts.count {
            let ends = (start + 1...parts.count).filter { $0 == parts.count || isSeparator[$0] }
            let name = { (end: Int) in parts[start..<end].joined(separator: " ") }
            let isName = isAfterSeparator && ends.contains { !home.people.named(name($0)).isEmpty }
            isAfterSeparator = isSeparator[start] && !isName
            guard !isAfterSeparator else {
                if parts[start].lowercased() == "or" { list.isAlternative = true }
                start += 1
                continue
            }
            let person: Resident
            if let end = ends.last(where: { !home.people.named(name($0)).isEmpty }),
                let found = home.people.named(name(end)).first
            {
                (person, start) = (found, end)
            } else {
                guard !isWhole, let end = ends.first else { return nil }
                person = try home.person(addressed: name(end))
                start = end
            }
            if !list.ids.contains(person.id) { list.ids.append(person.id) }
        }
        guard !list.ids.isEmpty else {
            guard !isWhole else { return nil }
            throw .unclear(words.joined(separator: " "), localized("use the name of a person, or anyone"))
        }
        return list
    }
}

extension [String] {
    /// The elements with a separator between them.
    fileprivate func joined(separatedBy separator: String) -> [String] {
        Array(map { [$0] }.joined(separator: [separator]))
    }
}
