/// The form of a name that ignores case, spaces and apostrophes.
///
/// Names with equal keys count as the same name.
///
/// Keys detect conflicts, find objects by typed names, and determine the display order.
public struct NameKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The key as composed text (NFC): equal keys have equal bytes.
    public let description: String

    /// Creates the key of a name, valid or not.
    public init(_ name: String) {
        guard name.utf8.contains(where: { $0 >= 0x80 }) else {
            description = Self.plain(name)
            return
        }
        var scalars = String.UnicodeScalarView()
        for scalar in name.nfkc.unicodeScalars
        where !scalar.properties.isWhitespace && !scalar.isApostrophe && !scalar.isJoiner {
            scalars.append(scalar)
        }
        // Uppercase first, because only that converts ß to SS.
        description = String(scalars).uppercased().lowercased().nfc
    }

    /// Returns the key of an ASCII name, the most common case.
    private static func plain(_ name: String) -> String {
        let kept = name.utf8.filter {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "'") && !(0x09...0x0D).contains($0)
        }
        let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(decoding: kept.map { upper.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// A Boolean value that indicates whether the key is empty.
    public var isEmpty: Bool { description.isEmpty }

    /// Orders keys by their scalars, independent of the locale.
    public static func < (a: NameKey, b: NameKey) -> Bool {
        a.description.unicodeScalars.lexicographicallyPrecedes(b.description.unicodeScalars)
    }
}
