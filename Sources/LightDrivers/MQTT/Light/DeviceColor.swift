import DeviceKit

/// A color in a format that messages use.
enum DeviceColor: Equatable {
    case hs(Double, Double)
    case xy(Double, Double)
    /// Three to five channels, 0 to 255 each: red, green and blue, optionally followed by white, or by cold and warm
    /// white.
    case channels([Int])
    /// A color temperature in mired or kelvin, depending on the light's settings.
    case temperature(Int)

    /// Converts a color to the form that the light accepts.
    ///
    /// `whites` contains the color temperatures of the light's cold and warm white, in mired.
    init?(hue: Double, saturation: Double, form: MQTTLightSettings.ColorMode, whites: ClosedRange<Int>) {
        guard let rgb = ColorConversion.rgb(hue: hue, saturation: saturation) else { return nil }
        switch form {
        case .hs: self = .hs(hue, saturation)
        case .xy:
            guard let xy = ColorConversion.xy(hue: hue, saturation: saturation) else { return nil }
            // Four decimal places are more precise than any lamp, and keep the message short.
            self = .xy((xy.x * 10000).rounded() / 10000, (xy.y * 10000).rounded() / 10000)
        case .rgb: self = .channels(Self.whole([rgb.red, rgb.green, rgb.blue]))
        case .rgbw: self = .channels(Self.whole(ColorConversion.rgbw(rgb)))
        case .rgbww: self = .channels(Self.whole(ColorConversion.rgbww(rgb, mireds: whites)))
        case .onoff, .brightness, .white, .temperature: return nil
        }
    }

    private static func whole(_ channels: [Double]) -> [Int] {
        channels.map { Int(exactly: min(max($0.rounded(), 0), 255)) ?? 0 }
    }

    /// Returns the hue and saturation, or `nil` for an invalid color or a temperature.
    ///
    /// `whites` contains the color temperatures of the light's cold and warm white, in mired.
    func hueSaturation(whites: ClosedRange<Int>) -> (hue: Double, saturation: Double)? {
        switch self {
        case .hs(let hue, let saturation): return ColorConversion.hueSaturation(hue: hue, saturation: saturation)
        case .xy(let x, let y): return ColorConversion.hueSaturation(xy: .init(x: x, y: y))
        case .channels(let channels):
            let parts = channels.map(Double.init)
            guard parts.count >= 3, parts.allSatisfy({ (0...255).contains($0) }), parts.contains(where: { $0 > 0 })
            else { return nil }
            let rgb = ColorConversion.RGB(red: parts[0], green: parts[1], blue: parts[2])
            return ColorConversion.hueSaturation(
                rgb: ColorConversion.rgb(rgbw: parts) ?? ColorConversion.rgb(rgbww: parts, mireds: whites) ?? rgb)
        case .temperature: return nil
        }
    }

    /// The color mode that uses this form; `nil` if there are too few or too many channels.
    var form: MQTTLightSettings.ColorMode? {
        switch self {
        case .hs: .hs
        case .xy: .xy
        case .temperature: .temperature
        case .channels(let channels):
            switch channels.count {
            case 3: .rgb
            case 4: .rgbw
            case 5: .rgbww
            default: nil
            }
        }
    }

    /// The value of the largest channel, which represents the brightness if the light has no separate brightness.
    var largestChannel: Int? {
        if case .channels(let channels) = self { channels.max() } else { nil }
    }

    /// Returns the color with its channels scaled to a brightness, such that at least one channel stays above 0.
    func scaled(percent: Int) -> DeviceColor {
        guard case .channels(let channels) = self else { return self }
        let scaled = channels.map { Int(exactly: (Double($0) * Double(percent) / 100).rounded()) ?? 0 }
        guard scaled.allSatisfy({ $0 == 0 }) else { return .channels(scaled) }
        return .channels(channels.map { $0 == channels.max() && $0 > 0 ? 1 : 0 })
    }

    /// Returns whether two colors are so close that a device may confuse them when it rounds.
    func isClose(to other: DeviceColor) -> Bool {
        switch (self, other) {
        case (.hs(let h1, let s1), .hs(let h2, let s2)):
            let turn = abs(h1 - h2)
            return min(turn, 360 - turn) <= 1 && abs(s1 - s2) <= 1
        case (.xy(let x1, let y1), .xy(let x2, let y2)): return abs(x1 - x2) <= 0.001 && abs(y1 - y2) <= 0.001
        case (.channels(let a), .channels(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 1 }
        case (.temperature(let a), .temperature(let b)): return a == b
        case (.hs, _), (.xy, _), (.channels, _), (.temperature, _): return false
        }
    }
}
