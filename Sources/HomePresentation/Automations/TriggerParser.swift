package import HomeModel
import TerminalKit
import Texts

/// A parser for automations that people type in commands, files and pages.
///
/// Names and values have the same form as in `homehub write`. Errors quote the invalid words and suggest valid ones.
package struct TriggerParser: Sendable {
    /// The home.
    package let home: Home
    /// The home's local time.
    package let time: HomeTime

    /// The maximum length of a typed text, in bytes.
    static let longestText = 1000

    /// Creates a parser for automations of a home.
    package init(home: Home, time: HomeTime) {
        self.home = home
        self.time = time
    }

    /// Returns the words of a typed text, with parentheses as separate words.
    ///
    /// Text in double quotes is one word.
    ///
    /// - Throws: `HomeError` with code 3 if the text is empty or too long.
    static func words(_ typed: String) throws(HomeError) -> [String] {
        guard typed.utf8.count <= longestText else {
            throw HomeError(.invalidParameter, detail: localized("the text is longer than \(longestText) bytes"))
        }
        var words: [String] = []
        var word = ""
        var isQuoted = false
        func end() {
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        for letter in typed {
            switch letter {
            case "\"": isQuoted.toggle()
            case "(" where !isQuoted, ")" where !isQuoted:
                end()
                words.append(String(letter))
            case _ where letter.isWhitespace && !isQuoted: end()
            // Editors replace apostrophes and minus signs by similar characters.
            case "’" where !isQuoted: word.append("'")
            case "−" where !isQuoted, "–" where !isQuoted: word.append("-")
            default: word.append(letter)
            }
        }
        end()
        guard !words.isEmpty else { throw HomeError(.invalidParameter, detail: "the text is empty") }
        return words
    }
}

extension HomeError {
    /// Returns the error for a text that the parser doesn't understand.
    static func unclear(_ typed: String, _ remedy: String) -> HomeError {
        HomeError(.invalidParameter, detail: localized("don't understand \"\(typed.shown)\"; \(remedy)"))
    }
}
