import Glibc

/// The arithmetic between HomeKit's units and those of devices.
///
/// Every function takes any number, also NaN and infinities, and answers with a value in its range or `nil`.
public enum ColorConversion {
    /// Red, green and blue, each 0 to 255.
    public struct RGB: Equatable, Sendable {
        /// The red part.
        public var red: Double
        /// The green part.
        public var green: Double
        /// The blue part.
        public var blue: Double

        /// Makes a colour of its parts.
        ///
        /// - Parameters:
        ///   - red: 0 to 255.
        ///   - green: 0 to 255.
        ///   - blue: 0 to 255.
        public init(red: Double, green: Double, blue: Double) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// A place on the CIE 1931 chromaticity diagram.
    public struct XY: Equatable, Sendable {
        /// The share of X.
        public var x: Double
        /// The share of Y.
        public var y: Double

        /// Makes a place.
        ///
        /// - Parameters:
        ///   - x: 0 to 1.
        ///   - y: 0 to 1.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    // MARK: Brightness

    /// A percentage on a device's scale; only 0 % becomes 0.
    ///
    /// - Parameters:
    ///   - percent: 0 to 100; what lies outside is cut off.
    ///   - scale: the device's largest value, at least 1.
    /// - Returns: 0 to `scale`.
    public static func deviceValue(percent: Int, scale: Int) -> Int {
        let percent = min(max(percent, 0), 100)
        guard percent > 0 else { return 0 }
        let scale = Double(max(scale, 1))
        let value = (Double(percent) * scale / 100).rounded()
        return Int(exactly: min(max(value, 1), scale)) ?? 1
    }

    /// A device's value in percent; only 0 becomes 0 %.
    ///
    /// - Parameters:
    ///   - value: what the device says.
    ///   - scale: the device's largest value, at least 1.
    /// - Returns: 0 to 100, or `nil` if the value is negative or not finite.
    public static func percent(deviceValue value: Double, scale: Int) -> Int? {
        guard value.isFinite, value >= 0 else { return nil }
        guard value > 0 else { return 0 }
        let percent = (value / Double(max(scale, 1)) * 100).rounded()
        return Int(exactly: min(max(percent, 1), 100))
    }

    // MARK: Colour temperature

    /// The kelvin of a colour temperature in mired, rounded down as Home Assistant does.
    ///
    /// - Parameter mired: the colour temperature.
    /// - Returns: the kelvin, or `nil` if the mired are not within 1...1,000,000.
    public static func kelvin(mired: Int) -> Int? {
        (1...1_000_000).contains(mired) ? 1_000_000 / mired : nil
    }

    /// The mired of a colour temperature in kelvin.
    ///
    /// - Parameter kelvin: the colour temperature.
    /// - Returns: the mired, at least 1, or `nil` if the kelvin are not within 1...1,000,000.
    public static func mired(kelvin: Double) -> Int? {
        guard kelvin >= 1, kelvin <= 1_000_000 else { return nil }
        return Int(exactly: (1_000_000 / kelvin).rounded())
    }

    /// The place on the colour wheel of a white, for controllers that show a swatch beside the temperature.
    ///
    /// It follows the Planckian locus in the cubic approximation of Kim et al. (US patent 7,024,034), which holds from
    /// 1667 K to 25,000 K; what lies outside takes the nearest end.
    ///
    /// - Parameter mired: the colour temperature.
    /// - Returns: hue 0 to below 360 and saturation 0 to 100.
    public static func hueSaturation(mired: Int) -> (hue: Double, saturation: Double) {
        let t = min(max(1_000_000 / Double(max(mired, 1)), 1667), 25000)
        let x =
            t <= 4000
            ? -0.2661239e9 / (t * t * t) - 0.2343589e6 / (t * t) + 0.8776956e3 / t + 0.179910
            : -3.0258469e9 / (t * t * t) + 2.1070379e6 / (t * t) + 0.2226347e3 / t + 0.240390
        let y: Double
        if t <= 2222 {
            y = ((-1.1063814 * x - 1.34811020) * x + 2.18555832) * x - 0.20219683
        } else if t <= 4000 {
            y = ((-0.9549476 * x - 1.37418593) * x + 2.09137015) * x - 0.16748867
        } else {
            y = ((3.0817580 * x - 5.87338670) * x + 3.75112997) * x - 0.37001483
        }
        return hueSaturation(xy: XY(x: x, y: y)) ?? (0, 0)
    }

    // MARK: Hue and saturation

    /// A hue and a saturation as HomeKit takes them.
    ///
    /// - Parameters:
    ///   - hue: in degrees; 360 is 0.
    ///   - saturation: in percent.
    /// - Returns: hue 0 to below 360 and saturation 0 to 100, or `nil` if one is outside its range or not a number.
    public static func hueSaturation(hue: Double, saturation: Double) -> (hue: Double, saturation: Double)? {
        guard hue >= 0, hue <= 360, saturation >= 0, saturation <= 100 else { return nil }
        return (hue == 360 ? 0 : hue, saturation)
    }

