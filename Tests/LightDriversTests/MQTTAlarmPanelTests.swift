import BoundedJSON
import DeviceKit
import Foundation
import HAPModel
import SystemKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("An alarm panel on MQTT", .timeout)
struct MQTTAlarmPanelTests {
    private static func panel(_ more: String = "") throws -> MQTTLight {
        let json = try JSONValue(parsing: #"{"command_topic": "c", "state_topic": "s"\#(more)}"#)
        return MQTTLight(
            try MQTTLightSettings(KeyReader(keys: json.object ?? [:]), component: "alarm_control_panel"))
    }

    private func command(_ target: SecurityState) -> LightCommand {
        var command = LightCommand()
        command.values[.securitySystemTargetState] = target
        return command
    }

    private func said(_ panel: inout MQTTLight, _ text: String) -> [SecurityState?] {
        let values = panel.received(topic: "s", payload: MQTTPayload(Array(text.utf8))).first?.values
        return [values?[.securitySystemTargetState], values?[.securitySystemCurrentState]]
    }

    @Test("is disarmed with the requested mode as its target during an exit delay")
    func exitDelay() throws {
        var panel = try Self.panel()
        #expect(said(&panel, "disarmed") == [nil, .disarmed])
        #expect(try MQTTLightTests.text(panel.messages(for: command(.night))) == ["c ARM_NIGHT"])
        // The panel repeats its state before it reacts.
        #expect(said(&panel, "disarmed") == [nil, .disarmed])
        #expect(said(&panel, "arming") == [.night, .disarmed])
        #expect(said(&panel, "pending") == [.night, nil])
        #expect(said(&panel, "armed_night") == [nil, .night])
        #expect(said(&panel, "pending") == [.night, nil])
        #expect(said(&panel, "triggered") == [nil, .triggered])
        #expect(said(&panel, "disarming") == [.disarmed, nil])
        #expect(said(&panel, "disarmed") == [nil, .disarmed])
        // It is armed at the panel, in a mode that isn't known yet.
        #expect(said(&panel, "arming") == [.away, .disarmed])
        for text in ["", "None", "ARMED_AWAY", "vacation"] { #expect(said(&panel, text) == [nil, nil]) }
        #expect(panel.isUnreadable(topic: "s", MQTTPayload(Array("ARMED_AWAY".utf8))))
    }

    @Test("replaces a mode that HomeKit or the panel lacks with a mode that both have")
    func modes() throws {
        var panel = try Self.panel(#", "supported_features": ["arm_home", "arm_vacation", "trigger"]"#)
        #expect(panel.settings.component?.functions == [.securitySystem([.home, .away])])
        for (text, state) in [
            ("armed_home", SecurityState.home), ("armed_vacation", .away), ("armed_custom_bypass", .away),
            ("armed_night", .away),
        ] { #expect(said(&panel, text) == [nil, state]) }
        #expect(try MQTTLightTests.text(panel.messages(for: command(.away))) == ["c ARM_VACATION"])
        #expect(throws: LightError.self) { try panel.messages(for: command(.night)) }
        for features in [#"["arm_here"]"#, "3"] {
            #expect(throws: MQTTProblem.self) { try Self.panel(#", "supported_features": \#(features)"#) }
        }
    }

    @Test("sends the code only with commands that require it, and never prints it")
    func code() throws {
        let template = #", "command_template": "{{ action }} {{ code }}""#
        var known = try Self.panel(template + #", "code": "4711", "code_arm_required": false"#)
        #expect(try MQTTLightTests.text(known.messages(for: command(.away))) == ["c ARM_AWAY None"])
        #expect(try MQTTLightTests.text(known.messages(for: command(.disarmed))) == ["c DISARM 4711"])
        #expect(!"\(known.settings)".contains("4711") && !String(reflecting: known.settings).contains("4711"))
        for name in ["REMOTE_CODE", "REMOTE_CODE_TEXT"] {
            var remote = try Self.panel(template + #", "code": "\#(name)", "code_arm_required": false"#)
            #expect(try MQTTLightTests.text(remote.messages(for: command(.home))) == ["c ARM_HOME None"])
            #expect(throws: LightError.self) { try remote.messages(for: command(.disarmed)) }
        }
    }

    @Test("sends a code from a file that only the configuration can name")
    func codeFile() throws {
        let template = #""command_template": "{{ action }} {{ code }}""#
        func decode(_ keys: String) throws -> MQTTEntity {
            let json = #"{"id": "p", "kind": "security-system", "command_topic": "c", "state_topic": "s", \#(keys)}"#
            return try JSONDecoder().decode(HandWrittenLight.self, from: Data(json.utf8)).entity
        }
        let panel = try decode(#""code_file": "/etc/lamplighter/panel.code", \#(template)"#)
        var house = MQTTHouse(MQTTDeviceRegistry(prefix: nil, lights: [panel]), kinds: [.securitySystem])
        #expect(house.home.codeFile(of: "p") == SecretFile("/etc/lamplighter/panel.code", key: "code_file", of: "code"))
        let sent = try house.home.messages(for: command(.disarmed), to: "p", code: "4711", now: .zero)
        #expect(MQTTLightTests.text(sent) == ["c DISARM 4711"])
        #expect(!String(reflecting: house.home).contains("4711"))
        for keys in [#""code_file": "panel.code""#, #""code_file": "/f", "code": "4711""#] {
            #expect(throws: (any Error).self) { try decode(keys) }
        }
        // A device that announces itself can't have the daemon send it the content of a file.
        let announced = try Self.panel(#", "code_file": "/etc/shadow", \#(template)"#)
        #expect(announced.settings.codeFile == nil)
    }

    @Test("requires its topics, and can be configured by hand with its code")
    func configured() throws {
        for keys: JSONObject in [["command_topic": "c"], ["state_topic": "s"]] {
            #expect(throws: MQTTProblem.self) {
                try MQTTLightSettings(KeyReader(keys: keys), component: "alarm_control_panel")
            }
        }
        let json = #"""
            {"id": "p", "kind": "security-system", "command_topic": "c", "state_topic": "s", "code": "4711",
            "payload_arm_home": "stay", "code_arm_required": false}
            """#
        let panel = try JSONDecoder().decode(HandWrittenLight.self, from: Data(json.utf8)).entity.description
        #expect(panel.kind == .securitySystem && panel.functions == [.securitySystem([.home, .away, .night])])
    }
}
