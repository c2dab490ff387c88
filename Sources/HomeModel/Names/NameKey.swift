/// What is left of a name when case, spaces and apostrophes do not count: two names with one key are the same name.
///
/// Keys decide whether a name is taken, find objects by a name as a person typed it, and order what is shown.
public struct NameKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The key as text, in composed form, so that its bytes compare as the key does.
    public let description: String

    /// Makes the key of a name, valid or not.
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
        // Upper case first, because it is there that ß becomes SS.
        description = String(scalars).uppercased().lowercased().nfc
    }

    /// The same for ASCII, which most names are.
    private static func plain(_ name: String) -> String {
        let kept = name.utf8.filter {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "'") && !(0x09...0x0D).contains($0)
        }
        let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(decoding: kept.map { upper.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether nothing of the name is left.
    public var isEmpty: Bool { description.isEmpty }

    /// Orders keys by their scalars, the same on every machine.
    public static func < (a: NameKey, b: NameKey) -> Bool {
        a.description.unicodeScalars.lexicographicallyPrecedes(b.description.unicodeScalars)
    }
}
