internal import BoundedJSON
internal import DeviceKit
import HAPModel
internal import LightDrivers

/// Checks messages from a broker to which any client may publish.
///
/// Each line of the input is a topic, a space and a message.
@Sendable func checkDiscovery(_ input: [UInt8]) {
    var home = MQTTDeviceRegistry(
        prefix: "homeassistant", tasmota: "tasmota/discovery", zigbee2MQTT: "zigbee2mqtt", lights: [])
    _ = home.started(kinds: Set(LightKind.allCases))
    _ = home.connected()
    var topics: Set<String> = []
    var lights: [LightID: LightDescription] = [:]
    func took(_ actions: [MQTTAction]) {
        for action in actions {
            switch action {
            case .subscribe(let topic, let qos):
                promise(
                    !topic.isEmpty && topic.utf8.count <= MQTTLimits.topic,
                    "the length of a subscribed topic is limited")
                promise((0...2).contains(qos), "the quality of service is 0, 1 or 2")
                // The driver may subscribe to a topic twice, because a second subscription makes the broker repeat its
                // retained messages.
                topics.insert(topic)
            case .unsubscribe(let topic):
                promise(topics.remove(topic) != nil, "an unsubscribed topic was subscribed before")
            case .added(let description):
                lights[description.id] = description
                checkDescription(description)
                promise(!description.name.isEmpty, "a light has a name")
            case .removed(let id):
                promise(lights.removeValue(forKey: id) != nil, "a light that is removed was added before")
            case .report(let id, let report):
                promise(lights[id] != nil, "a light that reports was added before")
                checkReport(report)
            case .occurred(let id, let events):
                promise(lights[id] != nil, "a button belongs to an added light")
                promise(events.allSatisfy { $0.property.type.isMomentary }, "an event is momentary")
            case .publish(let message):
                promise(
                    !message.topic.contains { $0 == "+" || $0 == "#" }, "nothing is published to a topic with wildcards"
                )
            case .warn, .idMissing: break
            }
        }
    }
    for (number, line) in input.lines.enumerated() {
        let topic = line.prefix { $0 != UInt8(ascii: " ") }
        took(
            home.received(
                topic: String(decoding: topic, as: UTF8.self),
                payload: MQTTPayload(Array(line.dropFirst(topic.count + 1))), now: .seconds(number)))
        took(home.timePassed(now: .seconds(number)))
        for (id, light) in lights {
            // Sensors, meters and buttons accept no commands, and scenes accept only scene commands.
            let others = [.sensor, .meter, .button, .scene].contains(light.kind) ? [] : commands
            for command in others + sceneCommands(of: light) {
                do throws(LightError) {
                    for message in try home.messages(for: command, to: id, now: .zero) {
                        promise(
                            !message.topic.contains { $0 == "+" || $0 == "#" },
                            "nothing is published to a topic with wildcards")
                        promise(message.payload.count <= 2 * MQTTLimits.text, "a command is short")
                    }
                } catch {
                    promise(error != .unknownLight, "the driver knows every added light")
                    continue
                }
                if let report = home.handedOver(command, to: id) { checkReport(report) }
            }
        }
    }
    promise(
        lights.count <= MQTTDeviceRegistry.maximumLights + MQTTDeviceRegistry.maximumReadings,
        "the number of lights is limited")
    home.disconnected(now: .seconds(100_000))
    took(home.timePassed(now: .seconds(100_000) + MQTTDeviceRegistry.timeout))
    for round in 0..<3 { took(home.timePassed(now: .seconds(200_000 + round * 10) + MQTTDeviceRegistry.grace)) }
}

let commands =
    [
        LightCommand(on: true), LightCommand(on: false), LightCommand(brightness: 1),
        LightCommand(on: true, brightness: 100, color: .hueSaturation(hue: 359.9, saturation: 50)),
        LightCommand(color: .temperature(mired: 250)), fanCommand,
    ] + kindCommands

private let fanCommand: LightCommand = {
    var command = LightCommand(on: true)
    (command.speed, command.direction, command.oscillates) = (50, .counterclockwise, true)
    return command
}()

/// Commands to kinds of devices other than lights and fans.
let kindCommands: [LightCommand] = [
    command([.targetPosition: .integer(40), .targetHorizontalTiltAngle: .integer(-45)]),
    command([.targetPosition: .integer(100)]), command([.holdPosition: .bool(true)]),
    command([.lockTargetState: .integer(1)]), command([.targetDoorState: .integer(0)]),
    command([.securitySystemTargetState: .integer(1)]), command([.securitySystemTargetState: .integer(3)]),
    command([.targetHeatingCoolingState: .integer(3), .targetTemperature: .float(21.5)]),
    command([.heatingThresholdTemperature: .float(18), .coolingThresholdTemperature: .float(25)]),
    command([.targetHeatingCoolingState: .integer(0), .targetRelativeHumidity: .float(55)]),
    command([.active: .integer(1), .targetHumidifierDehumidifierState: .integer(1)]),
    command([.active: .integer(1), .targetAirPurifierState: .integer(1), .rotationSpeed: .float(60)]),
]

private func command(_ pairs: KeyValuePairs<CharacteristicType, CharacteristicValue>) -> LightCommand {
    var command = LightCommand()
    for (type, value) in pairs { command.values[Property(type)] = value }
    return command
}

/// Returns commands that switch on the first scenes, sirens and options of a device.
func sceneCommands(of light: LightDescription) -> [LightCommand] {
    light.scenes.prefix(4).map { scene in
        var command = LightCommand()
        command.values[Property(.on, of: scene.id)] = .bool(true)
        return command
    }
}

/// Checks the description of an added device.
func checkDescription(_ light: LightDescription) {
    promise((1...255).contains(light.id.rawValue.utf8.count), "the length of an id is limited")
    // HAP allows 100 services per accessory, including the accessory's information.
    promise(light.functions.count < 100, "the number of functions is limited")
    let ids = light.functions.compactMap(\.id)
    promise(Set(ids).count == ids.count, "functions have different ids")
    promise(ids.allSatisfy { (1...1024).contains($0.utf8.count) }, "the length of a function's id is limited")
}

func checkReport(_ report: LightReport) {
    if let brightness = report.brightness { promise((1...100).contains(brightness), "the brightness is in percent") }
    switch report.color {
    case .hueSaturation(let hue, let saturation)?:
        promise((0...360).contains(hue) && (0...100).contains(saturation), "a color is within its limits")
    case .temperature(let mired)?: promise(mired > 0, "a color temperature is positive")
    case nil: break
    }
    if let speed = report.speed { promise((1...100).contains(speed), "a speed is in percent") }
    for (reading, value) in report.readings {
        promise(value.valid(for: reading) == value, "a reading has a valid value")
    }
    for (_, value) in report.values {
        guard case .float(let number)? = value else { continue }
        promise(number.isFinite, "a number is finite")
    }
}
