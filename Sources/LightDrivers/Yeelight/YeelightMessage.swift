import BoundedJSON
import DeviceKit

/// The identity of a Yeelight device, which it sends in its answer to a search.
///
/// The answer has the form of an HTTP head (Lights 9.7).
package struct YeelightIdentity: Equatable, Sendable {
    /// The device's id, which has up to 16 hexadecimal digits.
    package let id: String
    package let port: UInt16
    let model: String
    let firmware: String?
    let name: String?
    let methods: Set<String>

    /// The search request, which is sent to all devices or to a single device.
    static let search = Array(
        "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1982\r\nMAN: \"ssdp:discover\"\r\nST: wifi_bulb\r\n".utf8)
    /// The multicast address to which searches for all devices are sent.
    ///
    /// A search for one device uses the same port.
    static let searchGroup = IPv4Endpoint(address: 0xEFFF_FFFA, port: 1982)

    /// Parses an answer.
    ///
    /// Returns `nil` if it is invalid, or if it announces an address other than its source address.
    package init?(_ bytes: [UInt8], from source: IPv4Endpoint) {
        guard bytes.count <= 4096, let text = String(validating: bytes, as: UTF8.self), text.hasPrefix("HTTP/1.1 200")
        else { return nil }
        var fields: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline).dropFirst().prefix(64) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value.prefix(2048))
        }
        let digits = fields["id"]?.lowercased() ?? ""
        guard digits.hasPrefix("0x"), (3...18).contains(digits.utf8.count),
            digits.dropFirst(2).allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let location = fields["location"], location.hasPrefix("yeelight://"),
            let endpoint = IPv4Endpoint(String(location.dropFirst(11)), port: 55443),
            endpoint.address == source.address
        else { return nil }
        id = String(digits.dropFirst(2))
        port = endpoint.port
        model = String(fields["model"]?.prefix(32) ?? "light")
        firmware = fields["fw_ver"].map { String($0.prefix(32)) }
        name = fields["name"].flatMap { $0.isEmpty ? nil : String($0.prefix(128)) }
        methods = Set((fields["support"] ?? "").split(separator: " ").map(String.init))
    }

    /// The default name of the device.
    package var title: String { "Yeelight \(model) \(id.suffix(4).uppercased())" }

    /// The device's lamps.
    ///
    /// The supported methods show whether it has a background light.
    var lamps: [YeelightLamp] { YeelightLamp.allCases.filter { $0 == .main || methods.contains("bg_set_power") } }

    /// The properties to request, in the order of the values in the answer.
    ///
    /// For a device with two lamps, `power` may mean that either lamp is on, while `main_power` is the power of the
    /// main lamp.
    var properties: [String] {
        lamps.flatMap(\.properties) + (lamps.count > 1 ? ["main_power"] : [])
            + (hasMoonlight ? ["active_mode", "nl_br"] : [])
    }

    /// A Boolean value that indicates whether the device has moonlight, a second, darker mode with a separate
    /// brightness.
    ///
    /// Ceiling lights have it.
    private var hasMoonlight: Bool { model.hasPrefix("ceil") }

    func capabilities(of lamp: YeelightLamp) -> LightCapabilities {
        let mireds = ColorConversion.mireds(kelvin: kelvin(of: lamp))
        return LightCapabilities(
            brightness: methods.contains(lamp.prefix + "set_bright"), color: methods.contains(lamp.prefix + "set_hsv"),
            temperature: methods.contains(lamp.prefix + "set_ct_abx") && mireds.count > 1 ? mireds : nil,
            transition: true)
    }

    /// Returns whether the color and the power of a lamp can be set with a single method.
    func hasScenes(of lamp: YeelightLamp) -> Bool { lamp == .main || methods.contains("bg_set_scene") }

    /// Returns the range of a lamp's color temperatures in kelvin, which depends on the device's model.
    func kelvin(of lamp: YeelightLamp) -> ClosedRange<Int> {
        switch lamp == .main ? model : "color" {
        case "color", "color1", "color2", "color4", "color5", "strip1", "bslamp1", "bslamp2", "bslamp3": 1700...6500
        case "ceild": 3000...6500
        case "ceiling17": 3000...5700
        case "ceiling5": 2700...5700
        case "lamp1": 2700...5000
        case "lamp4": 2600...5000
        default: 2700...6500
        }
    }
}

