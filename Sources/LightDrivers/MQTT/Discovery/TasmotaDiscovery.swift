import BoundedJSON
import DeviceKit
import Jinja

/// The announcement that a Tasmota device sends itself (Lights 8.3).
///
/// Its relays and lights become entities with templates.
struct TasmotaDiscovery {
    /// The device's entities, with names that are unique within the device.
    let things: [(name: String, entity: MQTTEntity)]
    let common: Common

    let keys: KeyReader
    private let prefixes: [String]
    private let options: JSONValue?

    /// Parses a message on the topic `PREFIX/MAC/config`.
    ///
    /// - Throws: ``MQTTProblem`` if it is invalid.
    init(_ payload: MQTTPayload) throws(MQTTProblem) {
        guard let object = payload.json?.object else { throw MQTTProblem("the announcement isn't a JSON object") }
        keys = KeyReader(keys: object)
        prefixes = (object["tp"]?.array ?? []).compactMap(\.string)
        options = object["so"]
        guard prefixes.count == 3 else { throw .about("tp", "must contain three prefixes") }
        let relays = (object["rl"]?.array ?? []).prefix(Self.maximumOutputs).map { $0.int ?? 0 }
        let firstLight = relays.firstIndex(of: 2) ?? 0
        common = try Self.common(object, keys, prefixes)
        let kind = try keys.integer("lt_st", in: 0...5) ?? 0
        let isFan = try keys.integer("if", in: 0...1) == 1
        var things: [(String, MQTTEntity)] = []
        for (index, output) in relays.enumerated() {
            switch output {
            case 1:
                let isLight = Self.isSet(30, options) || (isFan && index == 0)
                let output = Output(index: index, kind: .relay(isLight: isLight), options: options)
                things.append(("relay \(index)", try Self.entity(output, common, keys)))
            case 2:
                let isLink = try keys.integer("lk", in: 0...1) ?? 0 == 1
                let lamp = Self.lamp(kind, index, after: firstLight, isLinked: isLink, isFan: isFan, keys, options)
                let output = Output(index: index, kind: lamp, options: options)
                things.append(("light \(index)", try Self.entity(output, common, keys)))
            default: break
            }
        }
        for (number, index) in Self.shutters(relays).enumerated() {
            things.append(("shutter \(index)", try Self.shutter(number, object, common)))
        }
        self.things = things
    }

    private static let maximumOutputs = 64

    /// Returns whether `SetOption<n>` is set.
    func isSet(_ option: Int) -> Bool { Self.isSet(option, options) }

    private static func isSet(_ option: Int, _ options: JSONValue?) -> Bool { options?[String(option)]?.int == 1 }

    // MARK: Common properties

    /// The common properties of all outputs and sensors of a device.
    struct Common: Sendable {
        var mac, name: String
        var model, firmware: String?
        var command, question, result, status, state, sensor, will: String
        var on, off, online, offline: String
        /// A Boolean value that indicates whether the device is in deep sleep most of the time.
        var sleeps: Bool

        var availability: Availability {
            Availability(sources: [.init(topic: will, available: online, notAvailable: offline)])
        }
    }

    private static func common(
        _ object: JSONObject, _ keys: KeyReader, _ prefixes: [String]
    ) throws(MQTTProblem) -> Common {
        guard let mac = try keys.string("mac"), mac.utf8.count == 12, mac.allSatisfy(\.isHexDigit) else {
            throw .about("mac", "isn't a valid address")
        }
        guard let pattern = try keys.string("ft"), let topic = try keys.topic("t") else {
            throw .about("ft", "or t is missing")
        }
        func path(_ prefix: Int, _ end: String) throws(MQTTProblem) -> String {
            let base = pattern.replacing("%prefix%", with: prefixes[prefix]).replacing("%topic%", with: topic)
                .replacing("%hostname%", with: object["hn"]?.string ?? "").replacing("%id%", with: mac.suffix(6))
            let path = (base.hasSuffix("/") ? base : base + "/") + end
            guard let topic = try KeyReader(keys: ["ft": .string(path)]).topic("ft") else {
                throw .about("ft", "isn't a valid topic")
            }
            return topic
        }
        let words = (object["state"]?.array ?? []).map { $0.string ?? "" }
        // Reject words that would break the templates into which they are inserted.
        for word in words where !word.unicodeScalars.allSatisfy({ $0 != "'" && $0 != "\\" && $0.value >= 0x20 }) {
            throw .about("state", "contains a quotation mark or a backslash")
        }
        return Common(
            mac: mac.uppercased(), name: try keys.string("dn") ?? "Tasmota \(mac.uppercased().suffix(6))",
            model: try keys.string("md"), firmware: try keys.string("sw"), command: try path(0, "Backlog"),
            question: try path(0, "STATUS"), result: try path(1, "RESULT"), status: try path(1, "STATUS10"),
            state: try path(2, "STATE"), sensor: try path(2, "SENSOR"), will: try path(2, "LWT"),
            on: words.count > 1 ? words[1] : "ON",
            off: words.first ?? "OFF", online: try keys.string("onln") ?? "Online",
            offline: try keys.string("ofln") ?? "Offline", sleeps: (object["dslp"]?.int ?? 0) != 0)
    }

