import BoundedJSON
import DeviceKit
import Testing

@testable import LightDrivers

@Suite("A cover on MQTT")
struct MQTTCoverTests {
    private static func settings(_ more: String = "") throws -> MQTTLightSettings {
        let json = try JSONValue(
            parsing: """
                {"command_topic": "c", "set_position_topic": "c/position", "position_topic": "s/position"\(more)}
                """)
        return try MQTTLightSettings(KeyReader(keys: json.object ?? [:]), component: "cover")
    }

    private static func cover(_ more: String = "") throws -> MQTTLight { MQTTLight(try settings(more)) }

    private func sent(_ cover: inout MQTTLight, _ percent: Int) throws -> [String] {
        try cover.messages(for: command(percent)).map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
    }

    private func command(_ percent: Int) -> LightCommand {
        var command = LightCommand()
        command.targetPosition = percent
        return command
    }

    private func said(
        _ cover: inout MQTTLight, _ text: String, on topic: String = "s/position", at now: Duration = .zero
    ) -> LightReport? { cover.received(topic: topic, payload: MQTTPayload(Array(text.utf8)), now: now).first }

    private func report(_ position: Int? = nil, _ motion: CoverMotion? = nil) -> LightReport {
        var report = LightReport()
        report.position = position
        report.motion = motion
        return report
    }

