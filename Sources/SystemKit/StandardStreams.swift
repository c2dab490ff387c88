import Glibc

/// Line output to the two standard streams.
package enum StandardStreams {
    package static func printLine(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }
    package static func printError(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    /// Writes text with one call, so that the output of several threads isn't mixed.
    ///
    /// Errors are ignored, because the output may have no reader.
    package static func write(_ text: String, to file: CInt) { try? OpenFile(file).write(text.utf8) }
}
