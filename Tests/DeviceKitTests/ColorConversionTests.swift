import DeviceKit
import FoundationEssentials
import Testing

/// Results of Home Assistant 2025.4 (`homeassistant.util.color`).
struct HomeAssistantColors: Decodable {
    struct HueSaturation: Decodable {
        var hs, rgb, xy, xyGamut, back, rgbw, rgbww: [Double]
    }
    struct White: Decodable {
        var kelvin: Double
        var hs: [Double]
    }
    struct Mix: Decodable {
        var channels, rgb: [Double]
    }

    var hs: [HueSaturation]
    var whites: [White]
    var rgbwwToRGB: [Mix]

    static func read() throws -> HomeAssistantColors {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: tests.appending(path: "Fixtures/colors.json"))
        return try JSONDecoder().decode(HomeAssistantColors.self, from: data)
    }
}

@Suite("Color and brightness arithmetic")
struct ColorConversionTests {
    /// Special floating-point values, and values at the limits of `Double`.
    static let patterns: [Double] = [
        .nan, -.nan, .signalingNaN, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e18, 1e19, -1e19, 0.5, 1, 359.999999999999943, 360, 361,
        -1e-20, 255, 255.0001, 100, 1_000_000,
    ]

    @Test(
        "converts every percentage to a device's scale and back",
        arguments: [100, 127, 254, 255, 1000, 1023, 4095, 65535]
    )
    func percentRoundTrip(scale: Int) {
        for percent in 0...100 {
            let device = ColorConversion.deviceValue(percent: percent, scale: scale)
            #expect((0...scale).contains(device))
            #expect((device == 0) == (percent == 0))
            #expect(ColorConversion.percent(deviceValue: Double(device), scale: scale) == percent)
        }
    }

    @Test("never rounds a positive brightness down to 0", arguments: [1, 10, 50, 255])
    func neverRoundsToZero(scale: Int) {
        #expect(ColorConversion.deviceValue(percent: 1, scale: scale) >= 1)
        #expect(ColorConversion.percent(deviceValue: 0.0001, scale: scale) == 1)
    }

    @Test("clamps scales and percentages")
    func oddScales() {
        #expect(ColorConversion.deviceValue(percent: 1000, scale: 255) == 255)
        #expect(ColorConversion.deviceValue(percent: -5, scale: 255) == 0)
        #expect(ColorConversion.deviceValue(percent: 50, scale: 0) == 1)
        #expect(ColorConversion.deviceValue(percent: 50, scale: .min) == 1)
        #expect(ColorConversion.deviceValue(percent: 100, scale: .max) >= 1)
        #expect(ColorConversion.percent(deviceValue: 300, scale: 255) == 100)
    }

    @Test("rounds kelvin down", arguments: [(153, 6535), (250, 4000), (370, 2702), (500, 2000)])
    func kelvin(mired: Int, kelvin: Int) {
        #expect(ColorConversion.kelvin(mired: mired) == kelvin)
    }

    @Test(
        "rounds mireds to the nearest integer",
        arguments: [(2700.0, 370), (6500.0, 154), (1e6, 1), (1, 1_000_000)])
    func mired(kelvin: Double, mired: Int) {
        #expect(ColorConversion.mired(kelvin: kelvin) == mired)
    }

    @Test("converts every number of mireds to kelvin and back")
    func miredRoundTrip() throws {
        for mired in 50...700 {
            let kelvin = try #require(ColorConversion.kelvin(mired: mired))
            #expect(ColorConversion.mired(kelvin: Double(kelvin)) == mired)
        }
        #expect(ColorConversion.kelvin(mired: 0) == nil)
        #expect(ColorConversion.kelvin(mired: -1) == nil)
        #expect(ColorConversion.kelvin(mired: .max) == nil)
    }

