import Glibc
import SystemKit

/// The environment of a command: its input and output.
package struct Terminal: Sendable {
    /// The environment of the process, unless a test replaces it.
    @TaskLocal package static var current = Terminal()

    /// Writes to standard output.
    package var write: @Sendable (String) -> Void
    /// Writes to standard error.
    package var writeError: @Sendable (String) -> Void
    /// Returns the value of an environment variable.
    package var environment: @Sendable (String) -> String?
    /// Returns whether standard output is a terminal.
    package var isTerminal: @Sendable () -> Bool

    /// Reads a line of standard input if it is a terminal.
    ///
    /// It doesn't block other work while waiting.
    package var readLine: @Sendable () async -> String?
    /// Discards input that was typed before a question.
    package var discardInput: @Sendable () -> Void

    /// Creates an environment.
    ///
    /// By default, it uses the streams and environment variables of the process.
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

    /// A Boolean value that indicates whether output may be colored: output goes to a terminal that supports colors,
    /// and the user hasn't disabled them (https://no-color.org).
    package var isPainted: Bool {
        isTerminal() && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
    }

    /// Shows a question and returns the line that is typed after it.
    ///
    /// Earlier input is discarded.
    ///
    /// - Returns: The line, or `nil` if input has ended or isn't a terminal.
    package func ask(_ question: String) async -> String? {
        discardInput()
        writeError(question)
        return await readLine()
    }

    /// Asks the operator a question.
    ///
    /// - Throws: ``TerminalError`` if input has ended or isn't a terminal.
    package func answer(to question: String) async throws(TerminalError) -> String {
        guard let answer = await ask(question) else {
            writeError("\n")
            throw .usage("can't ask for confirmation here; use --yes")
        }
        return answer
    }

    /// Returns a typed line without blocking a thread, or `nil` at the end of input or if the task is canceled.
    static func typedLine() async -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        while true {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // A terminal passes on complete lines, so readable input is a line.
            if poll(&input, 1, 0) != 0 { return Swift.readLine() }
            do { try await Task.sleep(for: .milliseconds(50)) } catch { return nil }
        }
    }

    package static func write(_ text: String, to file: CInt) {
        // If writing fails, no process reads the output anymore, so exit like a program that is killed by SIGPIPE.
        do { try OpenFile(file).write(text.utf8) } catch { exit(128 + SIGPIPE) }
    }
}

/// An error that ends a command.
package struct TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The exit code, from sysexits(3).
    package var code: Int32
    /// The problem, followed by a semicolon and the remedy.
    package var message: String

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    /// Creates an error for invalid input, with exit code 64.
    package static func usage(_ message: String) -> TerminalError { TerminalError(code: 64, message: message) }
}
