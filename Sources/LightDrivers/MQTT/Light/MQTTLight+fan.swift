import Jinja
import LightKit

/// A fan of Home Assistant's discovery: power as a switch has it, and what else it can be told (Lights 6.1).
package struct FanSchema: Equatable, Sendable {
    var speedCommand, directionCommand, oscillationCommand: MQTTLightSettings.Command?
    var speed, direction, oscillation: MQTTLightSettings.Source?
    /// The device's speeds; the lowest is the slowest, and 0 is off.
    var speeds = FanSpeeds(range: 1...100)
    /// Says that the speed is not known.
    var resetSpeed = "None"
    var oscillationOn = "oscillate_on"
    var oscillationOff = "oscillate_off"

    static let maximumSpeed = 1_000_000

    var capabilities: LightCapabilities {
        .fan(
            speed: speedCommand != nil, direction: directionCommand != nil, oscillation: oscillationCommand != nil)
    }
}

extension MQTTLight {
    /// What was last sent to a fan or reported by it.
    struct FanState: Equatable {
        var sentPercent: Int?
        var sentValue: Int?
    }

    mutating func received(topic: String, _ payload: MQTTPayload, _ schema: FanSchema) -> LightReport {
        var report = LightReport()
        report.on = receivedPower(topic: topic, payload)
        if let text = text(schema.speed, topic, payload), text != schema.resetSpeed,
            let value = text.plainNumber.flatMap({ Int(exactly: $0) })
        {
            // A fan that answers with what it was sent shows the percentage that was asked for.
            let asked = fan.sentValue == value ? fan.sentPercent : nil
            report.speed = asked ?? schema.speeds.percent(value)
        }
        switch text(schema.direction, topic, payload) {
        case "forward": report.direction = .clockwise
        case "reverse": report.direction = .counterclockwise
        default: break
        }
        if let text = text(schema.oscillation, topic, payload) {
            report.oscillates = text == schema.oscillationOn ? true : text == schema.oscillationOff ? false : nil
        }
        return report
    }

    /// In Home Assistant's order: power first.
    mutating func fanMessages(for command: LightCommand, _ schema: FanSchema) throws(LightError) -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        if let on = command.on {
            messages.append(try powerMessage(on ? settings.payloadOn : settings.payloadOff))
            guard on else { return messages }
        }
        if let percent = command.speed, let speed = schema.speedCommand {
            let value = schema.speeds.value(percent)
            fan = FanState(sentPercent: percent, sentValue: value)
            messages.append(try message(speed, String(value), ["value": .int(value)]))
        }
        if let direction = command.direction, let topic = schema.directionCommand {
            messages.append(try message(topic, direction == .clockwise ? "forward" : "reverse", [:]))
        }
        if let oscillates = command.oscillates, let topic = schema.oscillationCommand {
            messages.append(
                try message(topic, oscillates ? schema.oscillationOn : schema.oscillationOff, [:]))
        }
        guard !messages.isEmpty else { throw .refused("the fan can do nothing of that") }
        return messages
    }

    /// What of a command the fan will not say itself.
    func fanHandedOver(_ command: LightCommand, _ schema: FanSchema) -> LightReport {
        var report = LightReport()
        let isOptimistic = settings.isOptimistic
        if isOptimistic || settings.power == nil { report.on = command.on }
        guard command.on != false else { return report }
        if schema.speedCommand != nil, isOptimistic || schema.speed == nil { report.speed = command.speed }
        if schema.directionCommand != nil, isOptimistic || schema.direction == nil {
            report.direction = command.direction
        }
        if schema.oscillationCommand != nil, isOptimistic || schema.oscillation == nil {
            report.oscillates = command.oscillates
        }
        return report
    }
}
