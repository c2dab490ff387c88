import Glibc

/// The surroundings of the command: what it reads of them and writes to them.
package struct Terminal: Sendable {
    /// The process's own, unless a test brings another.
    @TaskLocal package static var current = Terminal()

    package var write: @Sendable (String) -> Void
    package var writeError: @Sendable (String) -> Void
    package var environment: @Sendable (String) -> String?
    package var exists: @Sendable (String) -> Bool
    package var isTerminal: @Sendable () -> Bool

    /// One line of standard input, if a person sits there.
    package var readLine: @Sendable () -> String?

    /// The process's own, in place of which each part can be given.
    package init(
        write: @escaping @Sendable (String) -> Void = { Terminal.write($0, to: STDOUT_FILENO) },
        writeError: @escaping @Sendable (String) -> Void = { Terminal.write($0, to: STDERR_FILENO) },
        environment: @escaping @Sendable (String) -> String? = { name in getenv(name).map { String(cString: $0) } },
        exists: @escaping @Sendable (String) -> Bool = { access($0, F_OK) == 0 },
        isTerminal: @escaping @Sendable () -> Bool = { isatty(STDOUT_FILENO) == 1 },
        readLine: @escaping @Sendable () -> String? = { isatty(STDIN_FILENO) == 1 ? Swift.readLine() : nil }
    ) {
        self.write = write
        self.writeError = writeError
        self.environment = environment
        self.exists = exists
        self.isTerminal = isTerminal
        self.readLine = readLine
    }

    /// Asks the operator.
    ///
    /// - Throws: ``TerminalError`` if nobody is there to answer.
    package func answer(to question: String) throws(TerminalError) -> String {
        writeError(question)
        guard let answer = readLine() else {
            writeError("\n")
            throw .usage("nobody is there to answer; say --yes")
        }
        return answer
    }

    /// Writes all of the text, whatever pieces the system takes it in.
    package static func write(_ text: String, to file: CInt) {
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
