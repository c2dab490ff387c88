import BoundedJSON
import DeviceKit
import Jinja

extension TasmotaDiscovery {
    private static let maximumButtons = 8
    private static let maximumSwitches = 28

    /// An input that sends messages.
    private struct Input {
        /// The member of a message that contains the action.
        var key: String
        /// The name of the button that the input becomes.
        var base: String
        /// The presses that the actions represent.
        var presses: [(word: String, press: String)]
    }

    /// Returns the entity for the buttons and switches that send messages instead of switching an output (SetOption73
    /// and SetOption114), or `nil` if there are none.
    func buttons() throws(MQTTProblem) -> MQTTEntity? {
        let inputs = buttonInputs + switchInputs
        guard !inputs.isEmpty else { return nil }
        let words = ButtonWords(
            named: inputs.flatMap { input in
                input.presses.map { ("\(input.base):\($0.word)", input.base, $0.press) }
            })
        var settings = MQTTLightSettings(commandTopic: "", schema: .component(MQTTButton(words)), kind: .button)
        settings.power = .init(topic: common.result)
        let branches = inputs.map { input in
            "{% if value_json['\(input.key)'] is defined %}\(input.base):{{ value_json['\(input.key)'].Action }}{% endif %}"
        }
        settings.power?.template = try MessageTemplate(branches.joined())
        settings.availability = common.availability
        let description = LightDescription(
            id: LightID("event/\(common.mac)_buttons"), name: common.name, kind: .button,
            capabilities: settings.capabilities, manufacturer: "Tasmota", model: common.model, serialNumber: common.mac,
            firmware: common.firmware)
        var entity = MQTTEntity(description, settings: settings)
        entity.deviceID = common.mac
        entity.join(LightID("\(common.mac)/sensors"))
        return entity
    }

    private var buttonInputs: [Input] {
        guard isSet(73) else { return [] }
        return (keys.keys["btn"]?.array ?? []).prefix(Self.maximumButtons).enumerated()
            .filter { ($0.element.int ?? 0) != 0 }
            .map { Input(key: "Button\($0.offset + 1)", base: "\($0.offset + 1)", presses: presses) }
    }

    /// The switches whose mode has actions that count as presses.
    ///
    /// A device announces the mode of a switch only if SetOption114 is set.
    private var switchInputs: [Input] {
        let states = (keys.keys["state"]?.array ?? []).map { $0.string ?? "" }
        let names = (keys.keys["swn"]?.array ?? []).map(\.string)
        return (keys.keys["swc"]?.array ?? []).prefix(Self.maximumSwitches).enumerated().compactMap { index, mode in
            let key = (index < names.count ? names[index] : nil) ?? "Switch\(index + 1)"
            let presses = (mode.int.flatMap { Self.switchPresses[$0] } ?? [])
                .compactMap { place, press in place < states.count ? (word: states[place], press: press) : nil }
            guard !presses.isEmpty, TasmotaSensors.isPlain(key) else { return nil }
            return Input(key: key, base: "switch_\(index + 1)", presses: presses)
        }
    }

    /// The presses of each SwitchMode, with the indices of their words in the list of states, as in hatasmota.
    private static let switchPresses: [Int: [(place: Int, press: String)]] = {
        let (toggle, hold) = (2, 3)
        var presses: [Int: [(place: Int, press: String)]] = [:]
        for mode in [0, 3, 4, 7, 11, 12] { presses[mode] = [(toggle, "single")] }
        for mode in [5, 6] { presses[mode] = [(toggle, "single"), (hold, "long")] }
        presses[8] = [(toggle, "single"), (hold, "double")]
        for mode in [9, 10] { presses[mode] = [(hold, "double")] }
        return presses
    }()

    /// The presses that the device reports, with their words.
    ///
    /// SetOption13 allows only single presses, and SetOption11 swaps single and double presses.
    private var presses: [(word: String, press: String)] {
        if isSet(13) { return [("SINGLE", "single")] }
        let usual =
            isSet(11) ? [("DOUBLE", "single"), ("SINGLE", "double")] : [("SINGLE", "single"), ("DOUBLE", "double")]
        return usual + [("HOLD", "long"), ("TRIPLE", "triple"), ("QUAD", "quadruple")]
    }
}
