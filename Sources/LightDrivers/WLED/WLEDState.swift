import BoundedJSON
import LightKit

/// What a WLED device says of itself and of its light: the answer to `/json/si`, and each message of its WebSocket.
struct WLEDState: Sendable {
    /// A part of the strip.
    struct Segment: Sendable {
        let id: Int
        let name: String?
        let isOn: Bool
        let brightness: Int
        /// Red, green, blue, and white if there is one; 0 to 255.
        let color: [Double]
        let cct: Int
        let effect: Int
        let capabilities: Capabilities
    }

    /// What a segment's LEDs can do, by the bits of `lc`.
    struct Capabilities: OptionSet, Sendable {
        let rawValue: Int
        static let color = Capabilities(rawValue: 1)
        static let white = Capabilities(rawValue: 2)
        static let temperature = Capabilities(rawValue: 4)
    }

    static let maximumSegments = 64
    /// The whites that a device's 0 to 255 are shown as, because it does not say what its LEDs have.
    static let mireds = 154...370
    private static let kelvins = 2700.0...6500.0

    let mac: String
    let name: String
    let version: String?
    let model: String?
    let hasWebSocket: Bool
    /// Another program drives the LEDs.
    let isLive: Bool
    /// Whether the white channel is set by itself, and not made of the colour by the device.
    let setsWhite: Bool
    let isOn: Bool
    let brightness: Int
    let mainSegment: Int
    let segments: [Segment]

    /// Reads what a device says; `nil` if it is no WLED device.
    init?(_ json: JSONValue) {
        guard let info = json["info"], let state = json["state"], let mac = info["mac"]?.string?.lowercased(),
            mac.utf8.count == 12, mac.allSatisfy({ $0.isASCII && $0.isHexDigit }), let on = state["on"]?.bool
        else { return nil }
        self.mac = mac
        name = info["name"]?.shortText ?? "WLED"
        version = info["ver"]?.shortText
        model = info["product"]?.shortText ?? info["arch"]?.shortText
        hasWebSocket = (info["ws"]?.int ?? -1) >= 0
        isLive = info["live"]?.bool ?? false
        let leds = info["leds"]
        setsWhite = leds?["wv"]?.bool ?? ((leds?["wv"]?.int ?? 0) != 0)
        isOn = on
        brightness = state["bri"]?.int ?? 255
        let list = (state["seg"]?.array ?? []).prefix(Self.maximumSegments)
        // Before 0.14 nothing says more than whether there is a fourth channel.
        let common = leds?["lc"]?.int ?? (leds?["rgbw"]?.bool == true ? 3 : 1)
        segments = list.enumerated().map { index, json in
            let listed = leds?["seglc"]?.array.flatMap { index < $0.count ? $0[index].int : nil }
            return Segment(json, index, Capabilities(rawValue: (json["lc"]?.int ?? listed ?? common) & 7))
        }
        // One that has none for a moment, as while it starts, has lost none for good.
        guard !segments.isEmpty else { return nil }
        let main = state["mainseg"]?.int ?? 0
        mainSegment = segments.contains { $0.id == main } ? main : segments.first?.id ?? 0
    }

    var main: Segment? { segments.first { $0.id == mainSegment } }

    // MARK: For the host

    /// The device as one light, or each of its segments.
    func lights(bySegment: Bool) -> [(description: LightDescription, report: LightReport)] {
        guard bySegment else {
            guard let main else { return [] }
            let description = description(LightID(mac), name, main.capabilities)
            return [(description, report(isOn, brightness, main))]
        }
        return segments.map { segment in
            let title = segment.name ?? (segments.count == 1 ? name : "\(name) \(segment.id)")
            let description = description(LightID("\(mac)/\(segment.id)"), title, segment.capabilities)
            return (description, report(isOn && segment.isOn, segment.brightness, segment))
        }
    }

    private func description(_ id: LightID, _ name: String, _ capabilities: Capabilities) -> LightDescription {
        LightDescription(
            id: id, name: name,
            capabilities: LightCapabilities(
                brightness: !capabilities.isEmpty, color: capabilities.contains(.color),
                temperature: capabilities.contains(.temperature) ? Self.mireds : nil, transition: !capabilities.isEmpty),
            manufacturer: "WLED", model: model, serialNumber: mac, firmware: version)
    }

    private func report(_ isOn: Bool, _ brightness: Int, _ segment: Segment) -> LightReport {
        var report = LightReport(on: isOn, reachable: true)
        if !segment.capabilities.isEmpty {
            report.brightness = ColorConversion.percent(deviceValue: Double(max(brightness, 1)), scale: 255)
        }
        if segment.capabilities.contains(.temperature), segment.showsWhite {
            let kelvin = Self.kelvins.lowerBound + Double(min(max(segment.cct, 0), 255)) / 255 * 3800
            report.color = ColorConversion.mired(kelvin: kelvin).map { .temperature(mired: $0) }
        } else if segment.capabilities.contains(.color), let rgb = segment.rgb,
            let color = ColorConversion.hueSaturation(rgb: rgb)
        {
            report.color = .hueSaturation(hue: color.hue, saturation: color.saturation)
        }
        return report
    }

