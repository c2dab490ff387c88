import BoundedJSON
import DeviceKit

/// The names of the members in messages of the `json` schema, and the values that mean on and off.
package struct JSONKeys: Equatable, Sendable {
    var state = "state"
    var on: JSONValue = "ON"
    var off: JSONValue = "OFF"
    var brightness = "brightness"
    var color = "color"
    var colorMode = "color_mode"
    var temperature = "color_temp"
    var white = "white"
}

/// The `json` schema, in which one object contains all attributes.
extension MQTTLight {
    private var keys: JSONKeys { settings.jsonKeys }

    // MARK: States

    mutating func receivedJSON(_ payload: MQTTPayload) -> LightReport {
        guard let message = payload.json, message.object != nil else { return LightReport() }
        var report = LightReport()
        // A message without a state reports only other attributes. A state of null means that the light doesn't know
        // its power.
        switch message[keys.state] {
        case keys.on: report.on = true
        case keys.off: report.on = false
        case .null?: isPowerUnknown = true
        default: break
        }
        on = report.on ?? on
        let device = jsonColor(message)
        if let value = message[keys.brightness]?.double {
            report.brightness = learn(brightness: value, scale: settings.brightnessScale)
        } else if !settings.hasOwnBrightness, let channel = device?.largestChannel {
            report.brightness = learn(brightness: Double(channel), scale: 255)
        }
        if let device, let color = learn(device) {
            self.color = color
            report.color = color
        }
        return report
    }

    /// Returns the color in a state message.
    private func jsonColor(_ message: JSONValue) -> DeviceColor? {
        if let name = message[keys.colorMode], !name.isNull {
            // Ignore only the color if its mode wasn't announced. The rest of the message is still used.
            guard let mode = name.string.flatMap(MQTTLightSettings.ColorMode.init), settings.modes.contains(mode)
            else { return nil }
            switch mode {
            case .onoff, .brightness: return nil
            case .white: return .hs(0, 0)
            case .temperature: return message[keys.temperature].flatMap(Self.temperature)
            case .hs, .xy, .rgb, .rgbw, .rgbww:
                return message[keys.color].flatMap { Self.color($0, mode) }
            }
        }
        let forms: [MQTTLightSettings.ColorMode] = [.hs, .xy, .rgbww, .rgbw, .rgb]
        let color = message[keys.color].flatMap { value in
            forms.lazy.filter(settings.modes.contains).compactMap { Self.color(value, $0) }.first
        }
        let temperature =
            settings.modes.contains(.temperature)
            ? message[keys.temperature].flatMap(Self.temperature) : nil
        guard let color, let temperature else { return color ?? temperature }
        if case .temperature = self.color { return temperature }
        return color
    }

    private static func temperature(_ value: JSONValue) -> DeviceColor? {
        guard let number = value.double, let whole = Int(exactly: number.rounded()), (1...1_000_000).contains(whole)
        else { return nil }
        return .temperature(whole)
    }

    private static func color(_ value: JSONValue, _ mode: MQTTLightSettings.ColorMode) -> DeviceColor? {
        func numbers(_ names: [String]) -> [Double]? {
            let numbers = names.compactMap { value[$0]?.double }
            return numbers.count == names.count ? numbers : nil
        }
        func channels(_ names: [String]) -> DeviceColor? {
            guard let numbers = numbers(names) else { return nil }
            let whole = numbers.compactMap { Int(exactly: $0.rounded()) }
            guard whole.count == names.count, whole.allSatisfy((0...255).contains) else { return nil }
            return .channels(whole)
        }
        switch mode {
        case .hs: return numbers(["h", "s"]).map { .hs($0[0], $0[1]) }
        case .xy: return numbers(["x", "y"]).map { .xy($0[0], $0[1]) }
        case .rgb: return channels(["r", "g", "b"])
        case .rgbw: return channels(["r", "g", "b", "w"])
        case .rgbww: return channels(["r", "g", "b", "c", "w"])
        case .onoff, .brightness, .white, .temperature: return nil
        }
    }

    // MARK: Commands

    mutating func jsonMessage(for command: LightCommand) throws(LightError) -> MQTTMessage {
        var object = JSONObject()
        if command.on == false {
            object[keys.state] = keys.off
        } else {
            if switchesOn(command) { object[keys.state] = keys.on }
            try addAttributes(of: command, to: &object)
        }
        if let transition = command.transition, transition > .zero {
            object["transition"] = .number(transition / .seconds(1))
        }
        return MQTTMessage(topic: settings.commandTopic, payload: JSONValue.object(object).encoded, qos: settings.qos)
    }

    private mutating func addAttributes(of command: LightCommand, to object: inout JSONObject) throws(LightError) {
        var percent = command.brightness
        if let color = command.color {
            if isOwnWhite(color) {
                let level = percent ?? brightness ?? 100
                object[keys.white] = .integer(
                    Int64(ColorConversion.deviceValue(percent: level, scale: settings.whiteScale)))
                remember(sent: color, as: .hs(0, 0))
                sent.percent = level
                sent.deviceBrightness = ColorConversion.deviceValue(percent: level, scale: settings.brightnessScale)
                return
            }
            guard var device = deviceColor(color) else { throw .refused("the light can't show this color") }
            // If the light has no separate brightness, scale the channels of the color to the brightness.
            if case .channels = device, !settings.hasOwnBrightness {
                let level = percent ?? 100
                device = device.scaled(percent: level)
                sent.percent = level
                sent.deviceBrightness = device.largestChannel
                percent = nil
            }
            remember(sent: color, as: device)
            switch device {
            case .temperature(let value): object[keys.temperature] = .integer(Int64(value))
            case .hs, .xy, .channels: object[keys.color] = .object(Self.json(device))
            }
        }
        if let percent { object[keys.brightness] = .integer(Int64(remember(sent: percent))) }
    }

    private static func json(_ color: DeviceColor) -> JSONObject {
        switch color {
        case .hs(let hue, let saturation): return ["h": .number(hue), "s": .number(saturation)]
        case .xy(let x, let y): return ["x": .number(x), "y": .number(y)]
        case .channels(let channels):
            let names = channels.count == 5 ? ["r", "g", "b", "c", "w"] : ["r", "g", "b", "w"]
            var object = JSONObject()
            for (name, channel) in zip(names, channels) { object[name] = .integer(Int64(channel)) }
            return object
        case .temperature: return [:]
        }
    }
}
