import BridgeControl
import Glibc
import SetupQR

/// The surroundings of the command: what it reads of them and writes to them.
struct Terminal: Sendable {
    /// The process's own, unless a test brings another.
    @TaskLocal static var current = Terminal()

    var write: @Sendable (String) -> Void = { Self.write($0, to: STDOUT_FILENO) }
    var writeError: @Sendable (String) -> Void = { Self.write($0, to: STDERR_FILENO) }
    var environment: @Sendable (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    var exists: @Sendable (String) -> Bool = { access($0, F_OK) == 0 }
    var isTerminal: @Sendable () -> Bool = { isatty(STDOUT_FILENO) == 1 }

    /// One line of standard input, if a person sits there.
    var readLine: @Sendable () -> String? = { isatty(STDIN_FILENO) == 1 ? Swift.readLine() : nil }

    /// Asks the operator.
    ///
    /// - Throws: ``BridgeControlError`` if nobody is there to answer.
    func answer(to question: String) throws(BridgeControlError) -> String {
        writeError(question)
        guard let answer = readLine() else {
            writeError("\n")
            throw .usage("nobody is there to answer; say --yes")
        }
        return answer
    }

    var abilities: TerminalAbilities {
        TerminalAbilities(isTerminal: isTerminal(), environment: environment)
    }

    private static func write(_ text: String, to file: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Nobody reads any more: end as a program does that a broken pipe kills.
            guard count > 0 else { exit(128 + SIGPIPE) }
            rest = rest.dropFirst(count)
        }
    }
}
