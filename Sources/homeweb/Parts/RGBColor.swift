import Glibc
import HAPModel
import HomeModel

/// A color in the browser's format.
struct RGBColor: Equatable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    /// The text form `#rrggbb`.
    var text: String { "#" + Hex.encode([red, green, blue]).lowercased() }
}

extension RGBColor {
    /// Parses `#rrggbb`.
    ///
    /// Returns `nil` for any other text.
    init?(_ text: String) {
        guard text.utf8.count == 7, text.hasPrefix("#"), text.dropFirst().allSatisfy(\.isHexDigit),
            let bits = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self.init(red: UInt8(bits >> 16), green: UInt8(bits >> 8 & 255), blue: UInt8(bits & 255))
    }

    /// Creates the brightest color of a hue in degrees and a saturation in percent.
    init(hue: Double, saturation: Double) {
        let strength = min(max(saturation, 0), 100) / 100
        let turn = (hue.truncatingRemainder(dividingBy: 360) + 360).truncatingRemainder(dividingBy: 360) / 60
        func part(_ offset: Double) -> UInt8 {
            let place = (offset + turn).truncatingRemainder(dividingBy: 6)
            return UInt8((255 * (1 - strength * max(0, min(place, 4 - place, 1)))).rounded())
        }
        self.init(red: part(5), green: part(3), blue: part(1))
    }

    /// The hue in degrees and the saturation in percent.
    ///
    /// The brightness is ignored.
    var hueAndSaturation: (hue: Double, saturation: Double) {
        let (red, green, blue) = (Double(red), Double(green), Double(blue))
        let (high, low) = (max(red, green, blue), min(red, green, blue))
        guard high > 0, high > low else { return (0, 0) }
        let range = high - low
        var turn =
            if high == red { (green - blue) / range } else if high == green { 2 + (blue - red) / range } else {
                4 + (red - green) / range
            }
        if turn < 0 { turn += 6 }
        return ((turn * 60).rounded(), (range / high * 100).rounded())
    }

    /// Black or white, whichever is easier to see on this color (WCAG 2.2: a contrast of at least 4.5 to 1).
    var ink: RGBColor {
        luminance > 0.179 ? RGBColor(red: 0, green: 0, blue: 0) : RGBColor(red: 255, green: 255, blue: 255)
    }

    /// The relative luminance from 0 to 1, as WCAG 2.2 defines it.
    private var luminance: Double {
        func linear(_ value: UInt8) -> Double {
            let share = Double(value) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// Creates an approximate white of a color temperature from 50 to 1000 mired.
    init(mired: Double) {
        let kelvin = 1_000_000 / min(max(mired, 50), 1000)
        // A visual approximation from candlelight to the light of a northern sky.
        let warmth = min(max((6500 - kelvin) / 4500, 0), 1)
        self.init(red: 255, green: UInt8(255 - 75 * warmth), blue: UInt8(255 - 165 * warmth))
    }
}

extension Service {
    /// The color of the light, if it is known.
    var shownColor: RGBColor? {
        let hue = characteristic(.hue)?.value?.number
        let saturation = characteristic(.saturation)?.value?.number
        if let hue, let saturation, saturation > 0 { return RGBColor(hue: hue, saturation: saturation) }
        return characteristic(.colorTemperature)?.value?.number.map { RGBColor(mired: $0) }
    }
}
