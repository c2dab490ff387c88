/// Splits a stream of bytes into lines.
///
/// It buffers at most one line.
///
/// A line ends with a line feed. If a line exceeds the limit, this is reported once, and the bytes up to the line feed
/// are skipped, so the sender loses only that line. Blank lines are dropped.
package struct LineSplitter: Sendable {
    package enum Event: Equatable, Sendable {
        /// A complete line, without its line feed.
        case line([UInt8])
        /// A line that exceeds the limit. Its bytes are discarded.
        case tooLong
    }

    private let maximumLength: Int
    private var partial: [UInt8] = []
    private var isSkipping = false

    package init(maximumLength: Int) { self.maximumLength = maximumLength }

    /// Appends received bytes and returns the lines that they complete.
    package mutating func received(_ bytes: some Collection<UInt8>) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if let event = append(rest[..<end]) { events.append(event) }
            if !isSkipping, !partial.allSatisfy(Self.isSpace) { events.append(.line(partial)) }
            partial.removeAll(keepingCapacity: partial.capacity <= 4096)
            isSkipping = false
            rest = rest[rest.index(after: end)...]
        }
        if let event = append(rest) { events.append(event) }
        return events
    }

    private mutating func append(_ bytes: some Collection<UInt8>) -> Event? {
        guard !isSkipping else { return nil }
        guard bytes.count <= maximumLength - partial.count else {
            isSkipping = true
            partial = []
            return .tooLong
        }
        partial.append(contentsOf: bytes)
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
