import BoundedJSON
import DeviceKit

/// A light of a bridge, or all lights of a room or zone as one light.
///
/// It stores the last reported state and creates the requests for commands.
struct HueLight: Sendable {
    enum Kind: String, Sendable {
        case light
        case group = "grouped_light"
    }

    /// The range of color temperatures, in mired, of a light for which the bridge reports no range.
    ///
    /// Its limits also replace reported limits of 0 and 65535, which mean unknown.
    static let usualMireds = 153...500
    /// The largest distances at which a reported color counts as the requested color and as a white, respectively.
    private static let (sameColor, sameWhite) = (0.005, 0.05)
    private static let longestTransition = 6_000_000

    let kind: Kind
    let id: String
    /// The id of the device, room or zone that the light belongs to.
    let owner: String
    private(set) var name: String?
    private(set) var archetype: String?
    private(set) var mireds: ClosedRange<Int>?
    private(set) var gamut: ColorConversion.Gamut?
    private(set) var hasColor = false

    private var on: Bool?
    private var brightness: Int?
    private var mirek: Int?
    private var showsWhite = false
    private var xy: ColorConversion.XY?
    /// The color of the newest command, and the coordinates that were sent for it; `nil` if the command set a color
    /// temperature.
    private var asked: (color: LightColor, xy: ColorConversion.XY)?

    /// Parses a complete resource; `nil` if it is invalid.
    init?(_ json: JSONValue, _ kind: Kind) {
        guard let id = json["id"]?.string, HueSession.isID(id), let owner = json["owner"]?["rid"]?.string,
            HueSession.isID(owner), json["on"]?["on"]?.bool != nil
        else { return nil }
        self.kind = kind
        self.id = id
        self.owner = owner
        update(json)
    }

    // MARK: From the bridge

    /// Updates the light from a complete or partial resource.
    mutating func update(_ json: JSONValue) {
        on = json["on"]?["on"]?.bool ?? on
        // A brightness of 0 means the lowest brightness, not off; only `on` turns the light off.
        if let level = json["dimming"]?["brightness"]?.double {
            brightness = max(1, ColorConversion.percent(deviceValue: level, scale: 100) ?? brightness ?? 1)
        }
        guard kind == .light else { return }
        name = json["metadata"]?["name"]?.shortText ?? name
        archetype = json["metadata"]?["archetype"]?.shortText ?? archetype
        let white = json["color_temperature"]
        if let white { update(white: white) }
        if let color = json["color"] { update(color: color, isAlone: white == nil) }
    }

    private mutating func update(white: JSONValue) {
        if let schema = white["mirek_schema"] {
            mireds = Self.range(schema["mirek_minimum"]?.int, schema["mirek_maximum"]?.int)
        } else if mireds == nil {
            mireds = Self.usualMireds
        }
        if let value = white["mirek"]?.int, (1..<65_535).contains(value), white["mirek_valid"]?.bool != false {
            mirek = value
            showsWhite = true
        } else if !white.isNull {
            showsWhite = false
        }
    }

    private static func range(_ least: Int?, _ greatest: Int?) -> ClosedRange<Int> {
        let least = least.flatMap { (50..<65_535).contains($0) ? $0 : nil } ?? usualMireds.lowerBound
        let greatest = greatest.flatMap { (50..<65_535).contains($0) ? $0 : nil } ?? usualMireds.upperBound
        return least < greatest ? least...min(greatest, 1000) : usualMireds
    }

    private mutating func update(color: JSONValue, isAlone: Bool) {
        hasColor = true
        if let place = Self.place(color["xy"]) {
            xy = place
            // If a message has coordinates but no color temperature, the light shows a color, unless the coordinates
            // are those of the current white.
            if isAlone, showsWhite, let mirek {
                let white = ColorConversion.hueSaturation(mired: mirek)
                let near = ColorConversion.xy(hue: white.hue, saturation: white.saturation)
                showsWhite = near.map { Self.distance($0, place) < Self.sameWhite } ?? false
            }
        }
        if let json = color["gamut"], let red = Self.place(json["red"]), let green = Self.place(json["green"]),
            let blue = Self.place(json["blue"])
        {
            gamut = ColorConversion.Gamut(red: red, green: green, blue: blue)
        }
    }

    private static func place(_ json: JSONValue?) -> ColorConversion.XY? {
        guard let x = json?["x"]?.double, let y = json?["y"]?.double, (0...1).contains(x), (0...1).contains(y) else {
            return nil
        }
        return ColorConversion.XY(x: x, y: y)
    }

    private static func distance(_ a: ColorConversion.XY, _ b: ColorConversion.XY) -> Double {
        max(abs(a.x - b.x), abs(a.y - b.y))
    }

    // MARK: For the host

    func lightID(_ bridge: String) -> LightID { LightID("\(bridge)/\(id)") }

    /// Returns the light's description, without the properties of its device.
    func description(_ bridge: String) -> LightDescription {
        let canDim = brightness != nil
        return LightDescription(
            id: lightID(bridge), name: name ?? "Hue light",
            kind: archetype == "plug" && !canDim && !hasColor ? .outlet : .light,
            capabilities: LightCapabilities(
                brightness: canDim, color: hasColor, temperature: mireds, transition: canDim))
    }

    var state: LightReport {
        var report = LightReport(on: on, brightness: brightness)
        if showsWhite, let mirek, let mireds {
            report.color = .temperature(mired: mireds.clamp(mirek))
        } else if hasColor, let xy {
            if let asked, Self.distance(asked.xy, xy) < Self.sameColor {
                report.color = asked.color
            } else if let color = ColorConversion.hueSaturation(xy: xy) {
                report.color = .hueSaturation(hue: color.hue, saturation: color.saturation)
            }
        }
        return report
    }

    /// Returns whether the known state already has all values of a command.
    func isAlready(_ command: LightCommand) -> Bool {
        let state = state
        return (command.on ?? state.on) == state.on && (command.brightness ?? state.brightness) == state.brightness
            && (command.color ?? state.color) == state.color
    }

    // MARK: To the bridge

    mutating func body(for command: LightCommand) -> JSONObject {
        var body = JSONObject()
        body["on"] = command.on.map { ["on": .bool($0)] }
        body["dimming"] = command.brightness.map { ["brightness": .integer(Int64($0))] }
        switch command.color {
        case .hueSaturation(let hue, let saturation)?:
            guard let place = ColorConversion.xy(hue: hue, saturation: saturation, gamut: gamut) else { break }
            let (x, y) = (Self.rounded(place.x), Self.rounded(place.y))
            asked = (.hueSaturation(hue: hue, saturation: saturation), ColorConversion.XY(x: x, y: y))
            body["color"] = ["xy": ["x": .number(x), "y": .number(y)]]
        case .temperature(let mired)?:
            asked = nil
            body["color_temperature"] = ["mirek": .integer(Int64(mired))]
        case nil: break
        }
        if let transition = command.transition {
            let (seconds, attoseconds) = transition.components
            let milliseconds = min(max(seconds, 0), 6000) * 1000 + attoseconds / 1_000_000_000_000_000
            body["dynamics"] = ["duration": .integer(min(max(milliseconds, 0), Int64(Self.longestTransition)))]
        }
        return body
    }

    private static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}
