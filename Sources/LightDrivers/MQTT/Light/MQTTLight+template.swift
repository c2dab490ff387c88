import DeviceKit
import Jinja

/// The templates of a light with the `template` schema (Lights 7).
struct TemplateSchema: Equatable, Sendable {
    /// The templates for commands; `nil` if they are invalid.
    var on, off: MessageTemplate?
    /// The templates that read state messages.
    ///
    /// If a template is missing, the light lacks that feature. If `state` is missing, power commands count as the
    /// power.
    var state, brightness, temperature, red, green, blue: MessageTemplate?
    /// The template for hue and saturation, separated by a comma.
    ///
    /// It replaces the templates for red, green and blue.
    var hueSaturation: MessageTemplate?

    init(on: MessageTemplate, off: MessageTemplate, state: MessageTemplate) {
        self.on = on
        self.off = off
        self.state = state
    }

    init(_ reader: KeyReader) throws(MQTTProblem) {
        for name in ["command_on_template", "command_off_template"] {
            guard try reader.string(name, maximum: JinjaLimits.source) != nil else { throw .about(name, "is missing") }
        }
        on = try reader.known("command_on_template", else: "the light can't be switched on")
        off = try reader.known("command_off_template", else: "the light can't be switched off")
        state = try reader.known("state_template", else: "whether the light is on isn't read")
        brightness = try reader.known("brightness_template", else: "the light has no brightness")
        temperature = try reader.known("color_temp_template", else: "the light has no color temperature")
        let colors = ["red_template", "green_template", "blue_template"]
        let parts = try colors.map { (name) throws(MQTTProblem) in
            try reader.known(name, else: "the light has no color")
        }
        (red, green, blue) = (parts[0], parts[1], parts[2])
    }

    var modes: Set<MQTTLightSettings.ColorMode> {
        var modes: Set<MQTTLightSettings.ColorMode> = []
        if hueSaturation != nil || (red != nil && green != nil && blue != nil) { modes.insert(.hs) }
        if temperature != nil { modes.insert(.temperature) }
        if modes.isEmpty { modes = brightness == nil ? [.onoff] : [.brightness] }
        return modes
    }
}

/// The `template` schema, in which one string contains all attributes.
extension MQTTLight {
    mutating func received(_ payload: MQTTPayload, _ templates: TemplateSchema) -> LightReport {
        var report = LightReport()
        switch templates.state.flatMap({ value($0, of: payload) }) {
        case "on": report.on = true
        case "off": report.on = false
        case Self.unknown: isPowerUnknown = true
        default: break
        }
        on = report.on ?? on
        func number(_ template: MessageTemplate?) -> Double? {
            template.flatMap { value($0, of: payload) }?.plainNumber
        }
        if let value = number(templates.brightness) {
            report.brightness = learn(brightness: value, scale: settings.brightnessScale)
        }
        let channels = [templates.red, templates.green, templates.blue].compactMap(number)
        let whole = channels.compactMap { Int(exactly: $0.rounded()) }
        let isColor = whole.count == 3 && whole.allSatisfy((0...255).contains)
        let color = isColor ? learn(.channels(whole)) : hueSaturation(in: payload, templates)
        let temperature = number(templates.temperature).flatMap { Int(exactly: $0.rounded()) }
            .flatMap { learn(.temperature($0)) }
        report.color = shown(color, temperature)
        lastColor = color ?? lastColor
        lastTemperature = temperature ?? lastTemperature
        self.color = report.color ?? self.color
        return report
    }

    private mutating func hueSaturation(in payload: MQTTPayload, _ templates: TemplateSchema) -> LightColor? {
        let parts =
            templates.hueSaturation.flatMap({ value($0, of: payload) })?.split(separator: ",").compactMap {
                String($0).plainNumber
            }
            ?? []
        return parts.count == 2 ? learn(.hs(parts[0], parts[1])) : nil
    }

    /// Returns the color or the color temperature, depending on which of them the light shows.
    ///
    /// If a message contains both, the light shows the one that has changed since the last message.
    private func shown(_ color: LightColor?, _ temperature: LightColor?) -> LightColor? {
        guard let color, let temperature else { return color ?? temperature }
        if temperature != lastTemperature, lastTemperature != nil { return temperature }
        if color != lastColor, lastColor != nil { return color }
        if case .temperature? = self.color { return temperature }
        return color
    }

    mutating func templateMessage(
        for command: LightCommand, _ templates: TemplateSchema
    ) throws(LightError) -> MQTTMessage {
        let isOff = command.on == false
        guard let template = isOff ? templates.off : templates.on else {
            throw .refused("the light's command template isn't supported")
        }
        var variables: [String: JinjaValue] = ["state": .string(isOff ? "off" : "on")]
        if let transition = command.transition, transition > .zero {
            variables["transition"] = .float(transition / .seconds(1))
        }
        if !isOff {
            variables["level"] = .int(command.brightness ?? brightness ?? 100)
            if let percent = command.brightness { variables["brightness"] = .int(remember(sent: percent)) }
            switch command.color {
            case .temperature(let mired)?:
                let value = settings.temperatureInKelvin ? ColorConversion.kelvin(mired: mired) : mired
                variables["color_temp"] = .int(value ?? mired)
                remember(sent: .temperature(mired: mired), as: .temperature(value ?? mired))
            case .hueSaturation(let hue, let saturation)?:
                guard let rgb = ColorConversion.rgb(hue: hue, saturation: saturation) else { break }
                // If the light has no separate brightness, scale the channels to the brightness.
                let level = templates.brightness == nil ? Double(command.brightness ?? brightness ?? 100) / 100 : 1
                let parts = [rgb.red, rgb.green, rgb.blue].map { Int(exactly: ($0 * level).rounded()) ?? 0 }
                for (name, part) in zip(["red", "green", "blue"], parts) { variables[name] = .int(part) }
                variables["hue"] = .float(hue)
                variables["sat"] = .float(saturation)
                let device: DeviceColor = templates.hueSaturation == nil ? .channels(parts) : .hs(hue, saturation)
                remember(sent: .hueSaturation(hue: hue, saturation: saturation), as: device)
            case nil: break
            }
        }
        return MQTTMessage(topic: settings.commandTopic, text: try message(template, variables), qos: settings.qos)
    }
}
