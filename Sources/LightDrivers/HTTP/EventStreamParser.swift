/// Parses server-sent events.
///
/// Each event consists of lines, such as `data:` lines, and ends with an empty line.
///
/// An event that exceeds the limit is an error, so a stream without line ends can't use more memory than that.
package struct EventStreamParser: Sendable {
    package struct TooLong: Error, Equatable {}

    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var lastWasReturn = false
    /// The id of the last event.
    package private(set) var lastID: String?

    /// Creates a parser.
    ///
    /// - Parameter limit: The maximum length of an event in bytes.
    package init(limit: Int = 1 << 20) { self.limit = limit }

    /// Processes received bytes.
    ///
    /// - Throws: ``TooLong`` if an event exceeds the limit.
    ///
    /// - Returns: The data of the events that these bytes complete.
    package mutating func received(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for byte in bytes {
            defer { lastWasReturn = byte == 0x0D }
            switch byte {
            case 0x0A where lastWasReturn: break
            case 0x0A, 0x0D:
                if let event = endLine() { events.append(event) }
            default:
                guard line.count + data.count < limit else { throw TooLong() }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> [UInt8]? {
        defer { line.removeAll(keepingCapacity: line.count < 4096) }
        guard !line.isEmpty else {
            defer {
                data = []
                hasData = false
            }
            return hasData ? data : nil
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        let name = line[..<colon]
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if name.elementsEqual("data".utf8) {
            if hasData { data.append(0x0A) }
            data += value
            hasData = true
        } else if name.elementsEqual("id".utf8), value.count <= 128, value.allSatisfy({ (0x20...0x7E).contains($0) }) {
            lastID = String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}