    // MARK: To the device

    /// What a command is for the device as one light.
    func body(for command: LightCommand) -> JSONObject {
        var body = common(command)
        // A brightness alone would switch on.
        body["on"] = .bool(command.on ?? isOn)
        body["bri"] = command.brightness.map { .integer(Int64(ColorConversion.deviceValue(percent: $0, scale: 255))) }
        if let color = command.color, let main {
            var segment: JSONObject = ["id": .integer(Int64(main.id))]
            add(color, to: &segment, main)
            body["seg"] = [.object(segment)]
        }
        return body
    }

    /// What a command is for one of its segments.
    func body(for command: LightCommand, segment: Segment) -> JSONObject {
        var body = common(command)
        var json: JSONObject = ["id": .integer(Int64(segment.id))]
        json["on"] = command.on.map { .bool($0) }
        json["bri"] = command.brightness.map { .integer(Int64(ColorConversion.deviceValue(percent: $0, scale: 255))) }
        if let color = command.color { add(color, to: &json, segment) }
        var list: [JSONValue] = [.object(json)]
        if command.on == true, !isOn {
            // The device goes on as a whole, and the other segments stay dark.
            body["on"] = true
            list += segments.filter { $0.id != segment.id }.map { ["id": .integer(Int64($0.id)), "on": false] }
        }
        body["seg"] = .array(list)
        return body
    }

    private func common(_ command: LightCommand) -> JSONObject {
        // The new state comes back in the answer.
        var body: JSONObject = ["v": true]
        if let transition = command.transition {
            let (seconds, attoseconds) = transition.components
            // In tenths of a second; the device keeps milliseconds in 16 bits.
            let tenths = min(max(seconds, 0), 65) * 10 + attoseconds / 100_000_000_000_000_000
            body["tt"] = .integer(min(max(tenths, 0), 655))
        }
        return body
    }

    private func add(_ color: LightColor, to json: inout JSONObject, _ segment: Segment) {
        // An effect would go on in the new colour.
        if segment.effect != 0 { json["fx"] = 0 }
        switch color {
        case .temperature(let mired):
            let kelvin = Double(ColorConversion.kelvin(mired: mired) ?? 2700)
            let share = (min(max(kelvin, Self.kelvins.lowerBound), Self.kelvins.upperBound) - 2700) / 3800
            json["cct"] = .integer(Int64((share * 255).rounded()))
            if segment.capabilities.contains(.color) {
                let white: [Int64] = segment.capabilities.contains(.white) ? [0, 0, 0, 255] : [255, 255, 255]
                json["col"] = [.array(white.map { .integer($0) })]
            }
        case .hueSaturation(let hue, let saturation):
            guard let rgb = ColorConversion.rgb(hue: hue, saturation: saturation) else { return }
            var channels = [rgb.red, rgb.green, rgb.blue]
            if segment.capabilities.contains(.white) {
                channels = setsWhite ? ColorConversion.rgbw(rgb) : channels + [0]
            }
            json["col"] = [.array(channels.map { .integer(Int64(min(max($0, 0), 255).rounded())) })]
        }
    }
}

extension WLEDState.Segment {
    fileprivate init(_ json: JSONValue, _ index: Int, _ capabilities: WLEDState.Capabilities) {
        id = json["id"]?.int.flatMap { (0..<256).contains($0) ? $0 : nil } ?? index
        name = json["n"]?.shortText.flatMap { $0.isEmpty ? nil : $0 }
        isOn = json["on"]?.bool ?? true
        brightness = json["bri"]?.int ?? 255
        color = Self.channels(json["col"]?.array?.first)
        cct = json["cct"]?.int ?? 127
        effect = json["fx"]?.int ?? 0
        self.capabilities = capabilities
    }

    /// Numbers, or hexadecimal digits as some versions write them.
    private static func channels(_ json: JSONValue?) -> [Double] {
        if let text = json?.string, text.utf8.count == 6 || text.utf8.count == 8, let value = UInt32(text, radix: 16) {
            let digits = text.utf8.count * 4
            return stride(from: digits - 8, through: 0, by: -8).map { Double(value >> UInt32($0) & 0xFF) }
        }
        return (json?.array ?? []).prefix(4).map { min(max($0.double ?? 0, 0), 255) }
    }

    /// Whether the colour is the white whose temperature can be chosen.
    fileprivate var showsWhite: Bool {
        guard capabilities.contains(.color), color.count >= 3 else { return true }
        if capabilities.contains(.white), color.count == 4 {
            return color[3] > 0 && color.prefix(3).allSatisfy { $0 == 0 }
        }
        return color[0] == color[1] && color[1] == color[2]
    }

    fileprivate var rgb: ColorConversion.RGB? {
        if capabilities.contains(.white), color.count == 4 { return ColorConversion.rgb(rgbw: color) }
        guard color.count >= 3 else { return nil }
        return ColorConversion.RGB(red: color[0], green: color[1], blue: color[2])
    }
}