    @Test(
        "converts positions to the cover's numbers and back",
        arguments: [
            ("", 40, "40"), (#", "position_open": 255"#, 40, "102"),
            (#", "position_open": 0, "position_closed": 100"#, 40, "60"),
            (#", "position_open": 10, "position_closed": -10"#, 75, "5"),
        ])
    func positions(keys: String, percent: Int, number: String) throws {
        var cover = try Self.cover(keys)
        #expect(try sent(&cover, percent) == ["c/position \(number)"])
        #expect(said(&cover, number)?.position == percent)
        var other = try Self.cover(keys)
        #expect(said(&other, number)?.position == percent)
    }

    @Test("reports a requested position as requested, however the cover rounds it")
    func rounding() throws {
        var cover = try Self.cover(#", "position_open": 10"#)
        #expect(try sent(&cover, 44) == ["c/position 4"])
        #expect(said(&cover, "4") == report(44, .stopped))
        #expect(said(&cover, "4") == report(44, .stopped))
        #expect(said(&cover, "5") == report(50, .stopped))
    }

    @Test("derives the motion of a cover that reports only its position")
    func derivedMotion() throws {
        var cover = try Self.cover()
        #expect(said(&cover, "0") == report(0, .stopped))
        #expect(try sent(&cover, 50) == ["c/position 50"])
        for (text, expected) in [
            ("0", report(0, .opening)), ("20", report(20, .opening)), ("50", report(50, .stopped)),
            // The cover is then moved by hand, first in the opposite direction.
            ("40", report(40, .stopped)), ("45", report(45, .stopped)),
        ] { #expect(said(&cover, text) == expected) }
    }

    @Test("considers a cover stopped after a minute without messages")
    func stopped() throws {
        var cover = try Self.cover()
        _ = said(&cover, "100")
        _ = try sent(&cover, 0)
        #expect(said(&cover, "70", at: .seconds(5)) == report(70, .closing))
        #expect(cover.deadline == .seconds(65))
        #expect(cover.timePassed(now: .seconds(64)) == [])
        #expect(cover.timePassed(now: .seconds(65)) == [report(nil, .stopped)])
        #expect(cover.deadline == nil)
        #expect(said(&cover, "60", at: .seconds(70)) == report(60, .stopped))
    }

    @Test("reads the motion that a cover reports")
    func toldMotion() throws {
        var cover = try Self.cover(#", "state_topic": "s", "state_opening": "UP""#)
        #expect(cover.settings.topics == ["s", "s/position"])
        #expect(said(&cover, "30") == report(30))
        for (text, motion) in [("UP", CoverMotion.opening), ("closing", .closing), ("closed", .stopped)] {
            #expect(said(&cover, text, on: "s") == report(nil, motion))
        }
        #expect(said(&cover, "opening", on: "s") == nil)
        _ = said(&cover, "UP", on: "s")
        #expect(said(&cover, "40") == report(40, .opening))
    }

    @Test("reads positions in objects and templates, and ignores and counts invalid ones")
    func payloads() throws {
        var cover = try Self.cover()
        #expect(said(&cover, #"{"position": 30, "tilt": 2}"#)?.position == 30)
        #expect(said(&cover, "130")?.position == 100)
        for text in ["high", "[]", #"{"tilt": 2}"#, "1e400", "-9223372036854775808e3"] {
            #expect(said(&cover, text) == nil)
            #expect(cover.isUnreadable(topic: "s/position", MQTTPayload(Array(text.utf8))))
        }
        var other = try Self.cover(
            #", "position_template": "{{ value_json.p }}", "set_position_template": "{{ position }} {{ value }}""#
                + #", "position_open": 200"#)
        #expect(said(&other, #"{"p": 50}"#)?.position == 25)
        #expect(try sent(&other, 10) == ["c/position 10 20"])
    }

    @Test("reports the target of an optimistic cover as its position")
    func optimistic() throws {
        var cover = try Self.cover(#", "optimistic": true"#)
        #expect(cover.handedOver(command(40)) == report(40))
        var other = try Self.cover()
        #expect(other.handedOver(command(40)) == nil)
    }

    @Test("rejects covers whose position can't be set, and hides doors, gates and windows")
    func refused() throws {
        for keys in [
            #"{"command_topic": "c"}"#, #"{"set_position_topic": "p"}"#,
            #"{"set_position_topic": "p", "position_topic": "s", "position_open": 0}"#,
            #"{"set_position_topic": "p", "position_topic": "s", "position_template": "{{ broken"}"#,
        ] {
            let reader = KeyReader(keys: try JSONValue(parsing: keys).object ?? [:])
            #expect(throws: MQTTProblem.self) { try MQTTLightSettings(reader, component: "cover") }
        }
        for (name, isHidden) in [("garage", true), ("gate", true), ("door", true), ("blind", false)] {
            #expect(try MQTTEntity.isHidden(["device_class": .string(name)], component: "cover") == isHidden)
        }
    }

    // MARK: Zigbee2MQTT

    private static func house(_ motor: String = "") -> MQTTHouse {
        var house = MQTTHouse(MQTTDeviceRegistry(prefix: nil, zigbee2MQTT: "z", lights: []), kinds: [.cover])
        house.receives(
            "z/bridge/devices",
            #"[{"ieee_address":"0x1","type":"Router","friendly_name":"den","definition":{"vendor":"V","model":"M","#
                + #""exposes":[{"type":"cover","features":[{"type":"enum","name":"state","property":"state","access":3},"#
                + #"{"type":"numeric","name":"position","property":"position","access":7}]}\#(motor)]}}]"#)
        house.receives("z/bridge/state", #"{"state":"online"}"#)
        return house
    }

    @Test("shows a cover of Zigbee2MQTT's device list under the id of its announcement")
    func zigbee() throws {
        var house = Self.house()
        #expect(house.actions.contains { if case .added(let one) = $0 { one.kind == .cover } else { false } })
        #expect(house.actions.contains(.publish(MQTTMessage(topic: "z/den/get", text: #"{"position":""}"#))))
        let id: LightID = "0x1_cover_zigbee2mqtt"
        house.receives("z/den", #"{"position":30,"state":"OPEN"}"#)
        #expect(house.actions.contains(.report(id, report(30, .stopped))))
        let messages = try house.home.messages(for: command(60), to: id, now: .zero)
        #expect(messages == [MQTTMessage(topic: "z/den/set", text: #"{"position":60}"#)])
        var moving = Self.house(
            #",{"type":"enum","name":"moving","property":"moving","access":1,"values":["UP","STOP","DOWN"]}"#)
        moving.receives("z/den", #"{"position":30,"moving":"DOWN"}"#)
        #expect(moving.actions.contains(.report(id, report(30, .closing))))
    }
}
