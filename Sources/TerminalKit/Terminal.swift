import Glibc
import SystemKit

/// The environment of the command: what it reads of them and writes to them.
package struct Terminal: Sendable {
    /// The process's own, unless a test brings another.
    @TaskLocal package static var current = Terminal()

    /// Writes to standard output.
    package var write: @Sendable (String) -> Void
    /// Writes to standard error.
    package var writeError: @Sendable (String) -> Void
    /// A variable of the environment.
    package var environment: @Sendable (String) -> String?
    /// Whether standard output is a terminal.
    package var isTerminal: @Sendable () -> Bool

    /// One line of standard input, if a person sits there; other work goes on while nothing is typed.
    package var readLine: @Sendable () async -> String?
    /// Discards input typed before a question.
    package var discardInput: @Sendable () -> Void

    /// The process's own, in place of which each part can be given.
    package init(
        write: @escaping @Sendable (String) -> Void = { Terminal.write($0, to: STDOUT_FILENO) },
        writeError: @escaping @Sendable (String) -> Void = { Terminal.write($0, to: STDERR_FILENO) },
        environment: @escaping @Sendable (String) -> String? = { name in getenv(name).map { String(cString: $0) } },
        isTerminal: @escaping @Sendable () -> Bool = { isatty(STDOUT_FILENO) == 1 },
        readLine: @escaping @Sendable () async -> String? = { await Terminal.typedLine() },
        discardInput: @escaping @Sendable () -> Void = { tcflush(STDIN_FILENO, TCIFLUSH) }
    ) {
        self.write = write
        self.writeError = writeError
        self.environment = environment
        self.isTerminal = isTerminal
        self.readLine = readLine
        self.discardInput = discardInput
    }

    /// Whether what is written may be painted: a person sees it, on a terminal that has colours, and wants them
    /// (https://no-color.org).
    package var isPainted: Bool {
        isTerminal() && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
    }

    /// Shows a question and returns the line that is typed after it; a line that was typed before answers nothing.
    ///
    /// - Returns: `nil` if no person can answer.
    package func ask(_ question: String) async -> String? {
        discardInput()
        writeError(question)
        return await readLine()
    }

    /// Asks the operator.
    ///
    /// - Throws: ``TerminalError`` if no person can answer.
    package func answer(to question: String) async throws(TerminalError) -> String {
        guard let answer = await ask(question) else {
            writeError("\n")
            throw .usage("can't ask for confirmation here; use --yes")
        }
        return answer
    }

    /// What a person types, without a thread that waits for it; `nil` at the end, and when the task is cancelled.
    static func typedLine() async -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        while true {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // A terminal hands over whole lines, so what can be read is one.
            if poll(&input, 1, 0) != 0 { return Swift.readLine() }
            do { try await Task.sleep(for: .milliseconds(50)) } catch { return nil }
        }
    }

    package static func write(_ text: String, to file: CInt) {
        // The reader is gone: end as a program does that a broken pipe kills.
        do { try OpenFile(file).write(text.utf8) } catch { exit(128 + SIGPIPE) }
    }
}

/// Why a command ends without having done what was asked.
package struct TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The code it ends with, after sysexits(3).
    package var code: Int32
    /// What is wrong, and after a semicolon what to do.
    package var message: String

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    /// What was typed makes no sense (64).
    package static func usage(_ message: String) -> TerminalError { TerminalError(code: 64, message: message) }
}
