import HAPModel
package import HomeModel
import TerminalKit

extension Characteristic {
    /// The characteristic's name on the command line, in lower case with dashes.
    ///
    /// It is derived from the name in HAP's catalog or, if there is none, from the manufacturer's description.
    package var word: String {
        if let definition = CharacteristicDefinition.of(type) { return definition.name.dashed }
        let description = (manufacturerDescription ?? "").catalogueWords.dashedWords
        return description.isEmpty ? type.description : description
    }

    /// Returns whether the text is the ``word``, the English name, the type or the identifier, ignoring case, spaces
    /// and punctuation.
    package func answers(to typed: String) -> Bool {
        let key = typed.squashed
        guard !key.isEmpty else { return false }
        return [word, localizedDescription, type.description, "\(id)"].contains { $0.squashed == key }
    }
}

extension String {
    /// The typed form of a name in the catalog, such as `lock-target-state` for `LockTargetState`.
    package var dashed: String { catalogueWords.dashedWords }

    /// The words in lower case with dashes between them, without other characters.
    package var dashedWords: String {
        lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }
}
