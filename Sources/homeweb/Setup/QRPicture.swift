import QRReading

/// A picture in which a QR code may be, as its browser has made it: the brightness of each pixel.
struct QRPicture {
    /// The longest side, in pixels.
    static let limit = 1200

    private let width: Int
    private let height: Int
    private let pixels: [UInt8]

    /// Takes the pixels row by row; `nil` if they are not as many as the size says, or too many.
    init?(width: Int, height: Int, pixels: [UInt8]) {
        guard (16...Self.limit).contains(width), (16...Self.limit).contains(height), pixels.count == width * height
        else {
            return nil
        }
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// What the first code in it says; `nil` if there is none.
    var text: String? {
        var buffer = [CChar](repeating: 0, count: 512)
        let length = qr_reading_first(pixels, Int32(width), Int32(height), &buffer, buffer.count)
        return length == 0 ? nil : String(validating: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
