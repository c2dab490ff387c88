import Glibc
import NIOPosix
import SystemKit

/// The lines of standard input, also of a pipe.
struct LineReader {
    /// The longest line taken, in bytes; what is longer ends the reading.
    static let maximumLength = 1 << 16

    private var waiting: [UInt8] = []

    /// The next line; `nil` at the end of the input, and when the task is cancelled.
    mutating func next() async -> String? {
        while !Task.isCancelled {
            if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
                defer { waiting.removeSubrange(...end) }
                return String(decoding: waiting[..<end], as: UTF8.self)
            }
            guard waiting.count <= Self.maximumLength else { return nil }
            // A thread of its own waits, a quarter of a second at a time, so that a cancelled task comes back.
            let read = try? await NIOThreadPool.singleton.runIfActive {
                var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard poll(&input, 1, 250) > 0 else { return [UInt8]?.some([]) }
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
                return count > 0 ? Array(buffer.prefix(count)) : nil
            }
            guard let bytes = read ?? nil else {
                // The last line may lack its end.
                defer { waiting = [] }
                return waiting.isEmpty ? nil : String(decoding: waiting, as: UTF8.self)
            }
            waiting += bytes
        }
        return nil
    }
}
