import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// A siren: the `siren` component, or a Zigbee2MQTT warning, whose state isn't reported (Lights 6.12).
struct MQTTSiren: MQTTComponent {
    static let names: Set = ["siren"]
    static let kind = LightKind.scene
    static let isPart = true
    /// The longest warning in seconds.
    static let longestWarning = 180

    private let id: String
    private let name: String
    private var on: MQTTLightSettings.Command
    private var off: MQTTLightSettings.Command
    private var payloads: (on: String, off: String)
    private var states: (on: String, off: String) = ("", "")
    /// The duration of a warning, after which the siren stops without a report; `nil` for a siren that reports its
    /// state.
    private var duration: Duration?

    static func == (a: MQTTSiren, b: MQTTSiren) -> Bool {
        a.id == b.id && a.name == b.name && a.on == b.on && a.off == b.off && a.payloads == b.payloads
            && a.states == b.states && a.duration == b.duration
    }

    private var property: Property { Property(.on, of: functions[0].id) }

    var capabilities: LightCapabilities { LightCapabilities() }

    var functions: [AccessoryFunction] { [.siren(id, name: name)] }

    /// The assumed state of an announced warning device: no warning is running.
    ///
    /// It is `nil` for a siren that reports its state.
    var beginning: LightReport? { duration == nil ? nil : report(false) }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        let on = try reader.command(
            topic: "command_topic", template: "command_template", else: "the siren can't be switched on or off")
        guard let on else { throw .about("command_topic", "is missing or has an invalid template") }
        self.on = on
        off = on
        if case .known(let template) = try reader.template(
            "command_off_template", else: "command_template is used to switch the siren off")
        {
            off.template = template
        }
        settings.commandTopic = on.topic
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        settings.power = try reader.source(topic: "state_topic", template: "state_value_template")
        payloads = (settings.payloadOn, settings.payloadOff)
        states = (
            try reader.string("state_on") ?? settings.payloadOn, try reader.string("state_off") ?? settings.payloadOff
        )
        id = try reader.partID(on.topic)
        name = reader.entity?.name ?? id
    }

    // MARK: Zigbee2MQTT

    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        guard expose["type"]?.string == "composite", expose["name"]?.string == "warning",
            let property = device.property(expose), let features = expose["features"]?.array,
            let modes = features.first(where: { $0["name"]?.string == "mode" })?["values"]?.array?.compactMap(\.string),
            modes.contains("stop"),
            let mode = ["burglar", "emergency"].first(where: modes.contains) ?? modes.first(where: { $0 != "stop" })
        else { return nil }
        func feature(_ name: String) -> JSONValue? { features.first { $0["name"]?.string == name } }
        var warning: JSONObject = ["mode": .string(mode)]
        if feature("level")?["values"]?.array?.contains("high") == true { warning["level"] = "high" }
        if feature("strobe") != nil { warning["strobe"] = true }
        // Zigbee2MQTT's default.
        var seconds = 10
        if let limit = feature("duration") {
            seconds = min(max(limit["value_max"]?.int ?? longestWarning, 1), longestWarning)
            warning["duration"] = .integer(Int64(seconds))
        }
        var settings = try device.settings(.basic, kind)
        var siren = MQTTSiren(
            id: "\(device.address)_warning_zigbee2mqtt", topic: settings.commandTopic,
            on: JSONValue.object([property: .object(warning)]).text,
            off: JSONValue.object([property: ["mode": "stop"]]).text)
        siren.duration = .seconds(seconds)
        settings.power = nil
        settings.schema = .component(siren)
        var entity = try device.entity("siren/\(siren.id)", settings)
        if let key = entity.deviceID { entity.join(LightID("\(key)/sensors")) }
        return entity
    }

    private init(id: String, topic: String, on: String, off: String) {
        self.id = id
        name = "Siren"
        self.on = .init(topic: topic)
        self.off = .init(topic: topic)
        payloads = (on, off)
    }

    // MARK: Messages

    private func report(_ isOn: Bool) -> LightReport {
        var report = LightReport()
        report.values[property] = .bool(isOn)
        return report
    }

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        guard let text = light.text(light.settings.power, topic, payload), let isOn = isOn(text) else {
            return LightReport()
        }
        return report(isOn)
    }

    /// Returns the state in a message, which is a word or an object with a `state` member.
    private func isOn(_ text: String) -> Bool? {
        switch [states.on, states.off].contains(text) ? text : MQTTPayload(Array(text.utf8)).json?["state"]?.string {
        case states.on?: true
        case states.off?: false
        default: nil
        }
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        // Home Assistant ignores an empty object, too. An object may omit the state.
        guard let text = light.text(light.settings.power, topic, payload) else { return false }
        return isOn(text) == nil && MQTTPayload(Array(text.utf8)).json?.object == nil
    }

    func timePassed(of light: inout MQTTLight, now: Duration) -> LightReport? {
        guard let end = light.deadlines.off, end <= now else { return nil }
        light.deadlines.off = nil
        return report(false)
    }

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        guard let isOn = command.values[property]?.bool else {
            throw .refused("the siren doesn't support this command")
        }
        let payload = isOn ? payloads.on : payloads.off
        if let duration {
            light.deadlines.off = isOn ? light.commandTime + duration : nil
            return [try light.message(on, payload, [:])]
        }
        let command = isOn ? on : off
        // Without a template, Home Assistant sends an object.
        let text = command.template == nil ? JSONValue.object(["state": .string(payload)]).text : payload
        return [try light.message(command, text, ["value": .string(payload), "state": .string(payload)])]
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        guard light.settings.powerIsOptimistic, let isOn = command.values[property]?.bool else { return LightReport() }
        return report(isOn)
    }
}
