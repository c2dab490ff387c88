import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// A blind, a shutter, an awning or a curtain with a position.
///
/// Garage doors and gates aren't supported, because they aren't window coverings. Covers that can only open and close
/// aren't supported, because they have no position.
struct MQTTCover: MQTTComponent {
    static let names: Set = ["cover"]
    static let kind = LightKind.cover
    /// The time without a position message after which a moving cover counts as stopped.
    static let restTime = Duration.seconds(60)

    private var positionCommand: MQTTLightSettings.Command
    /// The source of its movement, or `nil` if it reports only its position.
    private var state: MQTTLightSettings.Source?
    private var motions: [String: CoverMotion] = [:]
    /// The position values that mean closed and open.
    private var closed = 0
    private var open = 100

    var capabilities: LightCapabilities { LightCapabilities() }

    var sources: [MQTTLightSettings.Source?] { [state] }

    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool {
        guard let name = try reader.string("device_class") else { return true }
        return !["door", "garage", "gate", "window"].contains(name)
    }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        let command = try reader.command(
            topic: "set_position_topic", template: "set_position_template", else: "the position can't be set")
        guard let command else {
            throw .about("set_position_topic", "is missing; only covers with a position are shown")
        }
        positionCommand = command
        settings.commandTopic = command.topic
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        settings.power = try reader.source(topic: "position_topic", template: "position_template")
        guard settings.power != nil else {
            throw .about("position_topic", reader.losses.isEmpty ? "is missing" : "can't be read")
        }
        state = try reader.source(topic: "state_topic", template: "value_template")
        for (key, word, motion) in [
            ("state_opening", "opening", CoverMotion.opening), ("state_closing", "closing", .closing),
            ("state_stopped", "stopped", .stopped), ("state_open", "open", .stopped),
            ("state_closed", "closed", .stopped),
        ] {
            motions[try reader.string(key) ?? word] = motion
        }
        let numbers = -1_000_000...1_000_000
        closed = try reader.integer("position_closed", in: numbers) ?? closed
        open = try reader.integer("position_open", in: numbers) ?? open
        guard open != closed else { throw .about("position_open", "is the same as position_closed") }
    }

    // MARK: Zigbee2MQTT

    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        let position = expose["features"]?.array?.first { $0["name"]?.string == "position" }
        guard expose["type"]?.string == "cover", let position, ((position["access"]?.int ?? 0) & 2) != 0,
            let property = device.property(position)
        else { return nil }
        var cover = try MQTTCover(property)
        var settings = try device.settings(.component(cover), kind)
        cover.positionCommand.topic = settings.commandTopic
        for other in device.json["definition"]?["exposes"]?.array ?? [] {
            guard let name = other["name"]?.string, let words = motionWords[name], let key = device.property(other)
            else { continue }
            cover.state = try settings.state("{{ value_json['\(key)'] }}")
            cover.motions = words
        }
        settings.schema = .component(cover)
        settings.power = try settings.state("{{ value_json['\(property)'] }}")
        settings.ask(for: property)
        let endpoint = expose["endpoint"]?.string.map { "_\($0)" } ?? ""
        return try device.entity(
            "\(device.address)_cover\(endpoint)_zigbee2mqtt", settings, part: expose["endpoint"]?.string)
    }

    private init(_ property: String) throws(MQTTProblem) {
        positionCommand = .init(topic: "", template: try MessageTemplate(#"{"\#(property)":{{ value }}}"#))
    }

    /// The meaning of the words that describe the movement in Zigbee2MQTT's messages, by the name of the expose.
    private static let motionWords: [String: [String: CoverMotion]] = [
        "moving": ["UP": .opening, "DOWN": .closing, "STOP": .stopped],
        "motor_state": [
            "opening": .opening, "closing": .closing, "stopped": .stopped, "stop": .stopped, "pause": .stopped,
        ],
    ]

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        var report = LightReport()
        if let number = number(topic, payload, by: &light) {
            let position = light.asked(.targetPosition, whenTold: number) ?? percent(number)
            report.position = position
            report.motion = state == nil ? motion(to: position, by: &light, now: now) : light.memory.motion
        }
        if let text = light.text(state, topic, payload), let motion = motions[text] {
            light.memory.motion = motion
            report.motion = motion
        }
        return report
    }

    /// Returns the position value in a message, which is a number or an object with the member `position`.
    private func number(_ topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Int? {
        guard let text = light.text(light.settings.power, topic, payload) else { return nil }
        let number = text.plainNumber ?? MQTTPayload(Array(text.utf8)).json?["position"]?.double
        return number.flatMap { Int(exactly: $0.rounded()) }
    }

    private func percent(_ number: Int) -> Int {
        let share = (Double(number) - Double(closed)) / (Double(open) - Double(closed))
        return Int((min(max(share, 0), 1) * 100).rounded())
    }

    /// Returns the movement of a cover that reports only its position.
    ///
    /// The cover counts as moving while its position isn't at the target and doesn't get farther away from it.
    private func motion(to position: Int, by light: inout MQTTLight, now: Duration) -> CoverMotion {
        light.deadlines.off = nil
        let before = light.memory.position ?? position
        light.memory.position = position
        guard let target = light.sent.numbers[.targetPosition]?[0], target != position else { return .stopped }
        guard abs(target - position) <= abs(target - before) else {
            light.sent.numbers[.targetPosition] = nil
            return .stopped
        }
        light.deadlines.off = now + Self.restTime
        return position < target ? .opening : .closing
    }

    func timePassed(of light: inout MQTTLight, now: Duration) -> LightReport? {
        guard let rest = light.deadlines.off, rest <= now else { return nil }
        light.deadlines.off = nil
        light.sent.numbers[.targetPosition] = nil
        var report = LightReport()
        report.motion = .stopped
        return report
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        guard light.text(light.settings.power, topic, payload) != nil else { return false }
        return number(topic, payload, by: &light) == nil
    }

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        guard let percent = command.targetPosition else { throw .refused("the cover doesn't support this") }
        let number = closed + Int((Double(percent * (open - closed)) / 100).rounded())
        light.remember(.targetPosition, asked: percent, told: number)
        return [
            try light.message(
                positionCommand, String(number),
                [
                    "value": .int(number), "position": .int(percent), "position_open": .int(open),
                    "position_closed": .int(closed),
                ])
        ]
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        guard light.settings.isOptimistic else { return LightReport() }
        var report = LightReport()
        report.position = command.targetPosition
        return report
    }
}
