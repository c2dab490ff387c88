extension QRCode {
    /// The code as an SVG image, black on white, quiet zone included.
    package var svg: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                guard isDark(row, column) else {
                    column += 1
                    continue
                }
                let start = column
                while isDark(row, column) { column += 1 }
                path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1h-\(column - start)z"
            }
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(span.count) \(span.count)" \
            width="\(span.count * 8)" height="\(span.count * 8)" shape-rendering="crispEdges">
            <rect width="100%" height="100%" fill="#fff"/>
            <path d="\(path)" fill="#000"/>
            </svg>

            """
    }

    /// The code as a PNG image of one bit a pixel, black on white, quiet zone included.
    ///
    /// - Parameter scale: pixels for a module.
    /// - Returns: the file's bytes.
    package func png(scale: Int = 8) -> [UInt8] {
        let width = span.count * scale
        var pixels: [UInt8] = []
        for row in span {
            var line: [UInt8] = [0]
            var byte: UInt8 = 0
            for x in 0..<width {
                byte = byte << 1 | (isDark(row, span.lowerBound + x / scale) ? 0 : 1)
                if x % 8 == 7 { line.append(byte) }
            }
            if width % 8 != 0 { line.append(byte << UInt8(8 - width % 8)) }
            for _ in 0..<scale { pixels += line }
        }
        let size = UInt32(width).bytes
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + Self.chunk("IHDR", size + size + [1, 0, 0, 0, 0])
            + Self.chunk("IDAT", Self.stored(pixels))
            + Self.chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        return UInt32(content.count).bytes + named + checksum(named).bytes
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951): a few kilobytes need no compression.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let count = UInt16(block.count)
            stream.append(rest.isEmpty ? 1 : 0)
            for value in [count, ~count] { stream += [UInt8(value & 0xFF), UInt8(value >> 8)] }
            stream += block
        } while !rest.isEmpty
        var (a, b) = (UInt32(1), UInt32(0))
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return stream + (b << 16 | a).bytes
    }

    /// PNG's CRC-32.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
