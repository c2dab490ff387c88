import HAPModel
package import HomeModel
import TerminalKit

extension Characteristic {
    /// The name of the value on the command line: the catalog's name in lower case with dashes, or the manufacturer's
    /// name.
    package var word: String {
        if let definition = CharacteristicDefinition.of(type) { return definition.name.dashed }
        let description = (manufacturerDescription ?? "").catalogueWords.dashedWords
        return description.isEmpty ? type.description : description
    }

    /// Returns whether the text is the word, the English name, the type or the identifier, ignoring case, spaces and
    /// punctuation.
    package func answers(to typed: String) -> Bool {
        let key = typed.squashed
        guard !key.isEmpty else { return false }
        return [word, localizedDescription, type.description, "\(id)"].contains { $0.squashed == key }
    }
}

extension String {
    /// A name of the catalog, such as `LockTargetState`, in its typed form: `lock-target-state`.
    package var dashed: String { catalogueWords.dashedWords }

    /// The words in lower case with dashes between them, without other characters.
    package var dashedWords: String {
        lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }
}
