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

        fileprivate init(_ parts: [Double]) { self.init(red: parts[0], green: parts[1], blue: parts[2]) }
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
    /// - Parameter mired: the colour temperature.
    /// - Returns: hue 0 to below 360 and saturation 0 to 100.
    public static func hueSaturation(mired: Int) -> (hue: Double, saturation: Double) {
        let white = rgb(kelvin: 1_000_000 / Double(max(mired, 1)))
        return wheel(white.red, white.green, white.blue)
    }

    /// A white as red, green and blue.
    ///
    /// It follows Helland's approximation, as Home Assistant does.
    ///
    /// - Parameter kelvin: the colour temperature; what lies outside 1000 to 40,000 takes the nearest end.
    /// - Returns: parts of 0 to 255.
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

    /// The place on the CIE 1931 diagram of a hue and a saturation.
    ///
    /// The primaries are those of the wide gamut that lamps have (D65 white), as Philips gives them and Home Assistant
    /// uses them.
    ///
    /// - Parameters:
    ///   - hue: in degrees, 0 to 360.
    ///   - saturation: in percent, 0 to 100.
    ///   - gamut: what the light can show, if it is known; what lies outside moves to its edge.
    /// - Returns: the place, or `nil` if the colour is outside its range.
    public static func xy(hue: Double, saturation: Double, gamut: Gamut? = nil) -> XY? {
        guard let rgb = rgb(hue: hue, saturation: saturation) else { return nil }
        let r = linear(rgb.red / 255)
        let g = linear(rgb.green / 255)
        let b = linear(rgb.blue / 255)
        let x = 0.664511 * r + 0.154324 * g + 0.162028 * b
        let y = 0.283881 * r + 0.668433 * g + 0.047685 * b
        let z = 0.000088 * r + 0.072310 * g + 0.986039 * b
        let sum = x + y + z
        // One part is always 255, so there is light to divide by.
        guard sum > 0 else { return nil }
        let xy = XY(x: x / sum, y: y / sum)
        return gamut?.nearest(to: xy) ?? xy
    }

    /// The hue and saturation of a place on the CIE 1931 diagram.
    ///
    /// What the primaries cannot show is moved to the edge of what they can.
    ///
    /// - Parameter xy: the place.
    /// - Returns: hue 0 to below 360 and saturation 0 to 100, or `nil` if there is no such place.
    public static func hueSaturation(xy: XY) -> (hue: Double, saturation: Double)? {
        guard xy.x >= 0, xy.y > 0, xy.x <= 1, xy.y <= 1, xy.x + xy.y <= 1.0001 else { return nil }
        // At full luminance, as Home Assistant does it; the lowest y keeps the numbers finite.
        let y = max(xy.y, 1e-6)
        let x = xy.x / y
        let z = max(0, 1 - xy.x - xy.y) / y
        let r = max(0, encoded(1.656492 * x - 0.354851 - 0.255038 * z))
        let g = max(0, encoded(-0.707196 * x + 1.655397 + 0.036152 * z))
        let b = max(0, encoded(0.051713 * x - 0.121364 + 1.011530 * z))
        return max(r, g, b) > 0 ? wheel(r, g, b) : nil
    }

    /// What a light can show: the triangle of its red, green and blue on the CIE 1931 diagram.
    public struct Gamut: Equatable, Sendable {
        /// The corners.
        public var red: XY, green: XY, blue: XY

        /// Makes a gamut of its corners.
        ///
        /// - Parameters:
        ///   - red: the light's red.
        ///   - green: the light's green.
        ///   - blue: the light's blue.
        public init(red: XY, green: XY, blue: XY) {
            self.red = red
            self.green = green
            self.blue = blue
        }

        /// The place itself if the light can show it, else the nearest that it can.
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

    // MARK: Lamps of white beside colours

    /// Red, green, blue and white of a colour: the white that all three have in common is the white lamp's.
    ///
    /// - Parameter rgb: parts of 0 to 255.
    /// - Returns: four channels of 0 to 255; the largest is as large as before.
    public static func rgbw(_ rgb: RGB) -> [Double] {
        let white = min(rgb.red, rgb.green, rgb.blue)
        return matched(
            [rgb.red - white, rgb.green - white, rgb.blue - white, white], to: [rgb.red, rgb.green, rgb.blue])
    }

    /// The colour of red, green, blue and white lamps together.
    ///
    /// - Parameter channels: four parts of 0 to 255.
    /// - Returns: parts of 0 to 255, or `nil` if there are not four.
    public static func rgb(rgbw channels: [Double]) -> RGB? {
        guard channels.count == 4 else { return nil }
        return RGB(matched(channels.prefix(3).map { $0 + channels[3] }, to: channels))
    }

    /// Red, green, blue, cold and warm white of a colour: what it has of the white between the two is theirs.
    ///
    /// - Parameters:
    ///   - rgb: parts of 0 to 255.
    ///   - mireds: the colour temperatures of the cold and the warm lamps.
    /// - Returns: five channels of 0 to 255; the largest is as large as before.
    public static func rgbww(_ rgb: RGB, mireds: ClosedRange<Int>) -> [Double] {
        let white = self.rgb(mired: Double(mireds.lowerBound + mireds.upperBound) / 2)
        let parts = [(rgb.red, white.red), (rgb.green, white.green), (rgb.blue, white.blue)]
        let level = parts.map { $1 > 0 ? $0 / $1 : 0 }.min() ?? 0
        let colors = parts.map { $0 - $1 * level }
        return matched(colors + [level * 255, level * 255], to: [rgb.red, rgb.green, rgb.blue])
    }

    /// The colour of red, green, blue, cold and warm white lamps together.
    ///
    /// - Parameters:
    ///   - channels: five parts of 0 to 255.
    ///   - mireds: the colour temperatures of the cold and the warm lamps.
    /// - Returns: parts of 0 to 255, or `nil` if there are not five.
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

    /// Channels made as bright as others: the largest of both is the same.
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
