import Glibc

/// The two streams that a program speaks on; whole lines only.
package enum StandardStreams {
    package static func printLine(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }
    package static func printError(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    /// One call for one text, so that those of several threads never mix; the output may have no reader.
    package static func write(_ text: String, to file: CInt) { try? OpenFile(file).write(text.utf8) }
}
