extension QRCode {
    /// The code as an SVG image, black on white, including its quiet zone.
    package var svg: String { Self.svg([(self, "")]) }

    /// Draws several codes in a column as one SVG image.
    ///
    /// Each code has a caption below it, which may be empty.
    package static func svg(_ codes: [(code: QRCode, caption: String)]) -> String {
        var content = ""
        var height = 0
        let width = codes.map(\.code.span.count).max() ?? 0
        for (code, caption) in codes {
            content += "<path d=\"\(code.path(top: height))\" fill=\"#000\"/>\n"
            height += code.span.count
            guard !caption.isEmpty else { continue }
            content += """
                <text x="\(width / 2)" y="\(height)" font-family="sans-serif" font-size="\(captionSize)" \
                text-anchor="middle" textLength="\(width - 2 * quietZone)" lengthAdjust="spacingAndGlyphs">\(caption.escapedForXML)</text>

                """
            height += 2 * captionSize
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
            width="\(width * 8)" height="\(height * 8)" shape-rendering="crispEdges">
            <rect width="100%" height="100%" fill="#fff"/>
            \(content)</svg>

            """
    }

    /// The height of a caption, in modules.
    private static let captionSize = 3

    private func path(top: Int) -> String {
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
                path +=
                    "M\(start + Self.quietZone) \(top + row + Self.quietZone)h\(column - start)v1h-\(column - start)z"
            }
        }
        return path
    }

    /// Draws the code as a 1-bit PNG image, black on white, including its quiet zone.
    ///
    /// Each module is `scale` pixels wide and high.
    package func png(scale: Int = 8) -> [UInt8] { Self.png([self], scale: scale) }

    /// Draws several codes in a column as one PNG image.
    package static func png(_ codes: [QRCode], scale: Int = 8) -> [UInt8] {
        let width = (codes.map(\.span.count).max() ?? 0) * scale
        var pixels: [UInt8] = []
        for code in codes {
            for row in code.span {
                var line: [UInt8] = [0]
                var byte: UInt8 = 0
                for x in 0..<width {
                    byte = byte << 1 | (code.isDark(row, code.span.lowerBound + x / scale) ? 0 : 1)
                    if x % 8 == 7 { line.append(byte) }
                }
                if width % 8 != 0 { line.append(byte << UInt8(8 - width % 8)) }
                for _ in 0..<scale { pixels += line }
            }
        }
        let height = codes.map(\.span.count).reduce(0, +) * scale
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", UInt32(width).bytes + UInt32(height).bytes + [1, 0, 0, 0, 0])
            + chunk("IDAT", stored(pixels))
            + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        return UInt32(content.count).bytes + named + checksum(named).bytes
    }

    /// Returns a zlib stream (RFC 1950) of stored blocks (RFC 1951).
    ///
    /// The images are only a few kilobytes in size, so they need no compression.
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

    /// Returns the CRC-32 that PNG uses.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}

extension String {
    fileprivate var escapedForXML: String {
        map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            default: character.unicodeScalars.allSatisfy { $0.value < 0x20 } ? " " : String(character)
            }
        }.joined()
    }
}
