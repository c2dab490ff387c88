/// A queue of received bytes, which are appended at the end and consumed from the start.
struct ByteQueue: Equatable, Sendable {
    private(set) var bytes: [UInt8] = []
    /// The index of the first byte that hasn't been consumed.
    private(set) var start = 0

    var count: Int { bytes.count - start }

    mutating func append(_ more: some Collection<UInt8>) {
        if start == bytes.count { removeAll() }
        bytes.append(contentsOf: more)
    }

    /// Calls `body`, which can append to the array directly.
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
        // Release a large buffer, but keep a small one for reuse.
        bytes.removeAll(keepingCapacity: bytes.capacity <= 16384)
        start = 0
    }
}
