import BoundedJSON
import DeviceKit
import HAPModel
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

    private func sent(_ cover: inout MQTTLight, _ command: LightCommand) throws -> [String] {
        try cover.messages(for: command).map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
    }

    private func command(_ percent: Int? = nil, tilt: Int? = nil) -> LightCommand {
        var command = LightCommand()
        command.targetPosition = percent
        command.targetTilt = tilt
        return command
    }

    private static let stop: LightCommand = {
        var command = LightCommand()
        command.values[Property(.holdPosition)] = .bool(true)
        return command
    }()

    /// A cover without a position.
    private static func plain(_ keys: String) throws -> MQTTLight {
        let json = try JSONValue(parsing: "{\(keys)}")
        return MQTTLight(try MQTTLightSettings(KeyReader(keys: json.object ?? [:]), component: "cover"))
    }

    private func said(
        _ cover: inout MQTTLight, _ text: String, on topic: String = "s/position", at now: Duration = .zero
    ) -> LightReport? { cover.received(topic: topic, payload: MQTTPayload(Array(text.utf8)), now: now).first }

    private func report(_ position: Int? = nil, tilt: Int? = nil, _ motion: CoverMotion? = nil) -> LightReport {
        var report = LightReport()
        report.position = position
        report.tilt = tilt
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

    @Test("reports a requested position unchanged even if the cover rounds it")
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
        #expect(said(&cover, "30") == report(30, .stopped))
        for (text, motion) in [("UP", CoverMotion.opening), ("closing", .closing), ("closed", .stopped)] {
            #expect(said(&cover, text, on: "s") == report(nil, motion))
        }
        #expect(said(&cover, "opening", on: "s") == nil)
        _ = said(&cover, "UP", on: "s")
        #expect(said(&cover, "40") == report(40, .opening))
        // The end of the movement arrives before the position.
        #expect(said(&cover, "open", on: "s") == report(nil, .stopped))
        #expect(said(&cover, "55") == report(55, .stopped))
    }

    @Test("derives the motion if the state is only open or closed, as in Zigbee2MQTT's announcements")
    func openWhileMoving() throws {
        var cover = try Self.cover(
            #", "state_topic": "s", "state_open": "OPEN", "state_closed": "CLOSE", "state_stopped": "STOP""#)
        _ = said(&cover, "0")
        _ = try sent(&cover, 80)
        for text in ["OPEN", "20", "OPEN", "STOP", "60"] {
            let position = Int(text)
            let said = said(&cover, text, on: position == nil ? "s" : "s/position")
            #expect(said == position.map { report($0, .opening) })
        }
        #expect(said(&cover, "80") == report(80, .stopped))
    }

    @Test("ignores a target that a cover repeats before it moves (homebridge-z2m, cover.ts)")
    func repeatedTarget() throws {
        var cover = try Self.cover()
        _ = said(&cover, "0")
        _ = try sent(&cover, 50)
        #expect(said(&cover, "50", at: .seconds(1)) == report(nil, .opening))
        #expect(said(&cover, "10", at: .seconds(2)) == report(10, .opening))
        #expect(said(&cover, "50", at: .seconds(9)) == report(50, .stopped))
        // A cover that reports only its arrival.
        _ = try sent(&cover, 20)
        #expect(said(&cover, "20", at: .seconds(20)) == report(nil, .closing))
        #expect(cover.timePassed(now: .seconds(23)) == [report(20, .stopped)] && cover.deadline == nil)
        #expect(said(&cover, "20", at: .seconds(30)) == report(20, .stopped))
    }

    @Test("stops a cover that has a payload for it", arguments: [("", "STOP"), (#", "payload_stop": "HALT""#, "HALT")])
    func stops(keys: String, payload: String) throws {
        var cover = try Self.cover(keys)
        #expect(cover.settings.component?.capabilities.stop == true)
        #expect(try sent(&cover, Self.stop) == ["c \(payload)"])
        _ = said(&cover, "0")
        _ = try sent(&cover, 90)
        #expect(said(&cover, "30") == report(30, .opening))
        _ = try sent(&cover, Self.stop)
        #expect(said(&cover, "35") == report(35, .stopped))
        var other = try Self.cover(#", "payload_stop": null"#)
        #expect(other.settings.component?.capabilities.stop == false)
        #expect(throws: LightError.self) { try other.messages(for: Self.stop) }
    }

    @Test(
        "converts angles to the slats' numbers and back",
        arguments: [
            ("", -90, "0"), ("", 0, "50"), ("", 90, "100"), (#", "tilt_min": 10, "tilt_max": 20"#, 0, "15"),
            (#", "tilt_min": 180, "tilt_max": 0"#, 45, "45"),
        ])
    func tilt(keys: String, angle: Int, number: String) throws {
        var cover = try Self.cover(#", "tilt_command_topic": "t", "tilt_status_topic": "s/tilt"\#(keys)"#)
        #expect(try sent(&cover, command(tilt: angle)) == ["t \(number)"])
        #expect(said(&cover, number, on: "s/tilt") == report(tilt: angle))
        #expect(cover.isUnreadable(topic: "s/tilt", MQTTPayload(Array("up".utf8))))
        var both = try Self.cover(keys + #", "tilt_command_topic": "t""#)
        #expect(try sent(&both, command(40, tilt: angle)) == ["c/position 40", "t \(number)"])
        // Without a status, the command counts as the angle.
        #expect(both.handedOver(command(40, tilt: angle)) == report(tilt: angle))
    }

    @Test("reads the slats' angle from a position object, and fills in the variables of a template")
    func tiltObject() throws {
        var cover = try Self.cover(
            #", "tilt_command_topic": "t", "tilt_max": 10, "tilt_command_template": "{{ tilt_position }}:{{ value }}:{{ tilt_max }}""#
        )
        #expect(said(&cover, #"{"position": 30, "tilt_position": 5}"#) == report(30, tilt: 0, .stopped))
        #expect(said(&cover, #"{"position": 30, "tilt_position": null}"#) == report(30, .stopped))
        #expect(try sent(&cover, command(tilt: -45)) == ["t 25:3:10"])
        var plain = try Self.cover()
        #expect(said(&plain, #"{"position": 30, "tilt_position": 5}"#) == report(30, .stopped))
    }

    @Test("opens, closes and stops a cover without a position as Home Assistant's bridge does")
    func openOrClose() throws {
        let states = #""state_topic": "s""#
        var cover = try Self.plain(#""command_topic": "c", \#(states)"#)
        let commands: [(percent: Int, payload: String, target: Int?)] = [
            (100, "OPEN", 100), (50, "STOP", nil), (10, "CLOSE", 0),
        ]
        for (percent, payload, target) in commands {
            #expect(try sent(&cover, percent) == ["c \(payload)"])
            #expect(cover.handedOver(command(percent))?.targetPosition == target)
        }
        for (text, expected) in [
            ("open", report(100, .stopped)), ("closing", report(nil, .closing)), ("stopped", report(0, .stopped)),
            ("opening", report(nil, .opening)), ("stopped", report(100, .stopped)), ("closed", report(0, .stopped)),
            ("stopped", report(0, .stopped)),
        ] { #expect(said(&cover, text, on: "s") == expected) }
        #expect(said(&cover, "ajar", on: "s") == nil)
        var blind = try Self.plain(#""command_topic": "c", "payload_stop": null"#)
        #expect(try sent(&blind, 60) == ["c OPEN"] && blind.handedOver(command(60)) == report(100))
        #expect(try sent(&blind, 40) == ["c CLOSE"] && blind.handedOver(command(40)) == report(0))
        var lift = try Self.plain(#""command_topic": "c", "payload_close": null, \#(states)"#)
        #expect(throws: LightError.self) { try lift.messages(for: command(0)) }
        #expect(throws: LightError.self) { try lift.messages(for: command(tilt: 0)) }
    }

    @Test("follows the position of a cover that can only be opened and closed")
    func positionOnly() throws {
        var cover = try Self.plain(#""command_topic": "c", "position_topic": "s/position""#)
        _ = said(&cover, "0")
        #expect(try sent(&cover, 90) == ["c OPEN"])
        #expect(said(&cover, "30") == report(30, .opening))
        #expect(said(&cover, "100") == report(100, .stopped))
    }

    @Test("limits the position of a cover that only tilts to 0")
    func tiltOnly() throws {
        var cover = try Self.plain(#""tilt_command_topic": "t", "tilt_status_topic": "s/tilt""#)
        let function = try #require(cover.settings.component?.functions.first)
        #expect(function.metadata(of: .targetPosition)?.maximum == 0 && function.has(.targetHorizontalTiltAngle))
        #expect(try sent(&cover, command(tilt: 0)) == ["t 50"])
        #expect(throws: LightError.self) { try cover.messages(for: command(0)) }
        #expect(said(&cover, "100", on: "s/tilt") == report(tilt: 90))
    }

    @Test(
        "shows windows and doors with a position as windows and doors",
        arguments: [
            ("window", ServiceType.window), ("door", .door), ("shutter", .windowCovering), ("boat", .windowCovering),
        ])
    func service(name: String, type: ServiceType) throws {
        let key = #""device_class": "\#(name)""#
        #expect(try Self.cover(", \(key)").settings.component?.functions.first?.type == type)
        let plain = try Self.plain(#""command_topic": "c", \#(key)"#)
        #expect(plain.settings.component?.functions.first?.type == .windowCovering)
    }

    @Test("understands the short keys of an announcement")
    func shortKeys() {
        var house = MQTTHouse(kinds: [.cover])
        house.receives(
            "homeassistant/cover/den/config",
            #"{"uniq_id":"den","name":"Den","cmd_t":"c","pos_t":"p","set_pos_t":"p/set","pos_open":200,"pl_stop":"S","#
                + #""tilt_cmd_t":"t","tilt_status_t":"ts"}"#)
        house.receives("p", "50")
        #expect(house.added.first?.capabilities == .cover(tilt: true, stop: true))
        #expect(house.states["den"]?.position == 25)
    }

    @Test("shows a configured cover")
    func handWritten() throws {
        func configuration(_ keys: String) throws -> MQTTDriverConfiguration {
            let json = #"{"url": "mqtt://h", "lights": [{"id": "den", \#(keys)}]}"#
            return try JSONValue(parsing: json).decoded(as: MQTTDriverConfiguration.self)
        }
        let entity = try #require(
            try configuration(#""kind": "cover", "command_topic": "c", "state_topic": "s", "tilt_command_topic": "t""#)
                .lights.first)
        #expect(entity.description.kind == .cover && entity.description.capabilities == .cover(tilt: true, stop: true))
        for (keys, problem) in [
            (#""command_topic": "c", "tilt_max": 9"#, "only for kind: cover, but the kind is light"),
            (#""kind": "cover", "command_topic": "c", "device_class": "garage""#, "device_class doesn't fit a cover"),
            (#""kind": "cover""#, "command_topic is missing, and so are set_position_topic and tilt_command_topic"),
        ] {
            let error = #expect(throws: ConfigurationProblem.self) { try configuration(keys) }
            #expect(error?.problem == problem)
        }
    }

    @Test("reads positions in objects and templates, and ignores and counts invalid positions")
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

    @Test("rejects covers that can't be moved")
    func refused() throws {
        for keys in [
            #"{"state_topic": "s"}"#, #"{"set_position_topic": "p"}"#,
            #"{"command_topic": "c", "payload_open": null, "payload_close": null}"#,
            #"{"tilt_command_topic": "t", "tilt_max": 0}"#,
            #"{"set_position_topic": "p", "position_topic": "s", "position_open": 0}"#,
            #"{"set_position_topic": "p", "position_topic": "s", "position_template": "{{ broken"}"#,
        ] {
            let reader = KeyReader(keys: try JSONValue(parsing: keys).object ?? [:])
            #expect(throws: MQTTProblem.self) { try MQTTLightSettings(reader, component: "cover") }
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
        #expect(try house.sends(Self.stop, to: id) == [#"z/den/set {"state":"STOP"}"#])
        // Some devices report their state inverted.
        house.receives("z/den", #"{"position":0,"state":"OPEN"}"#)
        #expect(house.states[id]?.position == 0 && house.states[id]?.motion == .stopped)
    }

    @Test("shows covers of Zigbee2MQTT with slats, or without a position")
    func zigbeeFeatures() throws {
        func house(_ features: String) -> MQTTHouse {
            var house = MQTTHouse(MQTTDeviceRegistry(prefix: nil, zigbee2MQTT: "z", lights: []), kinds: [.cover])
            house.receives(
                "z/bridge/devices",
                #"[{"ieee_address":"0x1","type":"Router","friendly_name":"den","definition":{"model":"M","exposes":["#
                    + #"{"type":"cover","features":[\#(features)]}]}}]"#)
            house.receives("z/bridge/state", #"{"state":"online"}"#)
            return house
        }
        let id: LightID = "0x1_cover_zigbee2mqtt"
        let state = #"{"type":"enum","name":"state","property":"state","access":3,"values":["OPEN","CLOSE","STOP"]}"#
        let tilt = #"{"type":"numeric","name":"tilt","property":"tilt","access":7}"#
        var plain = house(state)
        #expect(plain.added.first?.capabilities == .cover(stop: true))
        plain.receives("z/den", #"{"state":"CLOSE"}"#)
        #expect(plain.states[id]?.position == 0)
        #expect(try plain.sends(command(100), to: id) == [#"z/den/set {"state":"OPEN"}"#])
        var slats = house(tilt)
        #expect(slats.added.first?.functions.first?.metadata(of: .targetPosition)?.maximum == 0)
        slats.receives("z/den", #"{"tilt":100}"#)
        #expect(slats.states[id]?.tilt == 90)
        #expect(try slats.sends(command(tilt: 0), to: id) == [#"z/den/set {"tilt":50}"#])
        #expect(house(#"{"type":"numeric","name":"position","property":"position","access":1}"#).added.isEmpty)
    }
}
