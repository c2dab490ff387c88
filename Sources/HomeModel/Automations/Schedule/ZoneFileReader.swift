/// Reads the parts of a zoneinfo file (RFC 8536, 3).
struct ZoneFileReader {
    /// The counts at the start of a block.
    struct Header {
        let version: UInt8
        let isUTCFlags: Int
        let isStandardFlags: Int
        let leapSeconds: Int
        let transitions: Int
        let types: Int
        let characters: Int

        /// Returns the size of the block's data.
        func size(bytesInTime: Int) -> Int {
            transitions * (bytesInTime + 1) + types * 6 + sizeAfterTypes(bytesInTime: bytesInTime)
        }

        /// Returns the size of the data after the types: the names, leap seconds and flags.
        func sizeAfterTypes(bytesInTime: Int) -> Int {
            characters + leapSeconds * (bytesInTime + 4) + isStandardFlags + isUTCFlags
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Reads the header of a block: a magic number, the version, 15 unused bytes and six counts.
    mutating func header() -> Header? {
        guard let magic = bytes(4), magic.elementsEqual("TZif".utf8), let version = bytes(1)?.first, skip(15) else {
            return nil
        }
        var counts: [Int] = []
        for _ in 0..<6 {
            // No valid count exceeds the size of the file, so that sums of counts can't overflow.
            guard let count = integer(bytes: 4), 0...TriggerLimits.timeZoneFile ~= count else { return nil }
            counts.append(count)
        }
        return Header(
            version: version, isUTCFlags: counts[0], isStandardFlags: counts[1], leapSeconds: counts[2],
            transitions: counts[3], types: counts[4], characters: counts[5])
    }

    /// Reads a signed big-endian integer of up to 8 bytes.
    mutating func integer(bytes count: Int) -> Int? {
        guard let bytes = bytes(count) else { return nil }
        let pattern = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let unused = 64 - 8 * count
        return Int(Int64(bitPattern: pattern << unused) >> unused)
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func skip(_ count: Int) -> Bool { bytes(count) != nil }

    /// Reads the last line, which is between two line feeds.
    mutating func footer() -> ArraySlice<UInt8>? {
        let lineFeed = UInt8(ascii: "\n")
        guard bytes(1)?.first == lineFeed, let end = rest.firstIndex(of: lineFeed) else { return nil }
        return rest[..<end]
    }
}
