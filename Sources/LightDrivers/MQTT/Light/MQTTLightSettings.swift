package import BoundedJSON
package import DeviceKit

/// The MQTT protocol of one light: the validated keys of its announcement.
package struct MQTTLightSettings: Equatable, Sendable {
    enum Schema: Equatable, Sendable {
        /// One JSON object for all attributes.
        case json
        /// A topic for each attribute.
        case basic
        /// One text for all attributes, written and read by templates.
        case template(TemplateSchema)
        /// The format of a component other than `light` and `switch`.
        case component(any MQTTComponent)

        static func == (a: Schema, b: Schema) -> Bool {
            switch (a, b) {
            case (.json, .json), (.basic, .basic): true
            case (.template(let a), .template(let b)): a == b
            case (.component(let a), .component(let b)): a.isEqual(b)
            default: false
            }
        }
    }

    /// A form of light output, with Home Assistant's name.
    package enum ColorMode: String, CaseIterable, Sendable {
        case onoff, brightness, hs, xy, rgb, rgbw, rgbww, white
        case temperature = "color_temp"

        var isColor: Bool {
            switch self {
            case .hs, .xy, .rgb, .rgbw, .rgbww: true
            case .onoff, .brightness, .white, .temperature: false
            }
        }

        /// A Boolean value that indicates whether red, green and blue channels carry the brightness.
        var isRGB: Bool { self == .rgb || self == .rgbw || self == .rgbww }
    }

    /// The position of the power command among the other attributes' commands.
    package enum OnCommandType: String, CaseIterable, Sendable {
        /// After the others, before them, or by the brightness alone.
        case last, first, brightness
    }

    /// A topic that reports an attribute, and the template that reads it.
    package struct Source: Equatable, Sendable {
        /// The topics that report the attribute.
        package var topics: Set<String>
        /// The template that extracts the value from a message; `nil` if the message is the value.
        package var template: MessageTemplate?

        package init(topic: String, template: MessageTemplate? = nil) {
            topics = [topic]
            self.template = template
        }

        package init(topics: Set<String>) { self.topics = topics }
    }

    /// A topic that sets an attribute, and the template of its messages.
    package struct Command: Equatable, Sendable {
        package var topic: String
        package var template: MessageTemplate?
    }

    package var kind: LightKind = .light
    var schema: Schema
    /// The topic of commands; in the schema with a topic for each attribute, of power commands.
    package var commandTopic: String
    /// The template of power commands; `nil` for the plain payloads.
    package var powerTemplate: MessageTemplate?
    /// The source of its power, or of the main value of a component; `nil` without one.
    package var power: Source?
    /// The forms in which colors, whites and brightness can be set.
    package var modes: Set<ColorMode>
    package var availability: Availability
    /// The MQTT quality of service of commands: 0, 1 or 2.
    package var qos: Int
    /// A Boolean value that indicates whether commands count as the state, because the light doesn't report it.
    package var isOptimistic: Bool
    /// The device's value for full brightness.
    package var brightnessScale: Int
    /// The device's value for full white.
    package var whiteScale: Int
    package var mireds: ClosedRange<Int>
    /// A Boolean value that indicates whether messages have color temperatures in kelvin, not in mired.
    package var temperatureInKelvin: Bool
    /// A Boolean value that indicates whether brightness is a separate attribute; if not, red, green and blue carry it.
    package var hasOwnBrightness: Bool
    /// The message that requests the light's state, if it doesn't report it on its own.
    package var poll: MQTTMessage?
    package var jsonKeys = JSONKeys()

    // The schema with a topic for each attribute:
    /// The way to switch it on together with other attributes.
    package var onCommandType = OnCommandType.last
    package var payloadOn = "ON"
    package var payloadOff = "OFF"
    package var stateOn = "ON"
    package var stateOff = "OFF"
    /// The command for the brightness; `nil` if it can't be set.
    package var brightnessCommand: Command?
    /// The source of the brightness; `nil` if it isn't reported.
    package var brightness: Source?
    /// The source of the mode, which selects one of the last reported colors.
    package var colorMode: Source?
    /// The commands for colors and whites, by their form.
    package var commands: [ColorMode: Command] = [:]
    /// The sources of colors and whites, by their form.
    package var states: [ColorMode: Source] = [:]

    /// The form in which colors are sent.
    var colorForm: ColorMode? { [ColorMode.hs, .xy, .rgb, .rgbw, .rgbww].first(where: modes.contains) }

    /// The capabilities for controllers.
    package var capabilities: LightCapabilities {
        if let component { return component.capabilities }
        guard kind == .light else { return LightCapabilities() }
        let isDimmable: Bool
        switch schema {
        case .component: isDimmable = false
        case .json: isDimmable = modes != [.onoff]
        case .basic: isDimmable = brightnessCommand != nil || colorForm?.isRGB == true
        case .template(let templates): isDimmable = templates.brightness != nil
        }
        return LightCapabilities(
            brightness: isDimmable, color: colorForm != nil, temperature: hasTemperature ? mireds : nil,
            transition: schema != .basic)
    }

    /// The component, or `nil` for lights and switches.
    var component: (any MQTTComponent)? { if case .component(let component) = schema { component } else { nil } }

    /// A Boolean value that indicates whether power commands count as the power, because the light doesn't report it.
    var powerIsOptimistic: Bool { isOptimistic || power == nil }

    /// A Boolean value that indicates whether the light has color temperatures, set directly or by the two whites of
    /// RGBWW.
    var hasTemperature: Bool { modes.contains(.temperature) || modes.contains(.rgbww) }

    /// All topics with the light's state and availability.
    package var topics: Set<String> { stateTopics.union(availability.sources.map(\.topic)) }

    /// The base topic of the gateway that forwards commands by radio.
    ///
    /// Zigbee2MQTT reports its own availability there.
    var gateway: String? {
        let end = "/bridge/state"
        return availability.sources.map(\.topic).first { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }
    }

    var stateTopics: Set<String> {
        var topics: Set<String> = []
        let sources = [power, brightness, colorMode] + states.values.map(Optional.some) + (component?.sources ?? [])
        for source in sources { topics.formUnion(source?.topics ?? []) }
        return topics
    }

    // MARK: Creation

    /// Creates a light that doesn't use Home Assistant's discovery; all other settings have the discovery's defaults.
    init(commandTopic: String, schema: Schema, kind: LightKind) {
        self.kind = kind
        self.schema = schema
        self.commandTopic = commandTopic
        modes = if case .template(let templates) = schema { templates.modes } else { [.onoff] }
        availability = Availability()
        qos = 0
        isOptimistic = false
        brightnessScale = 255
        whiteScale = 255
        mireds = 153...500
        temperatureInKelvin = false
        hasOwnBrightness = true
    }

    // MARK: Parsing

    /// Validates the long keys of an announcement of a light or a switch.
    ///
    /// - Throws: ``MQTTProblem`` if the light can't be served as announced.
    package init(_ keys: JSONObject, isSwitch: Bool = false) throws(MQTTProblem) {
        try self.init(KeyReader(keys: keys), component: isSwitch ? "switch" : "light")
    }

    init(_ reader: KeyReader, component: String) throws(MQTTProblem) {
        guard let type = MQTTComponents.named(component) else {
            try self.init(reader, isSwitch: component == "switch")
            return
        }
        self.init(commandTopic: "", schema: .basic, kind: type.kind)
        availability = try reader.availability()
        qos = try reader.integer("qos", in: 0...2) ?? 0
        try readPowerPayloads(reader)
        schema = .component(try type.init(reader, component: component, &self))
    }

    private init(_ reader: KeyReader, isSwitch: Bool) throws(MQTTProblem) {
        switch isSwitch ? nil : try reader.string("schema")?.lowercased() {
        case nil, "default", "basic": schema = .basic
        case "json": schema = .json
        case "template": schema = .template(try TemplateSchema(reader))
        case .some(let other): throw .about("schema", "\"\(MQTTProblem.quoted(other))\" isn't supported")
        }
        guard let commandTopic = try reader.topic("command_topic") else { throw .about("command_topic", "is missing") }
        self.commandTopic = commandTopic
        availability = try reader.availability()
        qos = try reader.integer("qos", in: 0...2) ?? 0
        brightnessScale = try reader.integer("brightness_scale", in: 1...1_000_000) ?? 255
        whiteScale = try reader.integer("white_scale", in: 1...1_000_000) ?? 255
        mireds = try Self.mireds(reader)
        temperatureInKelvin = try reader.bool("color_temp_kelvin") ?? false
        isOptimistic = try reader.bool("optimistic") ?? false
        modes = [.onoff]
        hasOwnBrightness = true
        power = try reader.topic("state_topic", mayHaveWildcards: true).map { Source(topic: $0) }
        if isSwitch {
            kind = try reader.string("device_class") == "outlet" ? .outlet : .switch
            power = try reader.source(topic: "state_topic", template: "value_template")
            powerTemplate = try reader.known("command_template", else: "power is sent without it")
            try readPowerPayloads(reader)
            stateOn = try reader.string("state_on") ?? payloadOn
            stateOff = try reader.string("state_off") ?? payloadOff
        } else {
            switch schema {
            case .json: try readJSON(reader)
            case .basic: try readBasic(reader)
            case .template(let templates):
                modes = templates.modes
                brightnessScale = 255
                if templates.state == nil { power = nil }
            case .component: break
            }
        }
    }

    mutating func readPowerPayloads(_ reader: KeyReader) throws(MQTTProblem) {
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
        guard let names = list.array ?? list.string.map({ [.string($0)] }) else {
            throw .about("supported_color_modes", "isn't a list")
        }
        var modes: Set<ColorMode> = []
        for name in names {
            guard let mode = name.string.flatMap(ColorMode.init) else {
                throw .about("supported_color_modes", "contains an unknown mode; the modes are \(ColorMode.names)")
            }
            modes.insert(mode)
        }
        guard !modes.isEmpty else { throw .about("supported_color_modes", "is empty") }
        if modes.contains(.onoff) || modes.contains(.brightness), modes.count > 1 {
            throw .about("supported_color_modes", "can't combine onoff or brightness with other modes")
        }
        if modes.contains(.white), !modes.contains(where: \.isColor) {
            throw .about("supported_color_modes", "can't contain white without a color mode")
        }
        self.modes = modes
        if colorForm?.isRGB != true { hasOwnBrightness = true }
    }

    private mutating func readBasic(_ reader: KeyReader) throws(MQTTProblem) {
        try readPowerPayloads(reader)
        // Old announcements of Tasmota use the name from other components.
        let template = reader.keys["state_value_template"] == nil ? "value_template" : "state_value_template"
        power = try reader.source(topic: "state_topic", template: template)
        if let name = try reader.string("on_command_type") {
            guard let type = OnCommandType(rawValue: name) else {
                throw .about("on_command_type", "must be last, first or brightness")
            }
            onCommandType = type
        }
        brightnessCommand = try reader.command("brightness", else: "the brightness can't be set")
        brightness = try reader.source("brightness")
        colorMode = try reader.source("color_mode")
        var modes: Set<ColorMode> = []
        for mode in [ColorMode.hs, .xy, .rgb, .rgbw, .rgbww, .temperature, .white] {
            let name = mode.rawValue
            guard let command = try reader.command(name, else: "\(name) can't be set") else { continue }
            modes.insert(mode)
            commands[mode] = command
            states[mode] = mode == .white ? nil : try reader.source(name)
        }
        // A white without a color is a brightness, which has a separate topic.
        if modes.contains(.white), !modes.contains(where: \.isColor) {
            modes.remove(.white)
            commands[.white] = nil
        }
        if modes.isEmpty { modes = brightnessCommand == nil ? [.onoff] : [.brightness] }
        self.modes = modes
        hasOwnBrightness = brightnessCommand != nil
        // Without a brightness, its command can't switch the light on.
        if onCommandType == .brightness, !capabilities.brightness { onCommandType = .last }
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
