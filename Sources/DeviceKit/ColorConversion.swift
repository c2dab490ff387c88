import Glibc

/// Conversions between HomeKit's units and the units of devices.
///
/// All functions accept any number, including NaN and infinities, and return a value in their range or `nil`.
public enum ColorConversion {
    /// A color with red, green and blue components, each 0 to 255.
    public struct RGB: Equatable, Sendable {
        /// The red component.
        public var red: Double
        /// The green component.
        public var green: Double
        /// The blue component.
        public var blue: Double

        /// Creates a color from its components.
        ///
        /// - Parameters:
        ///   - red: The red component, 0 to 255.
        ///   - green: The green component, 0 to 255.
        ///   - blue: The blue component, 0 to 255.
        public init(red: Double, green: Double, blue: Double) {
            self.red = red
            self.green = green
            self.blue = blue
        }

        fileprivate init(_ parts: [Double]) { self.init(red: parts[0], green: parts[1], blue: parts[2]) }
    }

    /// A point on the CIE 1931 chromaticity diagram.
    public struct XY: Equatable, Sendable {
        /// The x coordinate.
        public var x: Double
        /// The y coordinate.
        public var y: Double

        /// Creates a point.
        ///
        /// - Parameters:
        ///   - x: The x coordinate, 0 to 1.
        ///   - y: The y coordinate, 0 to 1.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    // MARK: Brightness

    /// Converts a brightness in percent to a device's scale.
    ///
    /// Only 0 % becomes 0.
    ///
    /// - Parameters:
    ///   - percent: The percentage, clamped to 0 to 100.
    ///   - scale: The device's maximum, at least 1.
    /// - Returns: The device's value, 0 to `scale`.
    public static func deviceValue(percent: Int, scale: Int) -> Int {
        let percent = min(max(percent, 0), 100)
        guard percent > 0 else { return 0 }
        let scale = Double(max(scale, 1))
        let value = (Double(percent) * scale / 100).rounded()
        return Int(exactly: min(max(value, 1), scale)) ?? 1
    }

    /// Converts a brightness from a device's scale to percent.
    ///
    /// Only 0 becomes 0 %.
    ///
    /// - Parameters:
    ///   - value: The device's value.
    ///   - scale: The device's maximum, at least 1.
    /// - Returns: 0 to 100, or `nil` if the value is negative or not finite.
    public static func percent(deviceValue value: Double, scale: Int) -> Int? {
        guard value.isFinite, value >= 0 else { return nil }
        guard value > 0 else { return 0 }
        let percent = (value / Double(max(scale, 1)) * 100).rounded()
        return Int(exactly: min(max(percent, 1), 100))
    }

    // MARK: Color temperature

    /// Converts a color temperature from mired to kelvin, rounded down as in Home Assistant.
    ///
    /// - Parameter mired: The color temperature in mired.
    /// - Returns: The color temperature in kelvin, or `nil` if `mired` isn't within 1...1,000,000.
    public static func kelvin(mired: Int) -> Int? {
        (1...1_000_000).contains(mired) ? 1_000_000 / mired : nil
    }

    /// Converts a color temperature from kelvin to mired.
    ///
    /// - Parameter kelvin: The color temperature in kelvin.
    /// - Returns: The color temperature in mired, at least 1, or `nil` if `kelvin` isn't within 1...1,000,000.
    public static func mired(kelvin: Double) -> Int? {
        guard kelvin >= 1, kelvin <= 1_000_000 else { return nil }
        return Int(exactly: (1_000_000 / kelvin).rounded())
    }

    /// Returns the hue and saturation of a white, for controllers that show a swatch next to the temperature.
    ///
    /// - Parameter mired: The color temperature in mired.
    /// - Returns: The hue, 0 to below 360, and the saturation, 0 to 100.
    public static func hueSaturation(mired: Int) -> (hue: Double, saturation: Double) {
        let white = rgb(kelvin: 1_000_000 / Double(max(mired, 1)))
        return wheel(white.red, white.green, white.blue)
    }

    /// Returns the RGB color of a white.
    ///
    /// It uses Helland's approximation, like Home Assistant.
    ///
    /// - Parameter kelvin: The color temperature in kelvin, clamped to 1000 to 40,000.
    /// - Returns: The components, 0 to 255.
    public static func rgb(kelvin: Double) -> RGB {
        let t = min(max(kelvin, 1000), 40_000) / 100
        func part(_ value: Double) -> Double { min(max(value, 0), 255) }
        return RGB(
            red: t <= 66 ? 255 : part(329.698727446 * pow(t - 60, -0.1332047592)),
            green: t <= 66
                ? part(99.4708025861 * log(t) - 161.1195681661) : part(288.1221695283 * pow(t - 60, -0.0755148492)),
            blue: t >= 66 ? 255 : t <= 19 ? 0 : part(138.5177312231 * log(t - 10) - 305.0447927307))
    }

