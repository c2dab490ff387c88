/// Bytes that came in and have not been used: appended behind, consumed in front.
struct ByteQueue: Equatable, Sendable {
    private(set) var bytes: [UInt8] = []
    /// Where the unused bytes begin.
    private(set) var start = 0

    var count: Int { bytes.count - start }

    mutating func append(_ more: some Collection<UInt8>) {
        if start == bytes.count { removeAll() }
        bytes.append(contentsOf: more)
    }

    /// Lets `body` append to the array itself.
    mutating func withBuffer<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        if start == bytes.count { removeAll() }
        try body(&bytes)
    }

    mutating func consume(_ count: Int) {
        start += count
        if start == bytes.count {
            removeAll()
        } else if start > 65536, start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
    }

    private mutating func removeAll() {
        // A large buffer is given back, a small one is used again.
        bytes.removeAll(keepingCapacity: bytes.capacity <= 16384)
        start = 0
    }
}