/// A lamp of a Yeelight device.
///
/// Some ceiling lights have a second lamp, the background light.
enum YeelightLamp: CaseIterable, Sendable {
    case main, background

    /// The prefix of the lamp's methods and properties.
    var prefix: String { self == .main ? "" : "bg_" }

    var properties: [String] {
        [prefix + "power", prefix + "bright", mode] + ["ct", "rgb", "hue", "sat"].map { prefix + $0 }
    }

    /// The name of the property that contains the current color mode.
    var mode: String { self == .main ? "color_mode" : "bg_lmode" }

    /// Returns the lamp's id on a device.
    func light(of device: String) -> LightID { LightID(self == .main ? device : "\(device)/background") }
}

/// The state of a lamp of a Yeelight device, which is derived from the device's properties.
struct YeelightState: Equatable, Sendable {
    private let lamp: YeelightLamp
    private(set) var isOn: Bool?
    /// The brightness of the daylight mode and of the moonlight mode, in percent.
    private var daylight: Int?
    private var moonlight: Int?
    private var isMoonlight = false
    /// The color mode: 1 for red, green and blue, 2 for white, 3 for hue and saturation.
    private var mode: Int?
    private var kelvin: Int?
    private var rgb: Int?
    private var hue: Int?
    private var saturation: Int?
    /// A Boolean value that indicates whether the device has reported `main_power`, which replaces `power` for the main
    /// lamp.
    private var hasMainPower = false

    init(_ lamp: YeelightLamp) { self.lamp = lamp }

    /// The brightness of the current mode, in percent.
    private(set) var brightness: Int? {
        get { isMoonlight ? moonlight ?? daylight : daylight }
        set { if isMoonlight { moonlight = newValue } else { daylight = newValue } }
    }

    /// Updates the state from all properties, or only from properties that have changed.
    ///
    /// The values are strings or numbers.
    mutating func merge(_ property: (String) -> JSONValue?) {
        func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
            let json = property(name)
            return (json?.int ?? json?.string.flatMap { Int($0) }).flatMap { range.contains($0) ? $0 : nil }
        }
        let prefix = lamp.prefix
        if lamp == .main, let power = property("main_power")?.string, !power.isEmpty {
            isOn = power == "on"
            hasMainPower = true
        } else if !hasMainPower, let power = property(prefix + "power")?.string {
            isOn = power == "on"
        }
        daylight = number(prefix + "bright", 1...100) ?? daylight
        if lamp == .main {
            moonlight = number("nl_br", 1...100) ?? moonlight
            isMoonlight = number("active_mode", 0...1).map { $0 == 1 } ?? isMoonlight
        }
        mode = number(lamp.mode, 1...3) ?? mode
        kelvin = number(prefix + "ct", 1000...20_000) ?? kelvin
        rgb = number(prefix + "rgb", 0...0xFF_FFFF) ?? rgb
        hue = number(prefix + "hue", 0...360) ?? hue
        saturation = number(prefix + "sat", 0...100) ?? saturation
    }

    /// Updates the state after the device has accepted a command.
    mutating func accept(_ command: LightCommand) {
        isOn = command.on ?? isOn
        brightness = command.brightness ?? brightness
        switch command.color {
        case .temperature(let mired)?: (mode, kelvin) = (2, ColorConversion.kelvin(mired: mired))
        case .hueSaturation(let hue, let saturation)?:
            (mode, self.hue, self.saturation) = (3, Int(hue.rounded()), Int(saturation.rounded()))
        case nil: break
        }
    }

    func report(_ capabilities: LightCapabilities) -> LightReport {
        var report = LightReport(on: isOn, reachable: true)
        if capabilities.brightness { report.brightness = brightness }
        if let range = capabilities.temperature, mode == 2 || !capabilities.color {
            report.color = LightColor(kelvin: kelvin, within: range)
        } else if capabilities.color, mode == 1, let rgb {
            let parts = [16, 8, 0].map { Double(rgb >> $0 & 0xFF) }
            report.color = LightColor(ColorConversion.RGB(red: parts[0], green: parts[1], blue: parts[2]))
        } else if capabilities.color, let hue, let saturation {
            report.color = .hueSaturation(hue: Double(hue % 360), saturation: Double(saturation))
        }
        return report
    }
}

