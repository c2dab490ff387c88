import BoundedJSON
import DeviceKit
import HAPModel

/// An output of a Shelly device: a dimmable light or a relay (Lights 9.6).
struct ShellyOutput: Equatable, Sendable {
    /// The kind of a component.
    ///
    /// The raw value is the kind's name in the device's configuration and status.
    enum Kind: String, CaseIterable, Sendable {
        case light, rgb, rgbw, cct, rgbcct
        case relay = "switch"
        case cover, thermostat

        /// The prefix of the component's methods.
        var methods: String {
            switch self {
            case .light: "Light"
            case .relay: "Switch"
            case .cover: "Cover"
            case .thermostat: "Thermostat"
            case .rgb, .rgbw, .cct, .rgbcct: rawValue.uppercased()
            }
        }

        var hasColor: Bool { self == .rgb || self == .rgbw || self == .rgbcct }
        var hasTemperature: Bool { self == .cct || self == .rgbcct }
    }

    private static let kelvins = 1000...20_000

    let kind: Kind
    let number: Int
    let name: String?
    /// The range of the output's color temperatures in kelvin.
    let kelvin: ClosedRange<Int>
    private(set) var isOn: Bool?
    /// The brightness in percent.
    private var brightness: Int?
    /// The red, green and blue channels, 0 to 255 each.
    private var rgb: [Double]?
    private var white: Double?
    private var temperature: Int?
    private var cover: ShellyCover
    private var thermostat: ShellyThermostat
    private(set) var meter = ShellyMeter()
    /// A Boolean value that indicates whether an output with colors and whites shows a white.
    private var showsWhite = false

    /// The name of the output's component, such as `light:0`.
    var key: String { "\(kind.rawValue):\(number)" }

