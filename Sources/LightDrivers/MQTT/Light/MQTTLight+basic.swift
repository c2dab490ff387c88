import DeviceKit
import Jinja

/// The `default` schema, in which each attribute has a separate topic with plain text.
extension MQTTLight {
    // MARK: States

    mutating func receivedText(topic: String, _ payload: MQTTPayload) -> LightReport {
        var report = LightReport()
        report.on = receivedPower(topic: topic, payload)
        if let text = text(settings.brightness, topic, payload), let value = text.plainNumber {
            report.brightness = learn(brightness: value, scale: settings.brightnessScale)
        }
        if let text = text(settings.colorMode, topic, payload),
            let mode = MQTTLightSettings.ColorMode(rawValue: text), settings.modes.contains(mode)
        {
            self.mode = mode
            report.color = shown
        }
        for mode in [MQTTLightSettings.ColorMode.hs, .rgb, .rgbw, .rgbww, .xy, .temperature] {
            guard let text = text(settings.states[mode], topic, payload), let device = Self.color(text, mode)
            else { continue }
            if !settings.hasOwnBrightness, let channel = device.largestChannel {
                report.brightness = learn(brightness: Double(channel), scale: 255) ?? report.brightness
            }
            guard let color = learn(device) else { continue }
            if mode == .temperature { lastTemperature = color } else { lastColor = color }
            // If no topic reports the mode, the attribute that was reported last determines it.
            if settings.colorMode == nil { self.mode = mode }
            report.color = shown ?? report.color
        }
        color = report.color ?? color
        return report
    }

    /// The color in the current mode.
    private var shown: LightColor? {
        switch mode {
        case nil, .onoff, .brightness: nil
        case .temperature: lastTemperature
        case .white: .hueSaturation(hue: 0, saturation: 0)
        case .hs, .xy, .rgb, .rgbw, .rgbww: lastColor
        }
    }

    /// Returns the power that a message on the power topic reports, or `nil` for other messages and other values.
    mutating func receivedPower(topic: String, _ payload: MQTTPayload) -> Bool? {
        guard let text = wholeText(settings.power, topic, payload) else { return nil }
        if text == Self.unknown { isPowerUnknown = true }
        guard text == settings.stateOn || text == settings.stateOff else { return nil }
        on = text == settings.stateOn
        return on
    }

    /// The text that means that an attribute has no value.
    static let unknown = "None"

    /// Returns the value that a message contains for a source.
    ///
    /// Returns `nil` if the message is on another topic or contains no value.
    mutating func text(_ source: MQTTLightSettings.Source?, _ topic: String, _ payload: MQTTPayload) -> String? {
        let text = wholeText(source, topic, payload)
        return text == Self.unknown ? nil : text
    }

    /// Returns the value that a message contains for a source, including ``unknown``.
    mutating func wholeText(
        _ source: MQTTLightSettings.Source?, _ topic: String, _ payload: MQTTPayload
    ) -> String? {
        guard let source, source.topics.contains(topic), !payload.bytes.isEmpty else { return nil }
        let text = source.template.map { value($0, of: payload) } ?? payload.text
        return text?.isEmpty == true ? nil : text
    }

