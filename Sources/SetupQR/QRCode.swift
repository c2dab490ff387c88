import CQREncode

/// A QR code, which consists of dark and light modules.
package struct QRCode: Equatable, Sendable {
    /// The number of modules in a row and in a column.
    package let size: Int
    private let dark: [Bool]

    /// The width of the quiet zone around the code, in modules.
    ///
    /// Without a quiet zone, scanners can't read the code.
    static let quietZone = 4

    /// Encodes text such as a setup payload.
    ///
    /// Returns `nil` if the text is empty or too long for a QR code.
    package init?(_ text: String) {
        // The library keeps no state between calls, and the result is freed here, so no pointer leaves this
        // initializer.
        guard !text.utf8.contains(0), let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else {
            return nil
        }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        guard size > 0, let data = code.pointee.data else { return nil }
        dark = UnsafeBufferPointer(start: data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Returns whether a module is dark.
    ///
    /// All modules outside the code are light.
    package func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return dark[row * size + column]
    }

    /// The rows and columns, including the quiet zone.
    var span: Range<Int> { -Self.quietZone..<size + Self.quietZone }
}