    /// Returns the kind and the number from the name of a component, such as `light:0`, or `nil` if the name doesn't
    /// have this form.
    static func parts(of key: String) -> (kind: String, number: Int)? {
        let parts = key.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[1]), (0..<1000).contains(number), "\(number)" == parts[1]
        else { return nil }
        return (String(parts[0]), number)
    }

    /// A Boolean value that indicates whether the output's state is known.
    var isKnown: Bool {
        switch kind {
        case .cover: cover.isKnown
        case .thermostat: thermostat.isKnown
        default: isOn != nil
        }
    }

    /// Parses a component of the device's configuration, such as `light:0`; `nil` if it can't switch, dim or move.
    init?(_ key: String, _ json: JSONValue) {
        guard let (kindName, number) = Self.parts(of: key), let kind = Kind(rawValue: kindName), number < 100
        else { return nil }
        self.kind = kind
        self.number = number
        name = json["name"]?.shortText.flatMap { $0.isEmpty ? nil : $0 }
        cover = ShellyCover(json)
        thermostat = ShellyThermostat(json)
        let range = (json["ct_range"]?.array ?? []).compactMap(\.int)
        kelvin =
            range.count == 2 && Self.kelvins.contains(range[0]) && Self.kelvins.contains(range[1])
                && range[0] < range[1] ? range[0]...range[1] : 2700...6500
    }

    /// Updates the output from a complete or partial status.
    mutating func merge(_ json: JSONValue) {
        meter.merge(json)
        guard kind != .cover else { return cover.merge(json) }
        guard kind != .thermostat else { return thermostat.merge(json) }
        isOn = json["output"]?.bool ?? isOn
        brightness = json["brightness"]?.double.map { Int(min(max($0, 0), 100).rounded()) } ?? brightness
        if let parts = json["rgb"]?.array?.prefix(3).compactMap(\.double), parts.count == 3 {
            rgb = parts.map { min(max($0, 0), 255) }
        }
        white = json["white"]?.double.map { min(max($0, 0), 255) } ?? white
        temperature = json["ct"]?.int ?? temperature
        showsWhite = json["mode"]?.string.map { $0 == "cct" } ?? showsWhite
        // During a transition, use the final state.
        if let target = json["transition"]?["target"], target["transition"] == nil { merge(target) }
    }

    /// Copies the state of the output that this output replaces after the configuration was read again.
    mutating func keepState(of former: ShellyOutput) {
        meter = former.meter
        (isOn, brightness, rgb, white) = (former.isOn, former.brightness, former.rgb, former.white)
        (temperature, showsWhite) = (former.temperature, former.showsWhite)
        let cools = thermostat.cools
        thermostat = former.thermostat
        thermostat.cools = cools
        let (hasSlats, isDoor) = (cover.hasSlats, cover.isDoor)
        cover = former.cover
        (cover.hasSlats, cover.isDoor) = (hasSlats, isDoor)
    }

    /// The kind of a cover.
    var coverKind: LightKind { cover.isDoor ? .garageDoor : .cover }

    /// Marks a cover as a garage door or a gate.
    mutating func becomeDoor() { cover.isDoor = kind == .cover }

    /// The functions of a cover or a thermostat, or `nil` for other outputs.
    var functions: [AccessoryFunction]? {
        switch kind {
        case .cover: [cover.function]
        case .thermostat: [thermostat.function]
        default: nil
        }
    }

    var capabilities: LightCapabilities {
        guard kind != .relay, functions == nil else { return LightCapabilities() }
        return LightCapabilities(
            brightness: true, color: kind.hasColor, temperature: kind.hasTemperature ? mireds : nil, transition: true)
    }

    private var mireds: ClosedRange<Int> { ColorConversion.mireds(kelvin: kelvin) }

    var report: LightReport {
        guard kind != .cover else { return cover.report }
        guard kind != .thermostat else { return thermostat.report }
        var report = LightReport(on: isOn, reachable: true)
        guard kind != .relay else { return report }
        report.brightness = brightness.flatMap { $0 > 0 ? $0 : nil }
        if kind.hasTemperature, !kind.hasColor || showsWhite {
            report.color = LightColor(kelvin: temperature, within: mireds)
        } else {
            report.color = LightColor(shownColor)
        }
        return report
    }

    private var shownColor: ColorConversion.RGB? {
        guard let rgb else { return nil }
        if kind == .rgbw { return ColorConversion.rgb(rgbw: rgb + [white ?? 0]) }
        return ColorConversion.RGB(red: rgb[0], green: rgb[1], blue: rgb[2])
    }

    /// Returns the method and the parameters for a command.
    func call(for command: LightCommand) -> (method: String, params: JSONValue) {
        guard kind != .cover else { return cover.call(for: command, number: number) }
        guard kind != .thermostat else { return thermostat.call(for: command, number: number) }
        var params: JSONObject = ["id": .integer(Int64(number))]
        params["on"] = command.on.map { .bool($0) }
        if kind != .relay {
            params["brightness"] = command.brightness.map { .integer(Int64($0)) }
            if let color = command.color { add(color, to: &params) }
            // The duration is in seconds. The device rejects values below 0.5.
            params["transition_duration"] = command.transition.map { .number(max(0.5, min($0 / .seconds(1), 5000))) }
        }
        return ("\(kind.methods).Set", .object(params))
    }

    private func add(_ color: LightColor, to params: inout JSONObject) {
        switch color {
        case .temperature(let mired):
            guard kind.hasTemperature, let wanted = ColorConversion.kelvin(mired: mired, within: kelvin) else { return }
            params["ct"] = .integer(Int64(wanted))
            if kind.hasColor { params["mode"] = "cct" }
        case .hueSaturation(let hue, let saturation):
            guard kind.hasColor, let rgb = ColorConversion.rgb(hue: hue, saturation: saturation) else { return }
            var parts = kind == .rgbw ? ColorConversion.rgbw(rgb) : [rgb.red, rgb.green, rgb.blue]
            if kind == .rgbw { params["white"] = .integer(Int64(parts.removeLast().rounded())) }
            params["rgb"] = .array(parts.map { .integer(Int64($0.rounded())) })
            if kind == .rgbcct { params["mode"] = "rgb" }
        }
    }
}
