import Glibc

/// The two streams that a program speaks on; whole lines only.
package enum StandardStreams {
    package static func printLine(_ line: String) { write(line, to: STDOUT_FILENO) }
    package static func printError(_ line: String) { write(line, to: STDERR_FILENO) }

    private static func write(_ line: String, to file: CInt) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
