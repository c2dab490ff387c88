import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// An alarm panel (Lights 6.10).
struct MQTTAlarmPanel: MQTTComponent {
    static let names: Set = ["alarm_control_panel"]
    static let kind = LightKind.securitySystem
    static let abbreviations = [
        "cod_arm_req": "code_arm_required", "cod_dis_req": "code_disarm_required",
        "cod_trig_req": "code_trigger_required", "pl_arm_away": "payload_arm_away",
        "pl_arm_custom_b": "payload_arm_custom_bypass", "pl_arm_home": "payload_arm_home",
        "pl_arm_nite": "payload_arm_night", "pl_arm_vacation": "payload_arm_vacation", "pl_disarm": "payload_disarm",
        "pl_trig": "payload_trigger", "sup_feat": "supported_features",
    ]
    static let keys = abbreviations.values.filter { $0 != "supported_features" }.sorted() + AccessCode.keys
    /// The announced words for a code that the panel checks itself.
    private static let remoteCodes: Set = ["REMOTE_CODE", "REMOTE_CODE_TEXT"]

    private let panel: AlarmPanel
    private let command: MQTTLightSettings.Command
    private let payloads: [SecurityState: String]
    private let code: AccessCode
    private let armsWithCode, disarmsWithCode: Bool

    var capabilities: LightCapabilities { LightCapabilities() }

    var functions: [AccessoryFunction] { [panel.function] }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        guard let topic = try reader.topic("command_topic") else { throw .about("command_topic", "is missing") }
        switch try reader.template("command_template", else: "the panel can't be armed or disarmed") {
        case .missing: command = .init(topic: topic)
        case .known(let template): command = .init(topic: topic, template: template)
        case .notUnderstood: throw .about("command_template", "is invalid")
        }
        settings.commandTopic = topic
        settings.power = try reader.source(topic: "state_topic", template: "value_template")
        guard settings.power != nil else { throw .about("state_topic", "is missing or has an invalid template") }
        panel = AlarmPanel(try Self.modes(reader))
        var payloads: [SecurityState: String] = [.disarmed: try reader.string("payload_disarm") ?? "DISARM"]
        for (state, mode) in panel.modes {
            payloads[state] = try reader.string("payload_\(mode.rawValue)") ?? mode.rawValue.uppercased()
        }
        self.payloads = payloads
        let text = try reader.string("code")
        let isRemote = text.map(Self.remoteCodes.contains) ?? false
        code = AccessCode(isRemote ? nil : text, isRequired: isRemote)
        armsWithCode = try reader.bool("code_arm_required") ?? true
        disarmsWithCode = try reader.bool("code_disarm_required") ?? true
    }

    private static func modes(_ reader: KeyReader) throws(MQTTProblem) -> Set<AlarmPanel.Mode> {
        guard let list = reader.keys["supported_features"], !list.isNull else { return Set(AlarmPanel.Mode.allCases) }
        guard let names = list.array?.map(\.string) else { throw .about("supported_features", "isn't a list") }
        var modes: Set<AlarmPanel.Mode> = []
        for name in names where name != "trigger" {
            guard let mode = name.flatMap(AlarmPanel.Mode.init) else {
                throw .about("supported_features", "contains an unknown feature")
            }
            modes.insert(mode)
        }
        return modes
    }

    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? { nil }

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        guard let text = light.text(light.settings.power, topic, payload), let state = AlarmPanelState(rawValue: text)
        else { return LightReport() }
        let values = panel.values(state, asked: light.memory[.securitySystemTargetState])
        let target = values[.securitySystemTargetState] ?? values[.securitySystemCurrentState]
        // Ignore a repeated state, so that it doesn't replace the target of a command in between.
        if let target, target != .triggered, text != light.lastText {
            light.memory[.securitySystemTargetState] = target
        }
        light.lastText = text
        return LightReport(values)
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        guard let text = light.text(light.settings.power, topic, payload) else { return false }
        return !text.allSatisfy(\.isWhitespace) && AlarmPanelState(rawValue: text) == nil
    }

    // MARK: Commands

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        guard let target = command.values[.securitySystemTargetState], let payload = payloads[target] else {
            throw .refused("the panel doesn't support this command")
        }
        let needsCode = target == .disarmed ? disarmsWithCode : armsWithCode
        let code = needsCode ? try code.variable(of: "panel", read: light.code) : .none
        let message = try light.message(self.command, payload, ["action": .string(payload), "code": code])
        light.memory[.securitySystemTargetState] = target
        return [message]
    }
}
