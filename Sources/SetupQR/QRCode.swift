import CQREncode

/// A QR code as its dark and light modules.
package struct QRCode: Equatable, Sendable {
    /// Modules in a row and in a column.
    package let size: Int
    private let dark: [Bool]

    /// How many light modules belong around the code; without them it cannot be scanned.
    static let quietZone = 4

    /// Encodes a text such as a setup payload; `nil` if it is empty or too long for a QR code.
    package init?(_ text: String) {
        // The library keeps no state between calls and the result is freed here, so no pointer leaves this function.
        guard !text.utf8.contains(0), let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else {
            return nil
        }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        guard size > 0, let data = code.pointee.data else { return nil }
        dark = UnsafeBufferPointer(start: data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Whether a module is dark; all around the code they are light.
    package func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return dark[row * size + column]
    }

    /// The rows and columns with the quiet zone.
    var span: Range<Int> { -Self.quietZone..<size + Self.quietZone }
}