    @Test("agrees with Home Assistant's conversions")
    func agrees() throws {
        func close(_ a: Double, _ b: Double?, _ tolerance: Double) -> Bool {
            b.map { abs(a - $0) <= tolerance } ?? false
        }
        let gamut = ColorConversion.Gamut(
            red: .init(x: 0.6915, y: 0.3083), green: .init(x: 0.17, y: 0.7), blue: .init(x: 0.1532, y: 0.0475))
        let examples = try HomeAssistantColors.read()
        #expect(examples.hs.count == 144)
        for example in examples.hs {
            let (hue, saturation) = (example.hs[0], example.hs[1])
            let rgb = try #require(ColorConversion.rgb(hue: hue, saturation: saturation))
            #expect([rgb.red, rgb.green, rgb.blue].map { $0.rounded(.toNearestOrEven) } == example.rgb)
            for (xy, wanted) in [
                (ColorConversion.xy(hue: hue, saturation: saturation), example.xy),
                (ColorConversion.xy(hue: hue, saturation: saturation, gamut: gamut), example.xyGamut),
            ] {
                #expect(close(wanted[0], xy?.x, 0.002) && close(wanted[1], xy?.y, 0.002), "\(hue) \(saturation)")
            }
            let back = try #require(ColorConversion.hueSaturation(xy: .init(x: example.xy[0], y: example.xy[1])))
            // Home Assistant rounds the components to integers from 0 to 255.
            let turn = abs(back.hue - example.back[0])
            #expect(close(back.saturation, example.back[1], 1), "\(hue) \(saturation)")
            #expect(min(turn, 360 - turn) <= 1 || saturation <= 20, "\(hue) \(saturation)")
            let whole = ColorConversion.RGB(red: example.rgb[0], green: example.rgb[1], blue: example.rgb[2])
            for (channels, wanted) in [
                (ColorConversion.rgbw(whole), example.rgbw),
                (ColorConversion.rgbww(whole, mireds: 153...500), example.rgbww),
            ] {
                for (channel, wanted) in zip(channels, wanted) {
                    #expect(close(channel, wanted, 1), "\(hue) \(saturation)")
                }
            }
        }
        for white in examples.whites {
            let rgb = ColorConversion.rgb(kelvin: white.kelvin)
            let place = try #require(ColorConversion.hueSaturation(rgb: rgb))
            #expect(close(place.hue, white.hs[0], 0.01) && close(place.saturation, white.hs[1], 0.01))
        }
        for mix in examples.rgbwwToRGB {
            let rgb = try #require(ColorConversion.rgb(rgbww: mix.channels, mireds: 153...500))
            for (part, wanted) in zip([rgb.red, rgb.green, rgb.blue], mix.rgb) { #expect(close(part, wanted, 1)) }
        }
    }

    @Test("converts hue and saturation to rgb and xy and back")
    func wheelRoundTrips() throws {
        for hue in stride(from: 0.0, to: 360, by: 7.5) {
            for saturation in stride(from: 5.0, through: 100, by: 5) {
                let rgb = try #require(ColorConversion.rgb(hue: hue, saturation: saturation))
                let overRGB = try #require(ColorConversion.hueSaturation(rgb: rgb))
                #expect(abs(overRGB.hue - hue) < 0.001 && abs(overRGB.saturation - saturation) < 0.001)
                let xy = try #require(ColorConversion.xy(hue: hue, saturation: saturation))
                let overXY = try #require(ColorConversion.hueSaturation(xy: xy))
                let turn = abs(overXY.hue - hue)
                // The conversion from xy, which is Home Assistant's, returns slightly lower values for dark components.
                #expect(min(turn, 360 - turn) < 4 && abs(overXY.saturation - saturation) < 4)
            }
        }
    }

    @Test("converts any two floating-point values to a valid color or to nil", arguments: patterns)
    func anyDouble(a: Double) {
        for b in Self.patterns {
            for color in [
                ColorConversion.hueSaturation(hue: a, saturation: b),
                ColorConversion.hueSaturation(xy: .init(x: a, y: b)),
                ColorConversion.hueSaturation(rgb: .init(red: a, green: b, blue: b)),
                ColorConversion.hueSaturation(rgb: .init(red: b, green: 3, blue: a)),
            ] {
                guard let color else { continue }
                #expect(color.hue >= 0 && color.hue < 360 && color.saturation >= 0 && color.saturation <= 100)
            }
            if let rgb = ColorConversion.rgb(hue: a, saturation: b) {
                #expect([rgb.red, rgb.green, rgb.blue].allSatisfy { (0...255).contains($0) })
            }
            if let xy = ColorConversion.xy(hue: a, saturation: b) {
                #expect((0...1).contains(xy.x) && (0...1).contains(xy.y))
            }
        }
        if let percent = ColorConversion.percent(deviceValue: a, scale: 255) { #expect((0...100).contains(percent)) }
        if let mired = ColorConversion.mired(kelvin: a) { #expect((1...1_000_000).contains(mired)) }
    }

    @Test("converts any mired to a white", arguments: [Int.min, -1, 0, 1, 50, 153, 500, 1000, Int.max])
    func anyMired(mired: Int) {
        let (hue, saturation) = ColorConversion.hueSaturation(mired: mired)
        #expect(hue >= 0 && hue < 360 && saturation >= 0 && saturation <= 100)
    }
}
