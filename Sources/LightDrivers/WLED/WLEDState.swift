import BoundedJSON
import DeviceKit

/// The state of a WLED device and of its lights.
///
/// It is parsed from the answer to `/json/si` or from a message on the WebSocket.
struct WLEDState: Sendable {
    struct Segment: Sendable {
        let id: Int
        let name: String?
        let isOn: Bool
        let brightness: Int
        /// The channels, 0 to 255 each: red, green and blue, followed by white if the segment has it.
        let color: [Double]
        let cct: Int
        let effect: Int
        let capabilities: Capabilities
    }

    /// The capabilities of a segment's LEDs, which are the bits of `lc`.
    struct Capabilities: OptionSet, Sendable {
        let rawValue: Int
        static let color = Capabilities(rawValue: 1)
        static let white = Capabilities(rawValue: 2)
        static let temperature = Capabilities(rawValue: 4)
    }

    static let maximumSegments = 64
    /// The range of color temperatures in mired that is assumed for the device's values 0 to 255, because the device
    /// doesn't report the range of its LEDs.
    static let mireds = 154...370
    private static let kelvins = 2700.0...6500.0

    let mac: String
    let name: String
    let version: String?
    let model: String?
    let hasWebSocket: Bool
    /// A Boolean value that indicates whether another program is controlling the LEDs.
    let isLive: Bool
    /// A Boolean value that indicates whether the white channel must be set explicitly.
    ///
    /// Otherwise the device derives it from the color.
    let setsWhite: Bool
    let isOn: Bool
    let brightness: Int
    let mainSegment: Int
    let segments: [Segment]

