import BoundedJSON
import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A humidifier on MQTT", .timeout)
struct MQTTHumidifierTests {
    private static let keys = #"""
        "command_topic": "p/set", "state_topic": "p", "target_humidity_command_topic": "t/set",
        "target_humidity_state_topic": "t", "current_humidity_topic": "c"
        """#

    private static func settings(_ keys: String) throws -> MQTTLightSettings {
        try MQTTLightSettings(
            KeyReader(keys: try JSONValue(parsing: "{\(keys)}").object ?? [:]), component: "humidifier")
    }

    private func command(on: Bool? = nil, _ percent: Double? = nil, dehumidify: Double? = nil) -> LightCommand {
        var command = LightCommand(on: on)
        (command.humidifierThreshold, command.dehumidifierThreshold) = (percent, dehumidify)
        return command
    }

    private func said(_ device: inout MQTTLight, _ topic: String, _ text: String) -> LightReport {
        device.received(topic: topic, payload: MQTTPayload(Array(text.utf8))).first ?? LightReport()
    }

    @Test("sends its power and a target within its limits, and holds the target of a device that is off")
    func commands() throws {
        var device = MQTTLight(try Self.settings(Self.keys + #", "min_humidity": 40, "max_humidity": 80"#))
        #expect(MQTTLightTests.text(try device.messages(for: command(on: true, 60))) == ["p/set ON", "t/set 60"])
        _ = device.handedOver(command(on: true, 60))
        #expect(MQTTLightTests.text(try device.messages(for: command(95))) == ["t/set 80"])
        #expect(MQTTLightTests.text(try device.messages(for: command(on: false))) == ["p/set OFF"])
        _ = said(&device, "p", "OFF")
        #expect(try device.messages(for: command(50)).isEmpty)
        #expect(MQTTLightTests.text(try device.messages(for: command(on: true))) == ["p/set ON", "t/set 50"])
    }

    @Test("reads the power, humidities and actions, and ignores and counts invalid values")
    func reports() throws {
        var device = MQTTLight(
            try Self.settings(Self.keys + #", "action_topic": "a", "payload_reset_humidity": "gone""#))
        #expect(said(&device, "p", "ON").on == true)
        #expect(said(&device, "c", "44.6").values[.currentRelativeHumidity] == 44.6)
        #expect(said(&device, "t", "50").humidifierThreshold == 50)
        for (word, activity) in [
            ("off", HumidifierActivity.inactive), ("idle", .idle), ("humidifying", .humidifying),
            ("drying", .dehumidifying),
        ] { #expect(said(&device, "a", word).humidifierActivity == activity) }
        for text in ["gone", "None", "140", "-2", "damp"] { #expect(said(&device, "c", text).isEmpty) }
        #expect(device.isUnreadable(topic: "c", MQTTPayload(Array("damp".utf8))))
        #expect(!device.isUnreadable(topic: "c", MQTTPayload(Array("gone".utf8))))
    }

    @Test("rejects a device whose humidity can't be set, and invalid limits")
    func refused() throws {
        for keys in [
            #""command_topic": "c""#, #""target_humidity_command_topic": "t""#,
            Self.keys + #", "min_humidity": 80, "max_humidity": 40"#, Self.keys + #", "max_humidity": 140"#,
        ] { #expect(throws: MQTTProblem.self) { try Self.settings(keys) } }
    }

    @Test("shows a configured dehumidifier")
    func handWritten() throws {
        let json =
            #"{"url": "mqtt://h", "lights": [{"id": "d", "kind": "humidifier", "device_class": "dehumidifier", \#(Self.keys)}]}"#
        let entity = try #require(
            try JSONValue(parsing: json).decoded(as: MQTTDriverConfiguration.self).lights.first)
        #expect(entity.description.kind == .humidifier)
        #expect(entity.description.functions[0].has(.relativeHumidityDehumidifierThreshold))
    }

    static let announced = AnnouncedThing.all.filter { $0.kind == "humidifier" }

    @Test(
        "adds a publisher's humidifier with its features, reads its messages and sends its commands as Home Assistant does",
        arguments: announced)
    func publishers(_ thing: AnnouncedThing) throws {
        var house = thing.announced(kinds: [.humidifier])
        let device = try #require(house.added.first, "\(house.warnings)")
        let function = try #require(device.functions.first)
        let dehumidifies = thing.expected["dehumidifies"]?.bool ?? false
        let type: CharacteristicType =
            dehumidifies ? .relativeHumidityDehumidifierThreshold : .relativeHumidityHumidifierThreshold
        let range = function.metadata(of: type)?.range
        #expect(range.map { [$0.lowerBound, $0.upperBound] } == thing.expected["range"]?.array?.compactMap(\.double))
        thing.notified(&house)
        let state = try #require(house.states[device.id])
        let wanted = thing.expected["state"]
        if let on = wanted?["on"]?.bool { #expect(state.on == on) }
        #expect(state.values[.currentRelativeHumidity] == wanted?["humidity"]?.double || wanted?["humidity"] == nil)
        #expect(state.values[Property(type)]?.number == wanted?["threshold"]?.double)
        let actions: [String: HumidifierActivity] = [
            "idle": .idle, "humidifying": .humidifying, "drying": .dehumidifying,
        ]
        #expect(state.humidifierActivity == wanted?["action"]?.string.flatMap { actions[$0] })
        for member in thing.json["commands"]?.object?.members ?? [] {
            let words = member.name.split(separator: " ").map(String.init)
            var command = LightCommand()
            switch words[0] {
            case "on": command.on = true
            case "off": command.on = false
            default:
                // Switch it on first, because the target of a device that is off is held back.
                _ = house.home.handedOver(LightCommand(on: true), to: device.id)
                command.values[Property(type)] = Double(words[1]).map { .float($0) }
            }
            let sent = try house.home.messages(for: command, to: device.id, now: .zero).map {
                [$0.topic, String(decoding: $0.payload, as: UTF8.self)]
            }
            #expect(sent == (member.value.array ?? []).map { ($0.array ?? []).compactMap(\.string) }, "\(member.name)")
        }
    }
}
