import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// A valve: open or closed, or with a position (Lights 6.11).
struct MQTTValve: MQTTComponent {
    static let names: Set = ["valve"]
    static let kind = LightKind.valve
    static let abbreviations = [
        "pl_cls": "payload_close", "pl_open": "payload_open", "pos": "reports_position", "pos_clsd": "position_closed",
        "pos_open": "position_open", "stat_clsd": "state_closed", "stat_closing": "state_closing",
        "stat_open": "state_open", "stat_opening": "state_opening",
    ]
    static let keys = abbreviations.values.sorted() + ["device_class"]
    private static let numbers = -1_000_000...1_000_000
    /// The exposes of Zigbee2MQTT that distinguish a valve from a switch.
    private static let waterNames: Set = [
        "flow", "water_flow", "water_consumed", "valve_state", "current_device_status", "irrigation_duration",
        "irrigation_amount", "irrigation_mode", "cycle_irrigation_num_times", "cycle_irrigation_total_duration",
    ]

    private var purpose = ValvePurpose.generic
    private var isOfGas = false
    private var command = MQTTLightSettings.Command(topic: "")
    private var payloadOpen: String?
    private var payloadClose: String?
    /// The meaning of the words that the valve reports: open or closed.
    private var words: [String: Bool] = [:]
    /// The numbers of a closed and of an open valve, or `nil` for a valve without a position.
    private var positions: [Int]?

    var capabilities: LightCapabilities { LightCapabilities() }

    var functions: [AccessoryFunction] { [.valve(purpose)] }

    /// A Boolean value that indicates whether the valve can be a part of an irrigation system.
    var canIrrigate: Bool { !isOfGas && [.generic, .irrigation].contains(purpose) }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        settings.power = try reader.source(topic: "state_topic", template: "value_template")
        guard
            let command = try reader.command(
                topic: "command_topic", template: "command_template", else: "the valve can't be opened or closed")
        else { throw .about("command_topic", reader.losses.isEmpty ? "is missing" : "has an invalid template") }
        self.command = command
        settings.commandTopic = command.topic
        if try reader.bool("reports_position") ?? false {
            let closed = try reader.integer("position_closed", in: Self.numbers) ?? 0
            let open = try reader.integer("position_open", in: Self.numbers) ?? 100
            guard open != closed else { throw .about("position_open", "is the same as position_closed") }
            positions = [closed, open]
            (payloadOpen, payloadClose) = (String(open), String(closed))
        } else {
            if reader.keys["payload_open"]?.isNull != true {
                payloadOpen = try reader.string("payload_open") ?? "OPEN"
            }
            if reader.keys["payload_close"]?.isNull != true {
                payloadClose = try reader.string("payload_close") ?? "CLOSE"
            }
            guard payloadOpen != nil || payloadClose != nil else { throw .about("payload_open", "is null") }
            words[try reader.string("state_open") ?? "open"] = true
            words[try reader.string("state_closed") ?? "closed"] = false
        }
        words[try reader.string("state_opening") ?? "opening"] = true
        words[try reader.string("state_closing") ?? "closing"] = false
        switch try reader.string("device_class") {
        case "faucet": purpose = .faucet
        case "shower": purpose = .shower
        case "sprinkler": purpose = .irrigation
        case "gas": isOfGas = true
        default: break
        }
    }

    // MARK: Zigbee2MQTT

    /// Returns whether an expose is the switch of a water valve.
    ///
    /// Other switches of the device, such as a switch with a label, aren't valves.
    static func isValve(_ expose: JSONValue, of device: Zigbee2MQTTDevice) -> Bool {
        guard expose["type"]?.string == "switch",
            let feature = expose["features"]?.array?.first(where: { $0["name"]?.string == "state" }),
            let property = device.property(feature),
            property == "state" || property == expose["endpoint"]?.string.map({ "state_\($0)" })
        else { return false }
        let exposes = device.json["definition"]?["exposes"]?.array ?? []
        return exposes.contains { waterNames.contains($0["name"]?.string ?? "") }
            && !exposes.contains { $0["type"]?.string == "climate" }
    }

    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        guard isValve(expose, of: device),
            let feature = expose["features"]?.array?.first(where: { $0["name"]?.string == "state" }),
            ((feature["access"]?.int ?? 0) & 2) != 0, let property = device.property(feature),
            let on = feature["value_on"], let off = feature["value_off"]
        else { return nil }
        let endpoint = expose["endpoint"]?.string
        var valve = MQTTValve()
        var settings = try device.settings(.component(valve), kind)
        valve.purpose = .irrigation
        valve.command = .init(topic: settings.commandTopic)
        valve.payloadOpen = JSONValue.object([property: on]).text
        valve.payloadClose = JSONValue.object([property: off]).text
        let texts = try device.texts(on, off)
        valve.words = [texts.on: true, texts.off: false]
        settings.schema = .component(valve)
        settings.power = try settings.state("{{ value_json['\(property)'] }}")
        settings.ask(for: property)
        let suffix = endpoint.map { "_\($0)" } ?? ""
        var entity = try device.entity("\(device.address)_switch\(suffix)_zigbee2mqtt", settings, part: endpoint)
        entity.joinIrrigation(named: device.json["friendly_name"]?.string)
        return entity
    }

    private init() {}

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        var report = LightReport()
        report.on = light.text(light.settings.power, topic, payload).flatMap(isOpen)
        return report
    }

    /// Returns whether a state, which may also be an object with `state` and `position` members, means open.
    private func isOpen(_ text: String) -> Bool? {
        let json = MQTTPayload(Array(text.utf8)).json
        guard let object = json?.object else { return isOpen(word: text, number: text.plainNumber) }
        let position = object["position"]
        return isOpen(
            word: object["state"]?.string ?? "", number: position?.double ?? position?.string.flatMap(\.plainNumber))
    }

    private func isOpen(word: String, number: Double?) -> Bool? {
        if let isOpen = words[word] { return isOpen }
        guard let positions, let number, number.isFinite else { return nil }
        let share = (number - Double(positions[0])) / Double(positions[1] - positions[0])
        // As in Home Assistant, less than one percent is closed.
        return share >= 0.01
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        light.text(light.settings.power, topic, payload).map { isOpen($0) == nil } ?? false
    }

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        guard let isOpen = command.on, let payload = isOpen ? payloadOpen : payloadClose else {
            throw .refused(command.on == true ? "the valve can't be opened" : "the valve can't be closed")
        }
        guard let positions else { return [try light.message(self.command, payload, [:])] }
        return [
            try light.message(
                self.command, payload,
                [
                    "value": .int(positions[isOpen ? 1 : 0]), "position": .int(isOpen ? 100 : 0),
                    "position_open": .int(positions[1]), "position_closed": .int(positions[0]),
                ])
        ]
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        var report = LightReport()
        if light.settings.powerIsOptimistic { report.on = command.on }
        return report
    }
}
