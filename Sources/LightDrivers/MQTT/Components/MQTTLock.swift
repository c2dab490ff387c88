import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// A lock (Lights 6.5).
struct MQTTLock: MQTTComponent {
    static let names: Set = ["lock"]
    static let kind = LightKind.lock
    static let abbreviations = [
        "cod_form": "code_format", "pl_lock": "payload_lock", "pl_open": "payload_open", "pl_rst": "payload_reset",
        "pl_unlk": "payload_unlock", "stat_jam": "state_jammed", "stat_locked": "state_locked",
        "stat_locking": "state_locking", "stat_open": "state_open", "stat_opening": "state_opening",
        "stat_unlocked": "state_unlocked", "stat_unlocking": "state_unlocking",
    ]
    static let keys = abbreviations.values.sorted() + AccessCode.keys

    /// The meaning of a word in a state message.
    private enum Word: Equatable {
        /// A state that lasts.
        case state(LockState)
        /// A movement toward a state.
        case movement(LockState)
    }

    private var words: [String: Word] = [:]
    private var command: MQTTLightSettings.Command
    private var payloads: [LockState: String] = [:]
    /// The code that the lock needs.
    private var code = AccessCode.none

    var capabilities: LightCapabilities { LightCapabilities() }

    /// Returns `false` for child locks and keypad locks, which are settings of other devices.
    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool {
        for key in ["command_topic", "value_template", "unique_id"] {
            let text = try reader.string(key, maximum: .max) ?? ""
            if settings.contains(where: text.contains) { return false }
        }
        return true
    }

    private static let settings = ["child_lock", "keypad_lock"]

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        let topic = try reader.command(
            topic: "command_topic", template: "command_template", else: "the lock can't be locked or unlocked")
        guard let topic else {
            throw .about("command_topic", reader.losses.isEmpty ? "is missing" : "has an invalid template")
        }
        command = topic
        settings.commandTopic = command.topic
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        settings.power = try reader.source(topic: "state_topic", template: "value_template")
        payloads = [
            .secured: try reader.string("payload_lock") ?? "LOCK",
            .unsecured: try reader.string("payload_unlock") ?? "UNLOCK",
        ]
        for (key, word, meaning) in [
            ("payload_reset", "None", Word.state(.unknown)), ("state_open", "OPEN", .state(.unsecured)),
            ("state_opening", "OPENING", .movement(.unsecured)),
            ("state_unlocking", "UNLOCKING", .movement(.unsecured)),
            ("state_locking", "LOCKING", .movement(.secured)), ("state_jammed", "JAMMED", .state(.jammed)),
            ("state_unlocked", "UNLOCKED", .state(.unsecured)), ("state_locked", "LOCKED", .state(.secured)),
        ] {
            words[try reader.string(key) ?? word] = meaning
        }
        code = AccessCode(try reader.string("code"), isRequired: try reader.string("code_format")?.isEmpty == false)
    }

    // MARK: Zigbee2MQTT

    /// Returns the lock that an expose describes; `nil` for child locks and keypad locks, which are settings.
    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        guard expose["type"]?.string == "lock",
            let state = expose["features"]?.array?.first(where: { $0["name"]?.string == "state" }),
            ((state["access"]?.int ?? 0) & 2) != 0, let property = device.property(state), property == "state",
            let on = state["value_on"], let off = state["value_off"]
        else { return nil }
        let texts = try device.texts(on, off)
        var lock = MQTTLock()
        var settings = try device.settings(.component(lock), kind)
        lock.command = .init(topic: settings.commandTopic)
        lock.payloads = [
            .secured: JSONValue.object([property: on]).text, .unsecured: JSONValue.object([property: off]).text,
        ]
        lock.words = [texts.on: .state(.secured), texts.off: .state(.unsecured)]
        settings.power = try settings.state("{{ value_json['\(property)'] }}")
        settings.schema = .component(lock)
        settings.ask(for: property)
        return try device.entity("\(device.address)_lock_zigbee2mqtt", settings)
    }

    private init() { command = .init(topic: "") }

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        var report = LightReport()
        switch word(topic, payload, by: &light) {
        case .state(let state)?: report.values[.lockCurrentState] = state
        case .movement(let state)?: report.values[.lockTargetState] = state
        case nil: break
        }
        return report
    }

    private func word(_ topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Word? {
        light.wholeText(light.settings.power, topic, payload).flatMap { words[$0] }
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        guard let text = light.text(light.settings.power, topic, payload) else { return false }
        return !text.allSatisfy(\.isWhitespace) && words[text] == nil
    }

    // MARK: Commands

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        guard let payload = command.values[.lockTargetState].flatMap({ payloads[$0] }) else {
            throw .refused("the lock doesn't support this command")
        }
        return [try light.message(self.command, payload, ["code": try code.variable(of: "lock", read: light.code)])]
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        guard light.settings.powerIsOptimistic else { return LightReport() }
        return LightReport(Self.kind.rules.outcome(of: command.values))
    }
}
