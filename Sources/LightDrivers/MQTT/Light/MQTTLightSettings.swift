package import BoundedJSON
package import LightKit

/// How one light speaks MQTT: the keys of its announcement, checked.
package struct MQTTLightSettings: Equatable, Sendable {
    /// How its messages are made up.
    package enum Schema: Equatable, Sendable {
        /// One JSON object for everything.
        case json
        /// A topic for each attribute.
        case basic
    }

    /// What a light can show, in Home Assistant's words.
    package enum ColorMode: String, CaseIterable, Sendable {
        case onoff, brightness, hs, xy, rgb, rgbw, rgbww, white
        case temperature = "color_temp"

        var isColor: Bool {
            switch self {
            case .hs, .xy, .rgb, .rgbw, .rgbww: true
            case .onoff, .brightness, .white, .temperature: false
            }
        }

        /// Red, green and blue, whose brightness is theirs.
        var isRGB: Bool { self == .rgb || self == .rgbw || self == .rgbww }
    }

    /// When power is switched in relation to the other attributes.
    package enum OnCommandType: String, CaseIterable, Sendable {
        case last, first, brightness
    }

    /// A topic that tells an attribute, and how to read it.
    package struct Source: Equatable, Sendable {
        package var topic: String
        package var template: ValueTemplate?
    }

    package var kind: LightKind = .light
    package var schema: Schema
    package var commandTopic: String
    package var power: Source?
    package var modes: Set<ColorMode>
    package var availability: Availability
    package var qos: Int
    package var isOptimistic: Bool
    package var brightnessScale: Int
    package var whiteScale: Int
    package var mireds: ClosedRange<Int>
    package var temperatureInKelvin: Bool
    /// Whether brightness is an attribute of its own; if not, red, green and blue carry it.
    package var hasOwnBrightness: Bool

    // The schema with a topic for each attribute:
    package var onCommandType = OnCommandType.last
    package var payloadOn = "ON"
    package var payloadOff = "OFF"
    package var stateOn = "ON"
    package var stateOff = "OFF"
    package var brightnessCommand: String?
    package var brightness: Source?
    package var colorMode: Source?
    package var commands: [ColorMode: String] = [:]
    package var states: [ColorMode: Source] = [:]

    /// The form colours are sent in.
    var colorForm: ColorMode? { [ColorMode.hs, .xy, .rgb, .rgbw, .rgbww].first(where: modes.contains) }

    package var capabilities: LightCapabilities {
        guard kind == .light else { return LightCapabilities() }
        let isDimmable: Bool
        switch schema {
        case .json: isDimmable = modes != [.onoff]
        case .basic: isDimmable = brightnessCommand != nil || colorForm?.isRGB == true
        }
        return LightCapabilities(
            brightness: isDimmable, color: colorForm != nil, temperature: modes.contains(.temperature) ? mireds : nil,
            transition: schema == .json)
    }

    /// Every topic the light is told on.
    package var topics: Set<String> { stateTopics.union(availability.sources.map(\.topic)) }

    /// The topics that tell what the light does.
    var stateTopics: Set<String> {
        var topics: Set<String> = []
        for source in [power, brightness, colorMode] + states.values.map(Optional.some) {
            if let source { topics.insert(source.topic) }
        }
        return topics
    }

    // MARK: Reading

    /// Checks the long keys of an announcement.
    ///
    /// - Parameters:
    ///   - keys: the keys.
    ///   - isSwitch: whether a switch is announced and not a light.
    /// - Throws: ``MQTTProblem`` if the light cannot be served as announced.
    package init(_ keys: JSONObject, isSwitch: Bool = false) throws(MQTTProblem) {
        let reader = KeyReader(keys: keys)
        switch isSwitch ? nil : try reader.string("schema") {
        case nil, "default", "basic": schema = .basic
        case "json": schema = .json
        case "template": throw MQTTProblem("lights of the schema \"template\" are not supported")
        case .some(let other): throw MQTTProblem("the schema \"\(MQTTProblem.quoted(other))\" is not known")
        }
        guard let commandTopic = try reader.topic("command_topic") else {
            throw MQTTProblem("command_topic is missing")
        }
        self.commandTopic = commandTopic
        availability = try reader.availability()
        qos = try reader.integer("qos", in: 0...2) ?? 0
        // Read so that a wrong kind is refused; what is sent is never retained.
        _ = try reader.bool("retain")
        brightnessScale = try reader.integer("brightness_scale", in: 1...1_000_000) ?? 255
        whiteScale = try reader.integer("white_scale", in: 1...1_000_000) ?? 255
        mireds = try Self.mireds(reader)
        temperatureInKelvin = try reader.bool("color_temp_kelvin") ?? false
        isOptimistic = try reader.bool("optimistic") ?? false
        modes = [.onoff]
        hasOwnBrightness = true
        if let topic = try reader.topic("state_topic") { power = Source(topic: topic) }
        if isSwitch {
            kind = try reader.string("device_class") == "outlet" ? .outlet : .switch
            power?.template = try reader.template("value_template")
            try reader.refuseTemplate("command_template")
            try readPowerPayloads(reader)
            stateOn = try reader.string("state_on") ?? payloadOn
            stateOff = try reader.string("state_off") ?? payloadOff
        } else if schema == .json {
            try readJSON(reader)
        } else {
            try readBasic(reader)
        }
    }

    private mutating func readPowerPayloads(_ reader: KeyReader) throws(MQTTProblem) {
        payloadOn = try reader.string("payload_on") ?? "ON"
        payloadOff = try reader.string("payload_off") ?? "OFF"
        stateOn = payloadOn
        stateOff = payloadOff
    }

    private mutating func readJSON(_ reader: KeyReader) throws(MQTTProblem) {
        let brightness = try reader.bool("brightness") ?? false
        hasOwnBrightness = brightness
        guard let list = reader.keys["supported_color_modes"], !list.isNull else {
            modes = brightness ? [.brightness] : [.onoff]
            hasOwnBrightness = true
            return
        }
        guard let names = list.array else { throw MQTTProblem("supported_color_modes is not a list") }
        var modes: Set<ColorMode> = []
        for name in names {
            guard let mode = name.string.flatMap(ColorMode.init) else {
                throw MQTTProblem("supported_color_modes has a mode that is not known; known are \(ColorMode.names)")
            }
            modes.insert(mode)
        }
        guard !modes.isEmpty else { throw MQTTProblem("supported_color_modes is empty") }
        if modes.contains(.onoff) || modes.contains(.brightness), modes.count > 1 {
            throw MQTTProblem("in supported_color_modes, onoff and brightness must stand alone")
        }
        if modes.contains(.white), !modes.contains(where: \.isColor) {
            throw MQTTProblem("in supported_color_modes, white needs a color mode beside it")
        }
        self.modes = modes
        if colorForm?.isRGB != true { hasOwnBrightness = true }
    }

    private mutating func readBasic(_ reader: KeyReader) throws(MQTTProblem) {
        try readPowerPayloads(reader)
        power?.template = try reader.template("state_value_template")
        if let name = try reader.string("on_command_type") {
            guard let type = OnCommandType(rawValue: name) else {
                throw MQTTProblem("on_command_type is none of last, first, brightness")
            }
            onCommandType = type
        }
        brightnessCommand = try reader.topic("brightness_command_topic")
        brightness = try source(reader, "brightness")
        colorMode = try source(reader, "color_mode")
        try reader.refuseTemplate("brightness_command_template")
        var modes: Set<ColorMode> = []
        for mode in [ColorMode.hs, .xy, .rgb, .rgbw, .rgbww, .temperature, .white] {
            let name = mode.rawValue
            try reader.refuseTemplate("\(name)_command_template")
            guard let topic = try reader.topic("\(name)_command_topic") else { continue }
            modes.insert(mode)
            commands[mode] = topic
            states[mode] = mode == .white ? nil : try source(reader, name)
        }
        // A white without a colour beside it is a brightness, and has its own topic for that.
        if modes.contains(.white), !modes.contains(where: \.isColor) {
            modes.remove(.white)
            commands[.white] = nil
        }
        if modes.isEmpty { modes = brightnessCommand == nil ? [.onoff] : [.brightness] }
        self.modes = modes
        hasOwnBrightness = brightnessCommand != nil
        if onCommandType == .brightness, !capabilities.brightness {
            throw MQTTProblem("on_command_type brightness needs a brightness_command_topic")
        }
    }

    private func source(_ reader: KeyReader, _ name: String) throws(MQTTProblem) -> Source? {
        guard let topic = try reader.topic("\(name)_state_topic") else { return nil }
        return Source(topic: topic, template: try reader.template("\(name)_value_template"))
    }

    private static func mireds(_ reader: KeyReader) throws(MQTTProblem) -> ClosedRange<Int> {
        let range = 1...1_000_000
        var low = try reader.integer("min_mireds", in: range) ?? 153
        var high = try reader.integer("max_mireds", in: range) ?? 500
        if let kelvin = try reader.integer("max_kelvin", in: range) {
            low = ColorConversion.mired(kelvin: Double(kelvin)) ?? low
        }
        if let kelvin = try reader.integer("min_kelvin", in: range) {
            high = ColorConversion.mired(kelvin: Double(kelvin)) ?? high
        }
        return min(low, high)...max(low, high)
    }
}

extension MQTTLightSettings.ColorMode {
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
