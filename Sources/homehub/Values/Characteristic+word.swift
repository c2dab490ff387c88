import HAPModel
import HomeModel
import TerminalKit

extension Characteristic {
    /// What the value is called on the command line: the catalogue's name in lower case with dashes, or what its maker
    /// calls it.
    var word: String {
        if let definition = CharacteristicDefinition.of(type) { return definition.name.dashed }
        let description = (manufacturerDescription ?? "").catalogueWords.dashedWords
        return description.isEmpty ? type.description : description
    }

    /// Whether it is meant by what was typed: its word, its English name, its type or its id, in any spelling.
    func answers(to typed: String) -> Bool {
        let key = typed.squashed
        guard !key.isEmpty else { return false }
        return [word, localizedDescription, type.description, "\(id)"].contains { $0.squashed == key }
    }
}

extension String {
    /// A name of the catalogue, `LockTargetState`, as it is typed: `lock-target-state`.
    var dashed: String { catalogueWords.dashedWords }

    /// Words in lower case with dashes between them, and nothing else.
    var dashedWords: String {
        lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }
}
