internal import CSodium

/// Secret bytes: keys and key material.
///
/// The bytes are wiped when the last copy is released, compared in constant time, and described only by their count.
/// The array that is passed to the initializer, the array that ``copy`` returns and the buffers of libraries aren't
/// wiped.
package struct SecretBytes: Sendable {
    private let storage: Storage

    /// Copies the bytes; don't keep the original, because it isn't wiped.
    package init(_ bytes: some Collection<UInt8>) {
        storage = Storage(bytes)
    }

    package static func random(count: Int) -> SecretBytes { SecretBytes(RandomBytes.make(count: count)) }

    package var count: Int { storage.count }

    /// A copy as a plain array, for APIs that require one.
    package var copy: [UInt8] { Array(UnsafeBufferPointer(start: storage.bytes, count: storage.count)) }

    /// Calls a closure with the address of the bytes.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.bytes)
    }

    // Safe to share: the buffer is written only in `init` and read-only until `deinit`.
    private final class Storage: @unchecked Sendable {
        let bytes: UnsafePointer<UInt8>
        let count: Int
        private let buffer: UnsafeMutablePointer<UInt8>

        init(_ source: some Collection<UInt8>) {
            count = source.count
            buffer = .allocate(capacity: count)
            for (index, byte) in source.enumerated() { (buffer + index).initialize(to: byte) }
            bytes = UnsafePointer(buffer)
        }

        deinit {
            sodium_memzero(buffer, count)
            buffer.deallocate()
        }
    }
}

extension SecretBytes: Equatable {
    package static func == (a: SecretBytes, b: SecretBytes) -> Bool {
        guard a.count == b.count else { return false }
        return a.withBytes { x in b.withBytes { y in sodium_memcmp(x, y, a.count) == 0 } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(\(count) secret bytes)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
