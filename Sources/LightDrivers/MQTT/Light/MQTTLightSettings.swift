package import BoundedJSON
package import DeviceKit
import SystemKit

/// The settings of the MQTT protocol for one light: the validated keys of its announcement.
package struct MQTTLightSettings: Equatable, Sendable {
    enum Schema: Equatable, Sendable {
        /// One JSON object contains all attributes.
        case json
        /// Each attribute has its own topic.
        case basic
        /// One string contains all attributes. Templates create and parse it.
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

    /// A color mode of Home Assistant.
    ///
    /// It determines the form in which a color or a white is sent.
    package enum ColorMode: String, CaseIterable, Sendable {
        case onoff, brightness, hs, xy, rgb, rgbw, rgbww, white
        case temperature = "color_temp"

        var isColor: Bool {
            switch self {
            case .hs, .xy, .rgb, .rgbw, .rgbww: true
            case .onoff, .brightness, .white, .temperature: false
            }
        }

        /// A Boolean value that indicates whether the color consists of channels, which can also represent the
        /// brightness.
        var isRGB: Bool { self == .rgb || self == .rgbw || self == .rgbww }
    }

    /// The position of the power command relative to the commands for other attributes.
    package enum OnCommandType: String, CaseIterable, Sendable {
        /// `last` sends the power after the other commands, `first` before them. With `brightness`, no power command is
        /// needed, because the brightness switches the light on.
        case last, first, brightness
    }

    /// The topics that report an attribute, and the template that reads their messages.
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
    /// The topic for commands.
    ///
    /// In the schema in which each attribute has its own topic, it is the topic for power commands.
    package var commandTopic: String
    /// The template for power commands; `nil` to send the payloads unchanged.
    package var powerTemplate: MessageTemplate?
    /// The source of the power, or of the main value of a component; `nil` if it isn't reported.
    package var power: Source?
    /// The forms in which colors, whites and brightness can be set.
    package var modes: Set<ColorMode>
    package var availability: Availability
    /// The configured file that contains the code of a lock or an alarm panel; `nil` if there is none.
    var codeFile: SecretFile?
    /// The MQTT quality of service of commands: 0, 1 or 2.
    package var qos: Int
    /// A Boolean value that indicates whether commands count as the state, because the light doesn't report its state.
    package var isOptimistic: Bool
    /// The value that means full brightness to the device.
    package var brightnessScale: Int
    /// The value that means full white to the device.
    package var whiteScale: Int
    package var mireds: ClosedRange<Int>
    /// A Boolean value that indicates whether color temperatures in messages are in kelvin, not in mired.
    package var temperatureInKelvin: Bool
    /// A Boolean value that indicates whether the brightness is a separate attribute.
    ///
    /// If it isn't, the channels of the color represent it.
    package var hasOwnBrightness: Bool
    /// The message that requests the light's state; `nil` if the light reports it without a request.
    package var poll: MQTTMessage?
    package var jsonKeys = JSONKeys()

    // The following properties are for the schema with one topic per attribute, and for switches and components.

    /// The way to switch the light on when other attributes are also set.
    package var onCommandType = OnCommandType.last
    package var payloadOn = "ON"
    package var payloadOff = "OFF"
    package var stateOn = "ON"
    package var stateOff = "OFF"
    /// The command for the brightness; `nil` if it can't be set.
    package var brightnessCommand: Command?
    /// The source of the brightness; `nil` if it isn't reported.
    package var brightness: Source?
    /// The source of the color mode, which selects one of the last reported colors.
    package var colorMode: Source?
    /// The commands for colors and whites, by color mode.
    package var commands: [ColorMode: Command] = [:]
    /// The sources of colors and whites, by color mode.
    package var states: [ColorMode: Source] = [:]

    /// The color mode in which colors are sent; `nil` if the light has no colors.
    var colorForm: ColorMode? { [ColorMode.hs, .xy, .rgb, .rgbw, .rgbww].first(where: modes.contains) }

    /// The capabilities that controllers see.
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

    /// A Boolean value that indicates whether the entity is a reading or a button of a device.
    var isPart: Bool { component.map { type(of: $0).isPart } ?? false }

    /// A Boolean value that indicates whether the last power command counts as the power, because the light doesn't
    /// report its power.
    var powerIsOptimistic: Bool { isOptimistic || power == nil }

    /// A Boolean value that indicates whether the light has color temperatures.
    ///
    /// They are set directly, or with the two whites of RGBWW.
    var hasTemperature: Bool { modes.contains(.temperature) || modes.contains(.rgbww) }

    /// All topics that report the light's state or availability.
    package var topics: Set<String> { stateTopics.union(availability.sources.map(\.topic)) }

    /// The base topic of the gateway that forwards the light's commands by radio; `nil` if there is none.
    ///
    /// A light has a gateway if one of its availability topics is Zigbee2MQTT's `BASE/bridge/state`.
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

    /// Creates settings for a light that isn't announced by Home Assistant's discovery.
    ///
    /// All other settings have the defaults of that discovery.
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

    /// Validates an announcement of a light or a switch, whose keys must be in their long forms.
    ///
    /// - Throws: ``MQTTProblem`` if the announced light isn't supported.
    package init(_ keys: JSONObject, isSwitch: Bool = false) throws(MQTTProblem) {
        try self.init(KeyReader(keys: keys), component: isSwitch ? "switch" : "light")
    }

    init(_ reader: KeyReader, component: String) throws(MQTTProblem) {
        guard let type = try MQTTComponents.type(of: component, reader) ?? MQTTComponents.named(component) else {
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
            powerTemplate = try reader.known("command_template", else: "on and off commands don't use the template")
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
        // Old versions of Tasmota announce lights with `value_template`, the key that other components use.
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
        // If a light has white but no color, ignore the white, because it is the same as the brightness, which has its
        // own topic.
        if modes.contains(.white), !modes.contains(where: \.isColor) {
            modes.remove(.white)
            commands[.white] = nil
        }
        if modes.isEmpty { modes = brightnessCommand == nil ? [.onoff] : [.brightness] }
        self.modes = modes
        hasOwnBrightness = brightnessCommand != nil
        // If the brightness can't be set, it can't switch the light on.
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