/// A request to a Yeelight device.
///
/// It consists of a method and its parameters, and has an effect on the lamp's state.
struct YeelightOrder: Equatable, Sendable {
    let method: String
    let params: [JSONValue]
    let effect: LightCommand

    static func power(_ isOn: Bool, of lamp: YeelightLamp, _ fade: [JSONValue] = fade(.zero)) -> YeelightOrder {
        YeelightOrder(
            method: lamp.prefix + "set_power", params: [.string(isOn ? "on" : "off")] + fade,
            effect: LightCommand(on: isOn))
    }

    /// Returns the requests for a command to a lamp.
    ///
    /// `isOn` and `brightness`, in percent, are the lamp's current state. If the lamp is off, the command must switch
    /// it on.
    static func orders(
        for command: LightCommand, to lamp: YeelightLamp, of identity: YeelightIdentity, isOn: Bool, brightness: Int?
    ) -> [YeelightOrder] {
        let times = fade(command.transition)
        if command.on == false { return [power(false, of: lamp, times)] }
        var orders: [YeelightOrder] = []
        let color = command.color.flatMap { parameters(of: $0, kelvin: identity.kelvin(of: lamp)) }
        if !isOn {
            // Send one request instead of three, so that the previous color doesn't flash. This request doesn't support
            // a transition.
            if let color, identity.hasScenes(of: lamp) {
                let level = command.brightness ?? brightness ?? 100
                let params: [JSONValue] = [.string(color.scene)] + color.params + [.integer(Int64(level))]
                let effect = LightCommand(on: true, brightness: level, color: command.color)
                return [YeelightOrder(method: lamp.prefix + "set_scene", params: params, effect: effect)]
            }
            orders.append(power(true, of: lamp, times))
        }
        if let color {
            orders.append(
                YeelightOrder(
                    method: lamp.prefix + color.method, params: color.params + times,
                    effect: LightCommand(color: command.color)))
        }
        if let level = command.brightness {
            orders.append(
                YeelightOrder(
                    method: lamp.prefix + "set_bright", params: [.integer(Int64(level))] + times,
                    effect: LightCommand(brightness: level)))
        }
        return orders
    }

    private static func fade(_ transition: Duration?) -> [JSONValue] {
        guard transition != .zero else { return ["sudden", 0] }
        let milliseconds = (transition ?? .milliseconds(300)) / .milliseconds(1)
        // The device rejects times below 30 ms.
        return ["smooth", .integer(Int64(min(max(milliseconds, 30), 3_600_000)))]
    }

    private static func parameters(
        of color: LightColor, kelvin: ClosedRange<Int>
    ) -> (scene: String, method: String, params: [JSONValue])? {
        switch color {
        case .temperature(let mired):
            guard let wanted = ColorConversion.kelvin(mired: mired, within: kelvin) else { return nil }
            return ("ct", "set_ct_abx", [.integer(Int64(wanted))])
        case .hueSaturation(let hue, let saturation):
            guard let color = ColorConversion.hueSaturation(hue: hue, saturation: saturation) else { return nil }
            let parts = [Int64(color.hue.rounded()) % 360, Int64(color.saturation.rounded())]
            return ("hsv", "set_hsv", parts.map { .integer($0) })
        }
    }
}