    // MARK: Hue and saturation

    /// Returns a hue and a saturation in HomeKit's ranges.
    ///
    /// - Parameters:
    ///   - hue: The hue in degrees. 360 becomes 0.
    ///   - saturation: The saturation in percent.
    /// - Returns: The hue, 0 to below 360, and the saturation, 0 to 100, or `nil` if one is out of range or not a
    ///   number.
    public static func hueSaturation(hue: Double, saturation: Double) -> (hue: Double, saturation: Double)? {
        guard hue >= 0, hue <= 360, saturation >= 0, saturation <= 100 else { return nil }
        return (hue == 360 ? 0 : hue, saturation)
    }

    /// Returns the brightest RGB color with the given hue and saturation.
    ///
    /// - Parameters:
    ///   - hue: The hue in degrees, 0 to 360.
    ///   - saturation: The saturation in percent, 0 to 100.
    /// - Returns: The components, 0 to 255, the largest of which is 255, or `nil` if the color is out of range.
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

    /// Returns the hue and saturation of an RGB color, independent of its brightness.
    ///
    /// - Parameter rgb: The components, 0 to 255.
    /// - Returns: The hue, 0 to below 360, and the saturation, 0 to 100, or `nil` if a component is out of range. Black
    ///   is treated as white without light, so its saturation is 0.
    public static func hueSaturation(rgb: RGB) -> (hue: Double, saturation: Double)? {
        let range = 0.0...255.0
        guard range.contains(rgb.red), range.contains(rgb.green), range.contains(rgb.blue) else { return nil }
        return wheel(rgb.red, rgb.green, rgb.blue)
    }

    /// Returns the point on the CIE 1931 diagram for the given hue and saturation.
    ///
    /// The conversion uses the wide gamut that Philips specifies for lamps (with D65 white), like Home Assistant.
    ///
    /// - Parameters:
    ///   - hue: The hue in degrees, 0 to 360.
    ///   - saturation: The saturation in percent, 0 to 100.
    ///   - gamut: The light's gamut, if it is known. Points outside are moved to its edge.
    /// - Returns: The point, or `nil` if the color is out of range.
    public static func xy(hue: Double, saturation: Double, gamut: Gamut? = nil) -> XY? {
        guard let rgb = rgb(hue: hue, saturation: saturation) else { return nil }
        let r = linear(rgb.red / 255)
        let g = linear(rgb.green / 255)
        let b = linear(rgb.blue / 255)
        let x = 0.664511 * r + 0.154324 * g + 0.162028 * b
        let y = 0.283881 * r + 0.668433 * g + 0.047685 * b
        let z = 0.000088 * r + 0.072310 * g + 0.986039 * b
        let sum = x + y + z
        // One component is always 255, so the sum can't be zero.
        guard sum > 0 else { return nil }
        let xy = XY(x: x / sum, y: y / sum)
        return gamut?.nearest(to: xy) ?? xy
    }

    /// Returns the hue and saturation of a point on the CIE 1931 diagram.
    ///
    /// Points outside the gamut of the primaries are moved to its edge.
    ///
    /// - Parameter xy: The point.
    /// - Returns: The hue, 0 to below 360, and the saturation, 0 to 100, or `nil` if the point isn't on the diagram.
    public static func hueSaturation(xy: XY) -> (hue: Double, saturation: Double)? {
        guard xy.x >= 0, xy.y > 0, xy.x <= 1, xy.y <= 1, xy.x + xy.y <= 1.0001 else { return nil }
        // Convert at full luminance, like Home Assistant. The lower bound of y keeps the numbers finite.
        let y = max(xy.y, 1e-6)
        let x = xy.x / y
        let z = max(0, 1 - xy.x - xy.y) / y
        let r = max(0, encoded(1.656492 * x - 0.354851 - 0.255038 * z))
        let g = max(0, encoded(-0.707196 * x + 1.655397 + 0.036152 * z))
        let b = max(0, encoded(0.051713 * x - 0.121364 + 1.011530 * z))
        return max(r, g, b) > 0 ? wheel(r, g, b) : nil
    }

    /// The gamut of a light: the triangle of its red, green and blue on the CIE 1931 diagram.
    public struct Gamut: Equatable, Sendable {
        /// The corners: the chromaticities of the light's red, green and blue.
        public var red: XY, green: XY, blue: XY

