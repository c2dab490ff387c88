/// The `key=value` strings of a DNS-SD service, in the order in which they are sent.
///
/// Keys are ASCII and case-insensitive. A value consists of any bytes, or is missing (RFC 6763, 6).
package struct TXTRecord: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Entry: Equatable, Sendable {
        package let key: String
        /// The value's bytes, or `nil` for a key without a value.
        package let bytes: [UInt8]?

        package init(key: String, value: String) {
            self.key = key
            self.bytes = Array(value.utf8)
        }

        /// Parses a string of a record.
        ///
        /// It returns `nil` for a string that RFC 6763 requires to be ignored: one without a key, or with a key that
        /// isn't printable ASCII.
        init?(string: some Collection<UInt8>) {
            let key = string.prefix { $0 != UInt8(ascii: "=") }
            guard !key.isEmpty, key.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
            self.key = String(decoding: key, as: UTF8.self)
            self.bytes = key.count == string.count ? nil : Array(string.dropFirst(key.count + 1))
        }

        /// The value as text, with replacement characters for invalid UTF-8.
        ///
        /// It is empty for a key without a value.
        package var value: String { String(decoding: bytes ?? [], as: UTF8.self) }
    }

    /// The limits for received records.
    ///
    /// The longest record in HAP has a dozen entries.
    static let largestCount = 64
    static let largestSize = 2048

    package private(set) var entries: [Entry]

    package init(_ pairs: [(String, String)] = []) {
        entries = pairs.map { Entry(key: $0.0, value: $0.1) }
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// Parses the strings of a received record.
    ///
    /// It ignores invalid strings, and all strings from the first one that exceeds a limit.
    package init(strings: some Sequence<some Collection<UInt8>>) {
        entries = []
        var size = 0
        for string in strings {
            size += string.count + 1
            guard size <= Self.largestSize, entries.count < Self.largestCount else { return }
            // The first entry with a given key is used.
            guard let entry = Entry(string: string), self[entry: entry.key] == nil else { continue }
            entries.append(entry)
        }
    }

    /// Returns the value of a key as text, or `nil` if the key is missing.
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
