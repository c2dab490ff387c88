import BoundedJSON
import DeviceKit
import Jinja

extension TasmotaDiscovery {
    private static let maximumButtons = 8

    /// Returns the buttons that don't switch an output but send messages (SetOption73), or `nil` if there are none.
    func buttons() throws(MQTTProblem) -> MQTTEntity? {
        guard isSet(73) else { return nil }
        let numbers = (keys.keys["btn"]?.array ?? []).prefix(Self.maximumButtons).enumerated()
            .filter { ($0.element.int ?? 0) != 0 }.map { $0.offset + 1 }
        guard !numbers.isEmpty else { return nil }
        let words = ButtonWords(
            numbered: numbers.flatMap { number in presses.map { ("\(number)_\($0.word)", number, $0.press) } })
        var settings = MQTTLightSettings(commandTopic: "", schema: .component(MQTTButton(words)), kind: .button)
        settings.power = .init(topic: common.result)
        let branches = numbers.enumerated().map { index, number in
            "{% \(index == 0 ? "if" : "elif") value_json.Button\(number) is defined %}"
                + "\(number)_{{ value_json.Button\(number).Action }}"
        }
        settings.power?.template = try MessageTemplate(branches.joined() + "{% endif %}")
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
