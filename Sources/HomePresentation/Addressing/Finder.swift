package import HomeModel
import TerminalKit
import Texts

/// Finds objects by the name or identifier that a user types.
package struct Finder<Object: NamedObject> where Object.ID == Identifier<Object> {
    private let objects: [Object]
    /// The noun for an object in error messages, such as `room`.
    private let noun: String
    /// The words after the noun in error messages, such as `in Home`; empty if the location is obvious.
    private let place: String
    /// The `homehub` command that lists the objects, without the program's name.
    private let listing: String
    /// Whether a complete name is required, for example to remove an object.
    private let isWhole: Bool

    /// Creates a finder for the given objects.
    package init(objects: [Object], noun: String, place: String, listing: String, isWhole: Bool = false) {
        self.objects = objects
        self.noun = noun
        self.place = place
        self.listing = listing
        self.isWhole = isWhole
    }

    /// Returns the object with the given identifier or name.
    ///
    /// Case, spaces and apostrophes in names are ignored.
    ///
    /// The beginning of a name suffices if it is unique.
    ///
    /// - Throws: `HomeError` with code 2 and similar names if nothing matches, or code 3 and the identifiers if several
    ///   objects match.
    package func one(_ typed: String) throws(HomeError) -> Object {
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

/// The errors for names that match no object or several objects.
package enum Refusal {
    /// Returns the error for an unknown name, which has code 2.
    package static func notFound(
        _ typed: String, _ noun: String, _ place: String, _ listing: String, among names: [String]
    ) -> HomeError {
        let near = names.near(typed)
        let sentence =
            place.isEmpty
            ? localized("there's no \(noun) called \"\(typed.shown)\"")
            : localized("there's no \(noun) called \"\(typed.shown)\" \(place)")
        return HomeError(
            .notFound, detail: near.isEmpty ? localized("\(sentence); list them with homehub \(listing)") : sentence,
            suggestions: near)
    }

    /// Returns the error for an ambiguous name, which has code 3.
    ///
    /// The `words` of a candidate are an unambiguous name or identifier.
    package static func ambiguous(_ typed: String, candidates: [(what: String, words: String)]) -> HomeError {
        let list = candidates.prefix(8).map { "\"\($0.words)\" (\($0.what))" }.joined(separator: " \(localized("or")) ")
        return HomeError(.invalidParameter, detail: localized("\"\(typed.shown)\" is ambiguous; use \(list)"))
    }
}

extension Collection<String> {
    /// Returns the only name that begins with the typed text; `nil` if no name or several names do, or if the text has
    /// fewer than two letters or digits.
    package func only(beginningWith typed: String) -> String? {
        let key = NameKey(typed).description
        guard key.count > 1 else { return nil }
        let found = filter { NameKey($0).description.hasPrefix(key) }
        return Set(found.map { NameKey($0) }).count == 1 ? found.first : nil
    }

    /// Returns up to three similar names: the name that was probably meant, and names that contain the text.
    package func near(_ typed: String) -> [String] {
        let key = NameKey(typed).description
        guard !key.isEmpty else { return [] }
        let byKey = Dictionary(map { (NameKey($0).description, $0) }) { first, _ in first }
        let nearest = key.nearest(in: byKey.keys)
        let containing = byKey.keys.filter { $0 != nearest && key.count > 2 && $0.contains(key) }.sorted()
        return (CollectionOfOne(nearest).compactMap(\.self) + containing).prefix(3).compactMap { byKey[$0] }
    }
}

extension String {
    /// The typed text in a form that is safe to print.
    package var shown: String { String(prefix(64)).sanitized }
}