    // MARK: Shutters

    private static let maximumShutters = 16

    /// Returns the index of the first of the two neighboring relays of each shutter; empty if a relay has no partner.
    private static func shutters(_ relays: [Int]) -> [Int] {
        var shutters: [Int] = []
        var index = 0
        while index < relays.count {
            guard relays[index] == 3 else {
                index += 1
                continue
            }
            guard index + 1 < relays.count, relays[index + 1] == 3 else { return [] }
            shutters.append(index)
            index += 2
        }
        return Array(shutters.prefix(maximumShutters))
    }

    private static func shutter(_ index: Int, _ object: JSONObject, _ common: Common) throws(MQTTProblem) -> MQTTEntity
    {
        func entry(_ key: String) -> JSONValue? {
            let list = object[key]?.array ?? []
            return index < list.count ? list[index] : nil
        }
        let tilt = (entry("sht")?.array ?? []).compactMap(\.int)
        let angles = -90...90
        let hasTilt = tilt.count == 3 && tilt[2] != 0 && tilt[0] != tilt[1] && tilt[0...1].allSatisfy(angles.contains)
        let prefix = String(common.command.dropLast("Backlog".count))
        let cover = try MQTTCover.tasmota(
            index + 1, isInverted: (entry("sho")?.int ?? 0) & 1 != 0, tilt: hasTilt ? (tilt[0], tilt[1]) : nil,
            prefix: prefix, [common.result, common.sensor, common.status])
        var settings = MQTTLightSettings(
            commandTopic: "\(prefix)ShutterPosition\(index + 1)", schema: .component(cover), kind: .cover)
        settings.power = cover.sources.compactMap { $0 }.first
        settings.availability = common.availability
        settings.poll = MQTTMessage(topic: common.question, text: "10")
        let description = LightDescription(
            id: LightID("\(common.mac)_cover_shutter_\(index)"),
            name: index == 0 ? common.name : "\(common.name) Shutter \(index + 1)", kind: .cover, functions: [],
            manufacturer: "Tasmota", model: common.model, serialNumber: common.mac, firmware: common.firmware)
        var entity = MQTTEntity(description, settings: settings)
        entity.deviceID = common.mac
        return entity
    }

    // MARK: Outputs

    private struct Output {
        enum Kind: Equatable {
            case relay(isLight: Bool)
            /// A light. `dimmer` is the command that sets its brightness, and `state` the expression that reads it from
            /// a state message.
            case lamp(Lamp, dimmer: String, state: String)
        }

        enum Lamp: Equatable {
            case power, dimmer, temperature, color, colorAndWhite, colorAndTemperature
        }

        var index: Int
        var kind: Kind
        var options: JSONValue?
    }

    /// Returns the kind of an output that is a light.
    ///
    /// `first` is the index of the device's first light.
    private static func lamp(
        _ kind: Int, _ index: Int, after first: Int, isLinked: Bool, isFan: Bool, _ keys: KeyReader,
        _ options: JSONValue?
    ) -> Output.Kind {
        if isFan { return .lamp(.power, dimmer: "", state: "") }
        if isSet(68, options) {
            // As in power commands, the channel's number counts all outputs.
            let channel = "Channel\(index + 1)"
            return .lamp(.dimmer, dimmer: channel, state: "value_json.\(channel)")
        }
        if !isLinked, kind >= 4 {
            // Color and white are two lights with separate dimmers.
            let dimmer = "Dimmer\(index - first + 1)"
            let lamp: Output.Lamp = index == first ? .color : kind == 4 ? .dimmer : .temperature
            return .lamp(lamp, dimmer: dimmer, state: "value_json.\(dimmer)")
        }
        let lamps: [Output.Lamp] = [.power, .dimmer, .temperature, .color, .colorAndWhite, .colorAndTemperature]
        let isTuya = keys.keys["ty"]?.int == 1
        return .lamp(lamps[kind], dimmer: isTuya ? "Dimmer3" : "Dimmer", state: "value_json.Dimmer")
    }

