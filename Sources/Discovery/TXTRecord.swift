/// The `key=value` strings of a DNS-SD service, in the order they are sent.
///
/// Keys are ASCII and their case does not matter; a value is any bytes, or missing (RFC 6763, 6).
package struct TXTRecord: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Entry: Equatable, Sendable {
        package let key: String
        /// The value's bytes; nil for a key that stands alone.
        package let bytes: [UInt8]?

        package init(key: String, value: String) {
            self.key = key
            self.bytes = Array(value.utf8)
        }

        /// Reads one string of a record; nil when RFC 6763 has it ignored: no key, or a key that is not ASCII.
        init?(string: some Collection<UInt8>) {
            let key = string.prefix { $0 != UInt8(ascii: "=") }
            guard !key.isEmpty, key.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
            self.key = String(decoding: key, as: UTF8.self)
            self.bytes = key.count == string.count ? nil : Array(string.dropFirst(key.count + 1))
        }

        /// The value as text, with replacement characters where it is none; empty for a key that stands alone.
        package var value: String { String(decoding: bytes ?? [], as: UTF8.self) }
    }

    /// How much of a foreign record is kept: the longest that HAP knows has a dozen entries.
    static let largestCount = 64
    static let largestSize = 2048

    package private(set) var entries: [Entry]

    package init(_ pairs: [(String, String)] = []) {
        entries = pairs.map { Entry(key: $0.0, value: $0.1) }
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// Reads the strings of a record from the network: what breaks the rules or is too much is left out.
    package init(strings: some Sequence<some Collection<UInt8>>) {
        entries = []
        var size = 0
        for string in strings {
            size += string.count + 1
            guard size <= Self.largestSize, entries.count < Self.largestCount else { return }
            // Of several with one key the first counts.
            guard let entry = Entry(string: string), self[entry: entry.key] == nil else { continue }
            entries.append(entry)
        }
    }

    /// The value of a key as text; nil when the key is missing.
    package subscript(key: String) -> String? { self[entry: key]?.value }

    private subscript(entry key: String) -> Entry? {
        entries.first { $0.key == key } ?? entries.first { $0.key.lowercased() == key.lowercased() }
    }
}

extension TXTRecord: CustomStringConvertible {
    package var description: String {
        entries.map { $0.bytes == nil ? $0.key : "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}