    /// Parses a device's answer.
    ///
    /// Returns `nil` if it isn't from a WLED device or contains no segments.
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
        brightness = min(max(state["bri"]?.int ?? 255, 0), 255)
        let list = (state["seg"]?.array ?? []).prefix(Self.maximumSegments)
        // Versions before 0.14 report only whether there is a fourth channel.
        let common = leds?["lc"]?.int ?? (leds?["rgbw"]?.bool == true ? 3 : 1)
        segments = list.enumerated().map { index, json in
            let listed = leds?["seglc"]?.array.flatMap { index < $0.count ? $0[index].int : nil }
            return Segment(json, index, Capabilities(rawValue: (json["lc"]?.int ?? listed ?? common) & 7))
        }
        // Reject a state without segments. It is temporary, for example while the device is starting.
        guard !segments.isEmpty else { return nil }
        let main = state["mainseg"]?.int ?? 0
        mainSegment = segments.contains { $0.id == main } ? main : segments.first?.id ?? 0
    }

    /// Returns the reason why an answer without segments is temporary, or `nil` if it isn't from a WLED device.
    static func transientFault(_ json: JSONValue) -> String? {
        guard json["info"]?["mac"]?.string?.utf8.count == 12, json["state"]?["on"]?.bool != nil else { return nil }
        return "it has no segments yet"
    }

    /// The segment that represents the device as one light.
    ///
    /// It is the main segment or, if that is off, the first segment that is on.
    private var shown: Segment? {
        let main = segments.first { $0.id == mainSegment }
        return main?.isOn == true ? main : segments.first(where: \.isOn) ?? main
    }

    // MARK: For the host

    /// Returns the device as one light or, if `bySegment` is `true`, each of its segments as a light.
    func lights(bySegment: Bool) -> [(description: LightDescription, report: LightReport)] {
        guard bySegment else {
            guard let shown else { return [] }
            let main = segments.first { $0.id == mainSegment } ?? shown
            return [(description(LightID(mac), name, main.capabilities), report(shown))]
        }
        return segments.map { segment in
            let title = segment.name ?? (segments.count == 1 ? name : "\(name) \(segment.id)")
            let description = description(LightID("\(mac)/\(segment.id)"), title, segment.capabilities)
            return (description, report(segment))
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

    /// Returns a segment's report.
    ///
    /// A segment is lit only if the device is also on, and its brightness is relative to the device's brightness.
    private func report(_ segment: Segment) -> LightReport {
        var report = LightReport(on: isOn && segment.isOn, reachable: true)
        if !segment.capabilities.isEmpty {
            let product = Double(brightness) * Double(segment.brightness) / 255
            report.brightness = ColorConversion.percent(deviceValue: max(product.rounded(), 1), scale: 255)
        }
        if segment.capabilities.contains(.temperature), segment.showsWhite {
            let kelvin = Self.kelvins.lowerBound + Double(min(max(segment.cct, 0), 255)) / 255 * 3800
            report.color = ColorConversion.mired(kelvin: kelvin).map { .temperature(mired: $0) }
        } else if segment.capabilities.contains(.color) {
            report.color = LightColor(segment.rgb)
        }
        return report
    }

    // MARK: To the device

    /// Returns the request for a command to the device, which is shown as one light.
    func body(for command: LightCommand) -> JSONObject {
        var body = common(command)
        // Always include the power, because a brightness alone would switch the device on.
        body["on"] = .bool(command.on ?? isOn)
        guard let shown else { return body }
        var changes = SegmentChanges()
        if command.on == true, !segments.contains(where: \.isOn) {
            for segment in segments { changes[segment.id]["on"] = true }
        }
        if let percent = command.brightness {
            let wanted = ColorConversion.deviceValue(percent: percent, scale: 255)
            let master = (Double(wanted) * 255 / Double(shown.brightness)).rounded()
            body["bri"] = .integer(Int64(min(master, 255)))
            if master > 255 {
                // Even at full brightness, the device can't reach this level, because the segment limits it. Set the
                // segment to full brightness and the device to the level.
                body["bri"] = .integer(Int64(wanted))
                changes.dim(shown, to: 255)
            }
        }
        if let color = command.color { add(color, to: &changes[shown.id], shown) }
        if !changes.isEmpty { body["seg"] = changes.json }
        return body
    }

    /// Returns the request for a command to one segment.
    func body(for command: LightCommand, segment: Segment) -> JSONObject {
        var body = common(command)
        var changes = SegmentChanges()
        changes[segment.id]["on"] = command.on.map { .bool($0) }
        let others = segments.filter { $0.id != segment.id }
        if let percent = command.brightness {
            let wanted = ColorConversion.deviceValue(percent: percent, scale: 255)
            let share = (Double(wanted) * 255 / Double(max(brightness, 1))).rounded()
            let isOn = command.on ?? segment.isOn
            changes.dim(segment, to: Int(min(share, 255)), isOn: isOn)
            if share > 255 {
                // The device's brightness limits the segment: increase it, and dim the other segments to compensate.
                body["bri"] = .integer(Int64(wanted))
                if !self.isOn { body["on"] = false }
                for other in others {
                    changes.dim(other, to: max(1, other.brightness * brightness / wanted))
                }
            }
        }
        if let color = command.color { add(color, to: &changes[segment.id], segment) }
        if command.on == true, !isOn {
            // The device switches on as a whole, so switch the other segments off.
            body["on"] = true
            for other in others { changes[other.id]["on"] = false }
        }
        body["seg"] = changes.json
        return body
    }

    private struct SegmentChanges {
        private var segments: [(id: Int, json: JSONObject)] = []

        var isEmpty: Bool { segments.isEmpty }
        var json: JSONValue { .array(segments.map { .object($0.json) }) }

        subscript(id: Int) -> JSONObject {
            get { segments.first { $0.id == id }?.json ?? ["id": .integer(Int64(id))] }
            set {
                if let index = segments.firstIndex(where: { $0.id == id }) {
                    segments[index].json = newValue
                } else {
                    segments.append((id, newValue))
                }
            }
        }

        /// Sets a segment's brightness together with its power, because the brightness alone would switch it on.
        mutating func dim(_ segment: Segment, to brightness: Int, isOn: Bool? = nil) {
            if self[segment.id]["on"] == nil { self[segment.id]["on"] = .bool(isOn ?? segment.isOn) }
            self[segment.id]["bri"] = .integer(Int64(brightness))
        }
    }

    private func common(_ command: LightCommand) -> JSONObject {
        // Request the new state in the answer.
        var body: JSONObject = ["v": true]
        if let transition = command.transition {
            let (seconds, attoseconds) = transition.components
            // The transition is in tenths of a second. The device stores milliseconds in 16 bits.
            let tenths = min(max(seconds, 0), 65) * 10 + attoseconds / 100_000_000_000_000_000
            body["tt"] = .integer(min(max(tenths, 0), 655))
        }
        return body
    }

    private func add(_ color: LightColor, to json: inout JSONObject, _ segment: Segment) {
        // Stop a running effect, which would otherwise continue in the new color.
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
        brightness = min(max(json["bri"]?.int ?? 255, 1), 255)
        color = Self.channels(json["col"]?.array?.first)
        cct = json["cct"]?.int ?? 127
        effect = json["fx"]?.int ?? 0
        self.capabilities = capabilities
    }

    /// Returns the channels of a color, which is a list of numbers or, in some versions, a string of hexadecimal
    /// digits.
    private static func channels(_ json: JSONValue?) -> [Double] {
        if let text = json?.string, text.utf8.count == 6 || text.utf8.count == 8, let value = UInt32(text, radix: 16) {
            let digits = text.utf8.count * 4
            return stride(from: digits - 8, through: 0, by: -8).map { Double(value >> UInt32($0) & 0xFF) }
        }
        return (json?.array ?? []).prefix(4).map { min(max($0.double ?? 0, 0), 255) }
    }

    /// A Boolean value that indicates whether the segment shows white, so that its color temperature counts.
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