    private static func entity(
        _ output: Output, _ common: Common, _ keys: KeyReader
    ) throws(MQTTProblem) -> MQTTEntity {
        let number = output.index + 1
        var kind = LightKind.light
        if case .relay(isLight: false) = output.kind { kind = .switch }
        var settings = MQTTLightSettings(
            commandTopic: common.command, schema: .template(try templates(output, common)), kind: kind)
        settings.power = .init(topics: [common.result, common.state])
        settings.availability = common.availability
        settings.mireds = isSet(82, output.options) ? 200...380 : 153...500
        settings.brightnessScale = 100
        // State messages aren't retained and are sent only every five minutes, so query the state.
        settings.poll = MQTTMessage(topic: String(common.command.dropLast("Backlog".count)) + "STATE", text: "")
        let names = (keys.keys["fn"]?.array ?? []).map(\.string)
        let own = output.index < names.count ? names[output.index] : nil
        var entity = MQTTEntity(
            LightDescription(
                id: LightID("\(common.mac)_\(kind == .light ? "light" : "relay")_\(number)"),
                name: own ?? (output.index == 0 ? common.name : "\(common.name) \(number)"), kind: kind,
                capabilities: settings.capabilities,
                manufacturer: "Tasmota", model: common.model, serialNumber: common.mac,
                firmware: common.firmware),
            settings: settings)
        entity.deviceID = common.mac
        return entity
    }

    private static func templates(_ output: Output, _ common: Common) throws(MQTTProblem) -> TemplateSchema {
        let number = output.index + 1
        let power = "Power\(number)"
        let key = output.index == 0 ? "value_json.POWER1 | default(value_json.POWER)" : "value_json.POWER\(number)"
        var templates = TemplateSchema(
            on: try MessageTemplate("\(power) \(common.on)"), off: try MessageTemplate("\(power) \(common.off)"),
            state: try MessageTemplate("{{ {'\(common.on)': 'on', '\(common.off)': 'off'}[\(key)] }}"))
        guard case .lamp(let lamp, let dimmer, let state) = output.kind, lamp != .power else { return templates }
        // Setting the level also switches the light on, unless SetOption20 forbids it, so end with an explicit power
        // command. Set the fade before the values that it applies to.
        var on = """
            {% if transition is defined %}NoDelay;Fade 1;NoDelay;Speed {{ [[(transition * 2) | round | int, 1] | max, 40] | min }};{% endif %}
            """
        templates.brightness = try MessageTemplate("{{ \(state) }}")
        if [.color, .colorAndWhite, .colorAndTemperature].contains(lamp) {
            let isWhite = lamp == .color ? "false" : "value_json.White is defined and value_json.White > 0"
            let white = lamp == .colorAndWhite ? "0,0" : ""
            templates.hueSaturation = try MessageTemplate(
                "{% if \(isWhite) %}\(white)"
                    + "{% elif value_json.HSBColor is defined %}{{ value_json.HSBColor.split(',')[0:2] | join(',') }}{% endif %}"
            )
            on +=
                lamp == .colorAndWhite
                ? "{% if sat is defined and sat == 0 %}NoDelay;White {{ level }};{% elif" : "{% if"
            on +=
                " hue is defined %}NoDelay;HsbColor1 {{ hue | round }};NoDelay;HsbColor2 {{ sat | round }};{% endif %}"
        }
        if lamp == .temperature || lamp == .colorAndTemperature {
            let isWhite = lamp == .temperature ? "true" : "value_json.White is defined and value_json.White > 0"
            templates.temperature = try MessageTemplate("{% if \(isWhite) %}{{ value_json.CT }}{% endif %}")
            on += "{% if color_temp is defined %}NoDelay;CT {{ color_temp }};{% endif %}"
        }
        on +=
            "{% if brightness is defined %}NoDelay;\(dimmer) {{ brightness }};{% endif %}NoDelay;\(power) \(common.on)"
        templates.on = try MessageTemplate(on)
        return templates
    }
}
