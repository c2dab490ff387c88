/// The options that all commands of a program accept in any position.
package struct OptionOrder: Sendable {
    private let flags: Set<String>
    private let options: Set<String>

    /// Creates an order from flags, which have no value, and options with a value.
    ///
    /// Both include their dashes.
    package init(flags: Set<String>, options: Set<String>) {
        self.flags = flags
        self.options = options
    }

    /// Moves options that precede the command to the end of the command's arguments, where they are parsed.
    package func movedBehindCommand(_ arguments: [String]) -> [String] {
        var moved: [String] = []
        var rest = arguments[...]
        while let word = rest.first {
            if flags.contains(word) || options.contains(where: { word.hasPrefix($0 + "=") }) {
                moved.append(word)
                rest = rest.dropFirst()
            } else if options.contains(word), rest.count > 1 {
                moved += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        guard let command = rest.first, !command.hasPrefix("-") else { return arguments }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return Array(rest[..<end]) + moved + Array(rest[end...])
    }
}
