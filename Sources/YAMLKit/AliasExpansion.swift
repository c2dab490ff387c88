/// The maximum size of YAML text after each alias (`*name`) is replaced with the value of its anchor (`&name`).
///
/// Aliases share their nodes, but decoding visits each use, so a few lines could keep it busy indefinitely. This
/// check examines only the bytes, before any YAML is parsed. Each anchor multiplies the size by at most one more than
/// the number of its aliases. Text in quotes or comments that looks like an alias also counts, which is harmless.
struct AliasExpansion {
    /// A Boolean value that indicates whether the expanded text is at most four times as large as the largest permitted
    /// file.
    private(set) var isBounded = true
    /// The line of the first alias.
    private(set) var line = 1

    init(of bytes: [UInt8]) {
        var anchors: [ArraySlice<UInt8>: Int] = [:]
        var aliases: [ArraySlice<UInt8>: Int] = [:]
        var index = 0
        var lines = 1
        var firstAlias: Int?
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\n") { lines += 1 }
            guard byte == UInt8(ascii: "&") || byte == UInt8(ascii: "*") else { continue }
            let name = bytes[index...].prefix(while: Self.isNameByte)
            guard !name.isEmpty else { continue }
            index = name.endIndex
            if byte == UInt8(ascii: "&") {
                anchors[name, default: 0] += 1
            } else {
                aliases[name, default: 0] += 1
                firstAlias = firstAlias ?? lines
            }
        }
        line = firstAlias ?? 1
        var size = bytes.count
        for (name, definitions) in anchors {
            guard let uses = aliases[name] else { continue }
            for _ in 0..<definitions {
                let (product, overflow) = size.multipliedReportingOverflow(by: 1 + uses)
                guard !overflow, product <= 4 * StrictYAML.maximumLength else {
                    isBounded = false
                    return
                }
                size = product
            }
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
