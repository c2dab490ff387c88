import Glibc
import NIOPosix
import SystemKit

/// Reads the lines of standard input, which may be a pipe.
struct LineReader {
    /// The length of the longest line, in bytes.
    ///
    /// A longer line ends the input.
    static let maximumLength = 1 << 16

    private var waiting: [UInt8] = []

    /// Returns the next line, or `nil` at the end of the input and when the task is canceled.
    mutating func next() async -> String? {
        while !Task.isCancelled {
            if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
                defer { waiting.removeSubrange(...end) }
                return String(decoding: waiting[..<end], as: UTF8.self)
            }
            guard waiting.count <= Self.maximumLength else { return nil }
            // A separate thread waits for 250 ms at a time, so that a canceled task returns soon.
            let read = try? await NIOThreadPool.singleton.runIfActive {
                var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard poll(&input, 1, 250) > 0 else { return [UInt8]?.some([]) }
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
                return count > 0 ? Array(buffer.prefix(count)) : nil
            }
            guard let bytes = read ?? nil else {
                // The last line may have no line feed.
                defer { waiting = [] }
                return waiting.isEmpty ? nil : String(decoding: waiting, as: UTF8.self)
            }
            waiting += bytes
        }
        return nil
    }
}
