import DeviceKit

// Conversions for devices that use kelvin for color temperatures. Light reports and commands use mired.

extension LightColor {
    /// Creates a white from its temperature in kelvin, clamped to the range of a light.
    ///
    /// Returns `nil` if the temperature is `nil` or out of range.
    init?(kelvin: Int?, within mireds: ClosedRange<Int>) {
        guard let mired = kelvin.flatMap({ ColorConversion.mired(kelvin: Double($0)) }) else { return nil }
        self = .temperature(mired: mireds.clamp(mired))
    }

    /// Creates a color with the hue and the saturation of an RGB color.
    ///
    /// Returns `nil` if the RGB color is `nil` or black.
    init?(_ rgb: ColorConversion.RGB?) {
        guard let color = rgb.flatMap({ ColorConversion.hueSaturation(rgb: $0) }) else { return nil }
        self = .hueSaturation(hue: color.hue, saturation: color.saturation)
    }
}

extension ColorConversion {
    /// Returns a color temperature in kelvin, clamped to the range of a device.
    static func kelvin(mired: Int, within range: ClosedRange<Int>) -> Int? { kelvin(mired: mired).map(range.clamp) }

    static func mireds(kelvin: ClosedRange<Int>) -> ClosedRange<Int> {
        let coldest = mired(kelvin: Double(kelvin.upperBound)) ?? 154
        return coldest...max(coldest, mired(kelvin: Double(kelvin.lowerBound)) ?? 370)
    }
}

extension ClosedRange<Int> {
    func clamp(_ number: Int) -> Int { Swift.min(Swift.max(number, lowerBound), upperBound) }
}
