package import HomeModel
import Texts

extension TriggerParser {
    /// Parses values to write, as for `homehub write`: `hall lamp on`, `"Reading Lamp" brightness=40`.
    ///
    /// - Throws: `HomeError` with code 2 or 3, and validation errors of values.
    package func writes(typed: String) throws(HomeError) -> [ValueChange] {
        try home.writeOrder(typed: Self.joiningAssignments(Self.words(typed))).fixedChanges(
            for: localized("an automation"))
    }

    /// Returns the words, with assignments such as `brightness = 40` joined into one word.
    private static func joiningAssignments(_ words: [String]) -> [String] {
        var result: [String] = []
        for word in words {
            if let last = result.last, result.count > 1, last.hasSuffix("=") || word.hasPrefix("=") {
                result[result.count - 1] = last + word
            } else {
                result.append(word)
            }
        }
        return result
    }

    /// Returns the scene with the typed name or identifier.
    ///
    /// - Throws: `HomeError` with code 2 if there is no such scene, or code 3 if the name is ambiguous.
    package func scene(typed: String) throws(HomeError) -> ActionSet { try home.scene(addressed: typed) }
}
