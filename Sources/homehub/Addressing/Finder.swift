import HomeModel
import TerminalKit

/// Finds the object that a person means by a name or an id.
struct Finder<Object: NamedObject> where Object.ID == Identifier<Object> {
    let objects: [Object]
    /// What such an object is called in a refusal.
    let noun: String
    /// Where the objects are, as it stands behind the noun; empty if that goes without saying.
    let place: String
    /// The words behind `homehub` that list them.
    let listing: String
    /// Whether the whole name has to be said, as of what is to be removed.
    var isWhole = false

    /// The object of that id or name; case, spaces and apostrophes of the name do not count.
    ///
    /// The beginning of a name is as good if it is that of no other.
    ///
    /// - Throws: 2 if there is none, with names that are near; 3 if there are several, with their ids.
    func one(_ typed: String) throws(HomeError) -> Object {
        if let id = Object.ID(typed), let object = objects.first(where: { $0.id == id }) { return object }
        var found = objects.named(typed)
        if found.isEmpty, !isWhole, let name = objects.map(\.name).only(beginningWith: typed) {
            found = objects.named(name)
        }
        guard let object = found.first else {
            throw Refusal.notFound(typed, noun, place, listing, among: objects.map(\.name))
        }
        guard found.count == 1 else {
            throw Refusal.ambiguous(
                typed, candidates: found.sortedForDisplay.map { ("\(noun) \($0.name)", "\($0.id)") })
        }
        return object
    }
}

/// What is said to a person whose words name nothing, or too much.
enum Refusal {
    /// Nothing bears the name (2).
    static func notFound(
        _ typed: String, _ noun: String, _ place: String, _ listing: String, among names: [String]
    ) -> HomeError {
        let near = names.near(typed)
        let sentence = "there is no \(noun) \"\(typed.shown)\"" + (place.isEmpty ? "" : " \(place)")
        return HomeError(
            .notFound, detail: near.isEmpty ? "\(sentence); \"homehub \(listing)\" shows what there is" : sentence,
            suggestions: near)
    }

    /// Several objects have the name (3); each candidate comes with unambiguous words for it.
    static func ambiguous(_ typed: String, candidates: [(what: String, words: String)]) -> HomeError {
        let list = candidates.prefix(8).map { "\"\($0.words)\" (\($0.what))" }.joined(separator: " or ")
        return HomeError(
            .invalidParameter, detail: "\"\(typed.shown)\" can mean \(candidates.count) things; write \(list)")
    }
}

extension Collection<String> {
    /// The only name that begins with what was typed, which has to be two letters at least.
    func only(beginningWith typed: String) -> String? {
        let key = NameKey(typed).description
        guard key.count > 1 else { return nil }
        let found = filter { NameKey($0).description.hasPrefix(key) }
        return Set(found.map { NameKey($0) }).count == 1 ? found.first : nil
    }

    /// The names that were probably meant, three at most: the one a slip away, and those that the words are part of.
    func near(_ typed: String) -> [String] {
        let key = NameKey(typed).description
        guard !key.isEmpty else { return [] }
        let byKey = Dictionary(map { (NameKey($0).description, $0) }) { first, _ in first }
        let nearest = key.nearest(in: byKey.keys)
        let containing = byKey.keys.filter { $0 != nearest && key.count > 2 && $0.contains(key) }.sorted()
        return (CollectionOfOne(nearest).compactMap(\.self) + containing).prefix(3).compactMap { byKey[$0] }
    }
}

extension String {
    /// What somebody typed, as it may be shown to them again.
    var shown: String { String(prefix(64)).sanitized }
}
