import QRReading

/// A picture from a browser that may contain a QR code: the brightness of each pixel.
struct QRPicture {
    /// The maximum width and height, in pixels.
    static let limit = 1200

    private let width: Int
    private let height: Int
    private let pixels: [UInt8]

    /// Creates a picture from pixels in rows.
    ///
    /// Returns `nil` if their number doesn't match the size, or the size is invalid.
    init?(width: Int, height: Int, pixels: [UInt8]) {
        guard (16...Self.limit).contains(width), (16...Self.limit).contains(height), pixels.count == width * height
        else {
            return nil
        }
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// The text of the first QR code, or `nil` if no code was found.
    var text: String? {
        var buffer = [CChar](repeating: 0, count: 512)
        let length = qr_reading_first(pixels, Int32(width), Int32(height), &buffer, buffer.count)
        return length == 0 ? nil : String(validating: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
