import HAPModel

/// The query of a path or the fields of a form: names with values.
///
/// If a name occurs more than once, the subscript returns its first value.
struct Query: Sendable {
    private(set) var fields: [(name: String, value: String)] = []

    /// The maximum number of fields of most forms.
    static let defaultLimit = 200

    init(_ fields: [String: String]) { self.fields = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    /// Parses `application/x-www-form-urlencoded`.
    ///
    /// Fields beyond the limit or with invalid UTF-8 are ignored.
    init(_ text: some StringProtocol, limit: Int = defaultLimit) {
        for pair in text.split(separator: "&", maxSplits: limit).prefix(limit) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : "") else {
                continue
            }
            fields.append((name, value))
        }
    }

    /// Returns the query without the fields of a name.
    func without(_ name: String) -> Query {
        var query = self
        query.fields.removeAll { $0.name == name }
        return query
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The query with its question mark; empty without fields.
    var text: String {
        guard !fields.isEmpty else { return "" }
        return "?" + fields.map { "\($0.name.formEncoded)=\($0.value.formEncoded)" }.joined(separator: "&")
    }

    private static func decoded(_ text: some StringProtocol) -> String? { decoded(Array(text.utf8)) }

    private static func decoded(_ bytes: [UInt8]) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 2 < bytes.count,
                    let byte = Hex.decode(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self))?.first
                else { return nil }
                decoded.append(byte)
                index += 2
            default: decoded.append(bytes[index])
            }
            index += 1
        }
        return String(validating: decoded, as: UTF8.self)
    }
}

extension String {
    /// The text with percent-encoded special characters.
    var formEncoded: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + Hex.encode([byte])
            }
        }
        return text
    }
}
