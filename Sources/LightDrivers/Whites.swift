import DeviceKit

// Devices have whites in kelvin; lights here have them in mireds.

extension LightColor {
    /// Creates a white from its temperature, within the whites of a light; `nil` for an impossible temperature.
    init?(kelvin: Int?, within mireds: ClosedRange<Int>) {
        guard let mired = kelvin.flatMap({ ColorConversion.mired(kelvin: Double($0)) }) else { return nil }
        self = .temperature(mired: mireds.clamp(mired))
    }

    /// Creates a color from its hue and saturation; `nil` for black.
    init?(_ rgb: ColorConversion.RGB?) {
        guard let color = rgb.flatMap({ ColorConversion.hueSaturation(rgb: $0) }) else { return nil }
        self = .hueSaturation(hue: color.hue, saturation: color.saturation)
    }
}

extension ColorConversion {
    /// Returns the temperature of a white in kelvin, within the range of a device.
    static func kelvin(mired: Int, within range: ClosedRange<Int>) -> Int? { kelvin(mired: mired).map(range.clamp) }

    static func mireds(kelvin: ClosedRange<Int>) -> ClosedRange<Int> {
        let coldest = mired(kelvin: Double(kelvin.upperBound)) ?? 154
        return coldest...max(coldest, mired(kelvin: Double(kelvin.lowerBound)) ?? 370)
    }
}

extension ClosedRange<Int> {
    func clamp(_ number: Int) -> Int { Swift.min(Swift.max(number, lowerBound), upperBound) }
}
