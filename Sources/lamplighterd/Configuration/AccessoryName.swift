/// Makes names that HomeKit takes: one bad name makes a controller refuse the whole bridge.
///
/// Safe are letters and digits of any script, space and apostrophe; `-`, `.` and `,` are tolerated. A name begins and
/// ends with a letter or digit and has at most 64 bytes.
enum AccessoryName {
    static let maximumLength = 64

    /// The name with the fewest changes that make it valid; `nil` if nothing is left of it.
    static func valid(_ name: String) -> String? {
        var text = ""
        for character in name {
            switch character {
            case "\u{2018}", "\u{2019}": text.append("'")
            case _ where isSafe(character) || "'-.,".contains(character): text.append(character)
            default: if !text.hasSuffix(" ") { text.append(" ") }
            }
        }
        while text.utf8.count > maximumLength { text.removeLast() }
        let trimmed = text.drop { !isSafe($0) }
        guard let end = trimmed.lastIndex(where: isSafe) else { return nil }
        return String(trimmed[...end])
    }

    private static func isSafe(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first else { return false }
        // An emoji such as 1️⃣ begins with a digit.
        let isEmoji = character.unicodeScalars.contains { $0 == "\u{FE0F}" || $0 == "\u{20E3}" }
        return !isEmoji && (first.properties.isAlphabetic || first.properties.numericType != nil)
    }
}