    private static func color(_ text: String, _ mode: MQTTLightSettings.ColorMode) -> DeviceColor? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { String($0).plainNumber }
        guard numbers.count == parts.count else { return nil }
        let whole = numbers.compactMap { Int(exactly: $0.rounded()) }
        switch (mode, numbers.count) {
        case (.hs, 2): return .hs(numbers[0], numbers[1])
        case (.xy, 2): return .xy(numbers[0], numbers[1])
        case (.rgb, 3), (.rgbw, 4), (.rgbww, 5):
            guard whole.count == numbers.count, whole.allSatisfy((0...255).contains) else { return nil }
            return .channels(whole)
        case (.temperature, 1):
            guard let value = whole.first, (1...1_000_000).contains(value) else { return nil }
            return .temperature(value)
        default: return nil
        }
    }

    // MARK: Commands

    mutating func textMessages(for command: LightCommand) throws(LightError) -> [MQTTMessage] {
        if command.on == false { return [try powerMessage(settings.payloadOff)] }
        let power = switchesOn(command)
        var command = command
        if settings.onCommandType == .brightness, power {
            command.brightness = command.brightness ?? brightness ?? 100
        }
        var messages: [MQTTMessage] = []
        if power, settings.onCommandType == .first {
            messages.append(try powerMessage(settings.payloadOn))
        }
        var failure: String?
        messages += try attributes(of: command, &failure)
        if power, settings.onCommandType == .last {
            messages.append(try powerMessage(settings.payloadOn))
        }
        if messages.isEmpty, let failure { throw .refused(failure) }
        return messages
    }

    /// Returns the messages for the attributes in the same order as Home Assistant: color, brightness, color
    /// temperature, white.
    private mutating func attributes(
        of command: LightCommand, _ failure: inout String?
    ) throws(LightError) -> [MQTTMessage] {
        var color = command.color
        if color == nil, command.brightness != nil, !settings.hasOwnBrightness {
            // The channels contain the brightness, so send the color again.
            switch self.color {
            case .hueSaturation?: color = self.color
            case .temperature? where settings.modes.contains(.rgbww): color = self.color
            default: color = .hueSaturation(hue: 0, saturation: 0)
            }
        }
        var messages: [MQTTMessage] = []
        var white: MQTTMessage?
        var temperature: MQTTMessage?
        var percent = command.brightness
        if let color, isOwnWhite(color), let topic = settings.commands[.white] {
            let level = percent ?? brightness ?? 100
            percent = nil
            remember(sent: color, as: .hs(0, 0))
            let value = ColorConversion.deviceValue(percent: level, scale: settings.whiteScale)
            white = attribute(topic, String(value), ["value": .int(value)], &failure)
        } else if let color {
            guard var device = deviceColor(color) else { throw .refused("the light can't show this color") }
            if case .channels = device, !settings.hasOwnBrightness {
                let level = percent ?? brightness ?? 100
                device = device.scaled(percent: level)
                sent.percent = level
                sent.deviceBrightness = device.largestChannel
                // Store the color at once, because the next change of brightness sends it again, perhaps before the
                // light answers.
                brightness = level
                self.color = color
            }
            remember(sent: color, as: device)
            if case .temperature(let value) = device {
                if let command = settings.commands[.temperature] {
                    temperature = attribute(command, String(value), ["value": .int(value)], &failure)
                }
            } else if let form = device.form, let command = settings.commands[form] {
                attribute(command, Self.text(device), Self.variables(device), &failure)
                    .map { messages.append($0) }
            }
        }
        if let percent, let topic = settings.brightnessCommand {
            let value = remember(sent: percent)
            attribute(topic, String(value), ["value": .int(value)], &failure)
                .map { messages.append($0) }
        }
        return messages + [temperature, white].compactMap { $0 }
    }

    /// Returns the message that sets an attribute.
    ///
    /// If the template fails, returns `nil` and stores the reason, so that the rest of the command can be sent.
    private mutating func attribute(
        _ command: MQTTLightSettings.Command, _ text: String, _ variables: [String: JinjaValue],
        _ failure: inout String?
    ) -> MQTTMessage? {
        do throws(LightError) {
            return try message(command, text, variables)
        } catch {
            if case .refused(let reason) = error { failure = reason }
            return nil
        }
    }

    mutating func powerMessage(_ payload: String) throws(LightError) -> MQTTMessage {
        try message(.init(topic: settings.commandTopic, template: settings.powerTemplate), payload, [:])
    }

    /// Returns the message that sets an attribute.
    ///
    /// If the command has a template, the message is the template's result for the variables and the text. Otherwise,
    /// the message is the text itself.
    mutating func message(
        _ command: MQTTLightSettings.Command, _ text: String, _ variables: [String: JinjaValue]
    ) throws(LightError) -> MQTTMessage {
        let variables = variables.merging(["value": .string(text)]) { given, _ in given }
        let text =
            try command.template.map { (template) throws(LightError) in try message(template, variables) } ?? text
        return MQTTMessage(topic: command.topic, text: text, qos: settings.qos)
    }

    private static func variables(_ color: DeviceColor) -> [String: JinjaValue] {
        switch color {
        case .hs(let hue, let saturation): ["hue": .float(hue), "sat": .float(saturation)]
        case .xy(let x, let y): ["x": .float(x), "y": .float(y)]
        case .channels(let channels):
            Dictionary(
                uniqueKeysWithValues: zip(
                    ["red", "green", "blue"] + (channels.count == 5 ? ["cold_white", "warm_white"] : ["white"]),
                    channels.map(JinjaValue.int)))
        case .temperature: [:]
        }
    }

    private static func text(_ color: DeviceColor) -> String {
        switch color {
        case .hs(let a, let b), .xy(let a, let b): "\(decimal(a)),\(decimal(b))"
        case .channels(let channels): channels.map(String.init).joined(separator: ",")
        case .temperature(let value): String(value)
        }
    }

    /// Returns a number without an exponent, with at most four decimal places.
    private static func decimal(_ value: Double) -> String {
        let scaled = (value * 10000).rounded() / 10000
        return scaled.magnitude < 0.001 && scaled != 0 ? "0.0" : String(scaled)
    }
}
