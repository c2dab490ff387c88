/// A typed command: `LockTargetState=1`, `press ProgrammableSwitchEvent double`, `away Porch`.
enum TerminalCommand: Equatable {
    case show(String?)
    case set(String, String)
    case press(String?, kind: Int64)
    case reachable(Bool, String?)
    case unlock
    case help
    case quit
    case nothing

    /// An error in a typed line.
    struct Mistake: Error, Equatable { let message: String }

    static let manual = """
        NAME=VALUE                   set a characteristic: MotionDetected=true, Front Door/LockCurrentState=2
        press [NAME] [single|double|long]
                                     press a button
        show [NAME]                  list characteristics and their values
        away [ACCESSORY]             make an accessory, or all, unreachable
        back [ACCESSORY]             make it reachable again
        unlock                       allow pairing again after wrong setup codes
        quit
        """

    private static let presses: [String: Int64] = ["single": 0, "double": 1, "long": 2]

    /// Parses a line.
    ///
    /// - Throws: ``Mistake`` if the line isn't a valid command.
    init(_ line: String) throws(Mistake) {
        let line = line.trimmed
        if let equals = line.firstIndex(of: "=") {
            let name = String(line[..<equals]).trimmed
            guard !name.isEmpty else { throw Mistake(message: "the name is missing; use NAME=VALUE") }
            self = .set(name, String(line[line.index(after: equals)...]).trimmed)
            return
        }
        let words = line.split(separator: " ", maxSplits: 1).map { String($0).trimmed }
        let rest = words.count > 1 ? words[1] : nil
        switch words.first?.lowercased() {
        case nil: self = .nothing
        case "show": self = .show(rest)
        case "press":
            var parts = rest?.split(separator: " ").map(String.init) ?? []
            let kind = parts.last.flatMap { Self.presses[$0.lowercased()] }
            if kind != nil { parts.removeLast() }
            self = .press(parts.isEmpty ? nil : parts.joined(separator: " "), kind: kind ?? 0)
        case "away": self = .reachable(false, rest)
        case "back": self = .reachable(true, rest)
        case "unlock": self = .unlock
        case "help", "?": self = .help
        case "quit", "exit": self = .quit
        case .some(let word): throw Mistake(message: "unknown command \(word); type help for a list")
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
