import LightKit
import Testing

@Suite("Colour and brightness arithmetic")
struct ColorConversionTests {
    /// Doubles that break careless arithmetic.
    static let patterns: [Double] = [
        .nan, -.nan, .signalingNaN, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e18, 1e19, -1e19, 0.5, 1, 359.999999999999943, 360, 361,
        -1e-20, 255, 255.0001, 100, 1_000_000,
    ]

    @Test(
        "every percentage survives the way to a device and back",
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

    @Test("no brightness above nothing is rounded down to nothing", arguments: [1, 10, 50, 255])
    func neverRoundsToZero(scale: Int) {
        #expect(ColorConversion.deviceValue(percent: 1, scale: scale) >= 1)
        #expect(ColorConversion.percent(deviceValue: 0.0001, scale: scale) == 1)
    }

    @Test("scales and percentages out of range stay in range")
    func oddScales() {
        #expect(ColorConversion.deviceValue(percent: 1000, scale: 255) == 255)
        #expect(ColorConversion.deviceValue(percent: -5, scale: 255) == 0)
        #expect(ColorConversion.deviceValue(percent: 50, scale: 0) == 1)
        #expect(ColorConversion.deviceValue(percent: 50, scale: .min) == 1)
        #expect(ColorConversion.deviceValue(percent: 100, scale: .max) >= 1)
        #expect(ColorConversion.percent(deviceValue: 300, scale: 255) == 100)
    }

    @Test("mired become kelvin rounded down", arguments: [(153, 6535), (250, 4000), (370, 2702), (500, 2000)])
    func kelvin(mired: Int, kelvin: Int) {
        #expect(ColorConversion.kelvin(mired: mired) == kelvin)
    }

    @Test(
        "kelvin become mired rounded to the nearest",
        arguments: [(2700.0, 370), (6500.0, 154), (1e6, 1), (1, 1_000_000)])
    func mired(kelvin: Double, mired: Int) {
        #expect(ColorConversion.mired(kelvin: kelvin) == mired)
    }

    @Test("mired survive the way over kelvin and back")
    func miredRoundTrip() throws {
        for mired in 50...700 {
            let kelvin = try #require(ColorConversion.kelvin(mired: mired))
            #expect(ColorConversion.mired(kelvin: Double(kelvin)) == mired)
        }
        #expect(ColorConversion.kelvin(mired: 0) == nil)
        #expect(ColorConversion.kelvin(mired: -1) == nil)
        #expect(ColorConversion.kelvin(mired: .max) == nil)
    }

    @Test(
        "primary and secondary colours are where they belong",
        arguments: [
            (0.0, 255.0, 0.0, 0.0), (60, 255, 255, 0), (120, 0, 255, 0), (180, 0, 255, 255), (240, 0, 0, 255),
            (300, 255, 0, 255),
        ])
    func primaries(hue: Double, red: Double, green: Double, blue: Double) {
        let rgb = ColorConversion.RGB(red: red, green: green, blue: blue)
        #expect(ColorConversion.rgb(hue: hue, saturation: 100) == rgb)
        let back = ColorConversion.hueSaturation(rgb: rgb)
        #expect(back?.hue == hue)
        #expect(back?.saturation == 100)
    }

    @Test("the primaries of sRGB have their published chromaticities")
    func chromaticities() throws {
        for (hue, x, y) in [(0.0, 0.64, 0.33), (120.0, 0.30, 0.60), (240.0, 0.15, 0.06)] {
            let xy = try #require(ColorConversion.xy(hue: hue, saturation: 100))
            #expect(abs(xy.x - x) < 0.0005)
            #expect(abs(xy.y - y) < 0.0005)
        }
        let white = try #require(ColorConversion.xy(hue: 77, saturation: 0))
        #expect(abs(white.x - 0.3127) < 0.0002)
        #expect(abs(white.y - 0.3290) < 0.0002)
    }

    @Test("hue and saturation survive the way over rgb and over xy")
    func wheelRoundTrips() throws {
        for hue in stride(from: 0.0, to: 360, by: 7.5) {
            for saturation in stride(from: 5.0, through: 100, by: 5) {
                let rgb = try #require(ColorConversion.rgb(hue: hue, saturation: saturation))
                let overRGB = try #require(ColorConversion.hueSaturation(rgb: rgb))
                #expect(abs(overRGB.hue - hue) < 0.001 && abs(overRGB.saturation - saturation) < 0.001)
                let xy = try #require(ColorConversion.xy(hue: hue, saturation: saturation))
                let overXY = try #require(ColorConversion.hueSaturation(xy: xy))
                let turn = abs(overXY.hue - hue)
                #expect(min(turn, 360 - turn) < 0.5 && abs(overXY.saturation - saturation) < 0.5)
            }
        }
    }

    @Test("whites are warmer with more mired and nearly colourless at 6500 K")
    func whites() {
        let daylight = ColorConversion.hueSaturation(mired: 154)
        #expect(daylight.saturation < 5)
        let warm = ColorConversion.hueSaturation(mired: 370)
        #expect((20...40).contains(warm.hue) && (40...80).contains(warm.saturation))
        #expect(ColorConversion.hueSaturation(mired: 500).saturation > warm.saturation)
        let cold = ColorConversion.hueSaturation(mired: 100)
        #expect((200...250).contains(cold.hue))
    }

    @Test("any two Doubles give a colour in range or none", arguments: patterns)
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

    @Test("every number of mired has a white", arguments: [Int.min, -1, 0, 1, 50, 153, 500, 1000, Int.max])
    func anyMired(mired: Int) {
        let (hue, saturation) = ColorConversion.hueSaturation(mired: mired)
        #expect(hue >= 0 && hue < 360 && saturation >= 0 && saturation <= 100)
    }

    @Test(
        "lengths of time are read",
        arguments: [
            ("150ms", Duration.milliseconds(150)), ("2s", .seconds(2)), ("0s", .zero), ("1.5s", .milliseconds(1500)),
            ("5m", .seconds(300)), ("24h", .seconds(86400)),
        ])
    func durations(text: String, duration: Duration) {
        #expect(DurationText(text)?.duration == duration)
    }

    @Test(
        "what is no length of time is refused",
        arguments: [
            "", "2", "s", "ms", "-1s", "2 s", "1e3s", ".5s", "1.s", "1.2.3s", "infs", "nans", "2S", "9999999h", "٣s",
        ])
    func badDurations(text: String) {
        #expect(DurationText(text) == nil)
    }
}
