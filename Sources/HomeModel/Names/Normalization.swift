// The standard library normalizes strings for comparison, but exposes the result only to the toolchain's own libraries.
@_spi(_Unicode) import Swift

extension String {
    /// The canonical composition (NFC), the stored form of names.
    package var nfc: String {
        // Most names are ASCII, which is always composed.
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var scalars = UnicodeScalarView()
        scalars.append(contentsOf: _nfc)
        return String(scalars)
    }

    /// The text without accents and other nonspacing marks, for searches.
    package var withoutAccents: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var scalars = UnicodeScalarView()
        for scalar in _nfd where scalar.properties.generalCategory != .nonspacingMark { scalars.append(scalar) }
        return String(scalars).nfc
    }

    /// The compatibility composition (NFKC) of letters, marks and digits.
    ///
    /// Other symbols remain unchanged.
    var nfkc: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var scalars = UnicodeScalarView()
        for scalar in _nfd {
            if let decomposed = Self.compatibility[scalar] {
                scalars.append(contentsOf: decomposed)
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars).nfc
    }

    private static let compatibility = table()

    private static func table() -> [Unicode.Scalar: [Unicode.Scalar]] {
        var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        for entry in compatibilityMappings.description.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            let sides = entry.split(separator: "=")
            let sources = sides[0].split(separator: "-").compactMap { UInt32($0, radix: 16) }
            let target = sides[1].split(separator: ".").compactMap { UInt32($0, radix: 16) }
            for number in sources[0]...sources[sources.count - 1] {
                guard let source = Unicode.Scalar(number) else { continue }
                let offset = number - sources[0]
                table[source] = target.compactMap { Unicode.Scalar($0 + offset) }
            }
        }
        return table
    }
}
