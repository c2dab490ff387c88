import BoundedJSON
import DeviceKit

/// The state of a light of a first-generation Shelly device (Lights 9.6.1).
///
/// Its functions follow from the values that the device reports. A strip controller has either one light with colors
/// or four lights without colors. A bulb with colors and whites is in one of two modes, `color` and `white`.
struct ShellyGen1Light: Equatable, Sendable {
    /// The type of the strip controller RGBW2.
    private static let strip = "SHRGBW2"
    /// The types of devices whose colors have a channel for white LEDs.
    private static let channelTypes = [strip, "SHBLB-1"]
    /// The longest transition that devices accept.
    private static let longestTransition = Duration.seconds(5)

    /// The path of the light's commands, without the number: `light`, or for a strip controller its mode, `color` or
    /// `white`.
    let path: String
    private let isStrip: Bool
    private let hasWhiteChannel: Bool
    private(set) var isOn: Bool?
    /// The brightness of whites, in percent.
    private var brightness: Int?
    /// The brightness of colors, in percent.
    private var gain: Int?
    /// The red, green and blue channels, 0 to 255 each.
    private var rgb: [Double]?
    private var white: Double?
    private var kelvin: Int?
    private var mode: String?
    private var effect = 0
    private var fades = false

    init(type: String, mode: String?) {
        isStrip = type == Self.strip
        hasWhiteChannel = Self.channelTypes.contains(type)
        path = isStrip ? (mode == "white" ? "white" : "color") : "light"
    }

    /// Updates the light from its settings, its status or the answer to a command.
    mutating func merge(_ json: JSONValue) {
        isOn = json["ison"]?.bool ?? isOn
        brightness = json["brightness"].flatMap(Self.percent) ?? brightness
        gain = json["gain"].flatMap(Self.percent) ?? gain
        let channels = ["red", "green", "blue"].compactMap { json[$0].flatMap(Self.channel) }
        if channels.count == 3 { rgb = channels }
        white = json["white"].flatMap(Self.channel) ?? white
        kelvin = json["temp"]?.int ?? kelvin
        mode = json["mode"]?.string ?? mode
        effect = json["effect"]?.int ?? effect
        fades = fades || json["transition"]?.double != nil
    }

    private static func percent(_ json: JSONValue) -> Int? { json.double.map { Int(min(max($0, 0), 100).rounded()) } }
    private static func channel(_ json: JSONValue) -> Double? { json.double.map { min(max($0, 0), 255) } }

    private var hasColor: Bool { isStrip ? path == "color" : rgb != nil }
    private var hasTemperature: Bool { !isStrip && kelvin != nil }
    /// A Boolean value that indicates whether the light currently shows a color, not a white.
    private var showsColor: Bool { hasColor && !(hasTemperature && mode == "white") }
    /// The range of the light's color temperatures in kelvin, which devices don't report.
    private var kelvins: ClosedRange<Int> { (hasColor ? 3000 : 2700)...6500 }
    private var mireds: ClosedRange<Int> { ColorConversion.mireds(kelvin: kelvins) }

    var capabilities: LightCapabilities {
        LightCapabilities(
            brightness: true, color: hasColor, temperature: hasTemperature ? mireds : nil, transition: fades)
    }

    var report: LightReport {
        var report = LightReport(on: isOn, reachable: true)
        report.brightness = (showsColor ? gain ?? brightness : brightness).flatMap { $0 > 0 ? $0 : nil }
        if showsColor {
            report.color = LightColor(color)
        } else if hasTemperature {
            report.color = LightColor(kelvin: kelvin, within: mireds)
        }
        return report
    }

    private var color: ColorConversion.RGB? {
        guard let rgb else { return nil }
        if hasWhiteChannel { return ColorConversion.rgb(rgbw: rgb + [white ?? 0]) }
        return ColorConversion.RGB(red: rgb[0], green: rgb[1], blue: rgb[2])
    }

    /// Returns the parameters of a command.
    func parameters(for command: LightCommand) -> [(String, String)] {
        var parameters: [(String, String)] = []
        if let on = command.on { parameters.append(("turn", on ? "on" : "off")) }
        if let percent = command.brightness {
            // A bulb with two modes has a brightness for each mode.
            if hasColor { parameters.append(("gain", "\(percent)")) }
            if !hasColor || hasTemperature { parameters.append(("brightness", "\(percent)")) }
        }
        if let color = command.color { parameters += self.parameters(for: color) }
        if fades, let transition = command.transition {
            let limited = min(max(transition, .zero), Self.longestTransition)
            parameters.append(("transition", "\(Int((limited / .milliseconds(1)).rounded()))"))
        }
        return parameters
    }

    private func parameters(for color: LightColor) -> [(String, String)] {
        switch color {
        case .temperature(let mired):
            guard hasTemperature, let wanted = ColorConversion.kelvin(mired: mired, within: kelvins) else { return [] }
            return (hasColor && mode != "white" ? [("mode", "white")] : []) + [("temp", "\(wanted)")]
        case .hueSaturation(let hue, let saturation):
            guard hasColor, let rgb = ColorConversion.rgb(hue: hue, saturation: saturation) else { return [] }
            var parameters = hasTemperature && mode != "color" ? [("mode", "color")] : []
            let channels = hasWhiteChannel ? ColorConversion.rgbw(rgb) : [rgb.red, rgb.green, rgb.blue]
            for (name, value) in zip(["red", "green", "blue", "white"], channels) {
                parameters.append((name, "\(Int(value.rounded()))"))
            }
            // Stop a running effect, which would otherwise continue.
            if effect != 0 { parameters.append(("effect", "0")) }
            return parameters
        }
    }
}