    /// The brightest red, green and blue of a hue and a saturation.
    ///
    /// - Parameters:
    ///   - hue: in degrees, 0 to 360.
    ///   - saturation: in percent, 0 to 100.
    /// - Returns: parts of 0 to 255, the largest of them 255, or `nil` if the colour is outside its range.
    public static func rgb(hue: Double, saturation: Double) -> RGB? {
        guard let (hue, saturation) = hueSaturation(hue: hue, saturation: saturation) else { return nil }
        let sector = hue / 60
        let fraction = sector - sector.rounded(.down)
        let s = saturation / 100
        let low = 255 * (1 - s)
        let falling = 255 * (1 - s * fraction)
        let rising = 255 * (1 - s * (1 - fraction))
        switch sector {
        case ..<1: return RGB(red: 255, green: rising, blue: low)
        case ..<2: return RGB(red: falling, green: 255, blue: low)
        case ..<3: return RGB(red: low, green: 255, blue: rising)
        case ..<4: return RGB(red: low, green: falling, blue: 255)
        case ..<5: return RGB(red: rising, green: low, blue: 255)
        default: return RGB(red: 255, green: low, blue: falling)
        }
    }

    /// The hue and saturation of red, green and blue, whatever their brightness.
    ///
    /// - Parameter rgb: parts of 0 to 255.
    /// - Returns: hue 0 to below 360 and saturation 0 to 100, or `nil` if a part is outside its range; black is white
    ///   without light, so its saturation is 0.
    public static func hueSaturation(rgb: RGB) -> (hue: Double, saturation: Double)? {
        let range = 0.0...255.0
        guard range.contains(rgb.red), range.contains(rgb.green), range.contains(rgb.blue) else { return nil }
        return wheel(rgb.red, rgb.green, rgb.blue)
    }

    /// The place on the CIE 1931 diagram of a hue and a saturation (sRGB primaries, D65 white).
    ///
    /// - Parameters:
    ///   - hue: in degrees, 0 to 360.
    ///   - saturation: in percent, 0 to 100.
    /// - Returns: the place, or `nil` if the colour is outside its range.
    public static func xy(hue: Double, saturation: Double) -> XY? {
        guard let rgb = rgb(hue: hue, saturation: saturation) else { return nil }
        let r = linear(rgb.red / 255)
        let g = linear(rgb.green / 255)
        let b = linear(rgb.blue / 255)
        let x = 0.4123907993 * r + 0.3575843394 * g + 0.1804807884 * b
        let y = 0.2126390059 * r + 0.7151686788 * g + 0.0721923154 * b
        let z = 0.0193308187 * r + 0.1191947798 * g + 0.9505321522 * b
        let sum = x + y + z
        // One part is always 255, so there is light to divide by.
        guard sum > 0 else { return nil }
        return XY(x: x / sum, y: y / sum)
    }

    /// The hue and saturation of a place on the CIE 1931 diagram.
    ///
    /// What sRGB cannot show is moved to the edge of what it can.
    ///
    /// - Parameter xy: the place.
    /// - Returns: hue 0 to below 360 and saturation 0 to 100, or `nil` if there is no such place.
    public static func hueSaturation(xy: XY) -> (hue: Double, saturation: Double)? {
        guard xy.x >= 0, xy.y > 0, xy.x <= 1, xy.y <= 1, xy.x + xy.y <= 1.0001 else { return nil }
        // Scaled by y: only the direction counts, and a y close to 0 does not overflow.
        let x = xy.x
        let y = xy.y
        let z = max(0, 1 - xy.x - xy.y)
        let r = max(0, 3.2409699419 * x - 1.5373831776 * y - 0.4986107603 * z)
        let g = max(0, -0.9692436363 * x + 1.8759675015 * y + 0.0415550574 * z)
        let b = max(0, 0.0556300797 * x - 0.2039769589 * y + 1.0569715142 * z)
        let largest = max(r, g, b)
        guard largest > 0 else { return nil }
        return wheel(encoded(r / largest), encoded(g / largest), encoded(b / largest))
    }

    // MARK: Parts

    private static func wheel(_ r: Double, _ g: Double, _ b: Double) -> (hue: Double, saturation: Double) {
        let largest = max(r, g, b)
        let span = largest - min(r, g, b)
        guard largest > 0, span > 0 else { return (0, 0) }
        let sector: Double
        if largest == r {
            sector = (g - b) / span
        } else if largest == g {
            sector = 2 + (b - r) / span
        } else {
            sector = 4 + (r - g) / span
        }
        let hue = sector * 60
        // A tiny negative hue plus 360 rounds to 360, which is 0.
        let positive = hue < 0 ? hue + 360 : hue
        return (positive >= 360 ? 0 : positive, min(max(span / largest * 100, 0), 100))
    }

    private static func linear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ value: Double) -> Double {
        value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
    }
}