        /// Creates a gamut from its corners.
        ///
        /// - Parameters:
        ///   - red: The light's red.
        ///   - green: The light's green.
        ///   - blue: The light's blue.
        public init(red: XY, green: XY, blue: XY) {
            self.red = red
            self.green = green
            self.blue = blue
        }

        /// Returns the given point if it is in the gamut, or else the nearest point in the gamut.
        public func nearest(to place: XY) -> XY {
            let edges = [(red, green), (green, blue), (blue, red)]
            let sides = edges.map { from, to in
                (to.x - from.x) * (place.y - from.y) - (to.y - from.y) * (place.x - from.x)
            }
            if sides.allSatisfy({ $0 >= 0 }) || sides.allSatisfy({ $0 <= 0 }) { return place }
            let nearest = edges.map { from, to in Self.nearest(to: place, from, to) }
            return nearest.min { Self.distance($0, place) < Self.distance($1, place) } ?? place
        }

        private static func nearest(to place: XY, _ from: XY, _ to: XY) -> XY {
            let dx = to.x - from.x
            let dy = to.y - from.y
            let length = dx * dx + dy * dy
            guard length > 0 else { return from }
            let part = min(max(((place.x - from.x) * dx + (place.y - from.y) * dy) / length, 0), 1)
            return XY(x: from.x + part * dx, y: from.y + part * dy)
        }

        private static func distance(_ a: XY, _ b: XY) -> Double {
            (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)
        }
    }

    // MARK: Lamps with white channels

    /// Converts a color to red, green, blue and white.
    ///
    /// The white channel gets the smallest of the components, which is subtracted from all three.
    ///
    /// - Parameter rgb: The components, 0 to 255.
    /// - Returns: Four channels, 0 to 255, the largest of which equals the largest component of `rgb`.
    public static func rgbw(_ rgb: RGB) -> [Double] {
        let white = min(rgb.red, rgb.green, rgb.blue)
        return matched(
            [rgb.red - white, rgb.green - white, rgb.blue - white, white], to: [rgb.red, rgb.green, rgb.blue])
    }

    /// Returns the color that red, green, blue and white channels produce together.
    ///
    /// - Parameter channels: Four channels, 0 to 255.
    /// - Returns: The components, 0 to 255, or `nil` if there aren't four channels.
    public static func rgb(rgbw channels: [Double]) -> RGB? {
        guard channels.count == 4 else { return nil }
        return RGB(matched(channels.prefix(3).map { $0 + channels[3] }, to: channels))
    }

    /// Converts a color to red, green, blue, cold white and warm white.
    ///
    /// Both white channels get the same level: the color's share of the white halfway between them.
    ///
    /// - Parameters:
    ///   - rgb: The components, 0 to 255.
    ///   - mireds: The color temperatures of the cold and the warm channel, in mired.
    /// - Returns: Five channels, 0 to 255, the largest of which equals the largest component of `rgb`.
    public static func rgbww(_ rgb: RGB, mireds: ClosedRange<Int>) -> [Double] {
        let white = self.rgb(mired: Double(mireds.lowerBound + mireds.upperBound) / 2)
        let parts = [(rgb.red, white.red), (rgb.green, white.green), (rgb.blue, white.blue)]
        let level = parts.map { $1 > 0 ? $0 / $1 : 0 }.min() ?? 0
        let colors = parts.map { $0 - $1 * level }
        return matched(colors + [level * 255, level * 255], to: [rgb.red, rgb.green, rgb.blue])
    }

    /// Returns the color that red, green, blue, cold white and warm white channels produce together.
    ///
    /// - Parameters:
    ///   - channels: Five channels, 0 to 255.
    ///   - mireds: The color temperatures of the cold and the warm channel, in mired.
    /// - Returns: The components, 0 to 255, or `nil` if there aren't five channels.
    public static func rgb(rgbww channels: [Double], mireds: ClosedRange<Int>) -> RGB? {
        guard channels.count == 5 else { return nil }
        let whites = channels[3] + channels[4]
        let share = whites > 0 ? channels[4] / whites : 0.5
        let white = rgb(mired: Double(mireds.lowerBound) + share * Double(mireds.upperBound - mireds.lowerBound))
        let level = max(channels[3], channels[4]) / 255
        let mixed = zip(channels, [white.red, white.green, white.blue]).map { $0 + $1 * level }
        return RGB(matched(mixed, to: channels))
    }

    private static func rgb(mired: Double) -> RGB { rgb(kelvin: (1_000_000 / max(mired, 1)).rounded(.down)) }

    /// Scales channels so that the largest of them equals the largest of `others`.
    private static func matched(_ channels: [Double], to others: [Double]) -> [Double] {
        guard let largest = channels.max(), largest > 0, let wanted = others.max() else { return channels }
        return channels.map { $0 * wanted / largest }
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
