import BoundedJSON
import DeviceKit
import Foundation
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A lock on MQTT", .timeout)
struct MQTTLockTests {
    private static func lock(_ more: String = "") throws -> MQTTLight {
        let json = try JSONValue(parsing: #"{"command_topic": "c"\#(more)}"#)
        return MQTTLight(try MQTTLightSettings(KeyReader(keys: json.object ?? [:]), component: "lock"))
    }

    private static func command(_ target: LockState) -> LightCommand {
        var command = LightCommand()
        command.values[.lockTargetState] = target
        return command
    }

    private func said(_ lock: inout MQTTLight, _ text: String) -> PropertyValues {
        lock.received(topic: "s", payload: MQTTPayload(Array(text.utf8))).first?.values ?? PropertyValues()
    }

    private static func values(_ current: LockState? = nil, target: LockState? = nil) -> PropertyValues {
        var values = PropertyValues()
        values[.lockCurrentState] = current
        values[.lockTargetState] = target
        return values
    }

    @Test("reports lasting states and the target of a movement, and counts unknown words")
    func states() throws {
        var lock = try Self.lock(#", "state_topic": "s""#)
        for (text, values) in [
            ("LOCKED", Self.values(.secured)), ("UNLOCKED", Self.values(.unsecured)), ("OPEN", Self.values(.unsecured)),
            ("LOCKING", Self.values(target: .secured)), ("UNLOCKING", Self.values(target: .unsecured)),
            ("OPENING", Self.values(target: .unsecured)), ("JAMMED", Self.values(.jammed)),
            ("None", Self.values(.unknown)), ("", PropertyValues()), ("locked", PropertyValues()),
        ] { #expect(said(&lock, text) == values, "\(text)") }
        #expect(lock.isUnreadable(topic: "s", MQTTPayload(Array("locked".utf8))))
        #expect(!lock.isUnreadable(topic: "s", MQTTPayload(Array("JAMMED".utf8))))
    }

    @Test("counts a command as done if the lock reports nothing, or is optimistic")
    func optimism() throws {
        for keys in ["", #", "state_topic": "s", "optimistic": true"#] {
            var lock = try Self.lock(keys)
            #expect(lock.handedOver(Self.command(.secured))?.values == Self.values(.secured, target: .secured))
        }
        var lock = try Self.lock(#", "state_topic": "s""#)
        #expect(lock.handedOver(Self.command(.secured)) == nil)
    }

    @Test("sends the configured code, explains how to configure a missing code, and never prints it")
    func code() throws {
        let keys = #", "code_format": "^\\d{4}$", "command_template": "{{ value }} {{ code }}""#
        var lock = try Self.lock(keys)
        #expect(throws: LightError.self) { try lock.messages(for: Self.command(.unsecured)) }
        var known = try Self.lock(keys + #", "code": "4711""#)
        #expect(try MQTTLightTests.text(known.messages(for: Self.command(.unsecured))) == ["c UNLOCK 4711"])
        #expect(!"\(known.settings)".contains("4711") && !String(reflecting: known.settings).contains("4711"))
    }

    @Test("isn't shown without a command topic, or if it is a child lock")
    func problems() throws {
        #expect(throws: MQTTProblem.about("command_topic", "is missing")) {
            try MQTTLightSettings(KeyReader(keys: [:]), component: "lock")
        }
        for keys: JSONObject in [
            ["command_topic": "zigbee2mqtt/trv/set", "value_template": "{{ value_json.child_lock }}"],
            ["command_topic": "zigbee2mqtt/trv/set/keypad_lockout"], ["unique_id": "0x1_child_lock_zigbee2mqtt"],
        ] { #expect(try !MQTTLock.isShown(KeyReader(keys: keys), component: "lock")) }
    }

    @Test("is read from Zigbee2MQTT's list, unless it is a child lock")
    func zigbee() throws {
        func expose(_ property: String) -> String {
            #"""
            {"type": "lock", "features": [{"type": "binary", "name": "state", "property": "\#(property)", "access": 7,
            "value_on": "LOCK", "value_off": "UNLOCK", "value_toggle": "TOGGLE"}, {"type": "enum", "name": "lock_state",
            "property": "lock_state", "access": 1, "values": ["not_fully_locked", "locked", "unlocked"]}]}
            """#
        }
        func device(_ address: String, _ name: String, _ exposes: String) -> String {
            #"""
            {"ieee_address": "\#(address)", "friendly_name": "\#(name)", "type": "EndDevice",
            "definition": {"model": "X", "vendor": "Y", "exposes": [\#(exposes)]}}
            """#
        }
        var house = MQTTHouse(
            MQTTDeviceRegistry(prefix: nil, zigbee2MQTT: "zigbee2mqtt", lights: []), kinds: [.lock])
        house.receives(
            "zigbee2mqtt/bridge/devices",
            "[\(device("0x1", "Door", expose("state"))), \(device("0x2", "TRV", expose("child_lock")))]")
        let lock = try #require(house.added.first)
        #expect(house.added.count == 1 && lock.id == "0x1_lock_zigbee2mqtt" && lock.kind == .lock)
        house.receives("zigbee2mqtt/bridge/state", #"{"state": "online"}"#)
        house.receives("zigbee2mqtt/Door", #"{"state": "UNLOCK", "lock_state": "unlocked", "battery": 50}"#)
        #expect(house.states[lock.id]?.values[.lockCurrentState] == .unsecured)
        // A lock that will lock itself again isn't jammed (zigbee2mqtt #12002).
        house.receives("zigbee2mqtt/Door", #"{"state": "UNLOCK", "lock_state": "not_fully_locked"}"#)
        #expect(house.states[lock.id]?.values[.lockCurrentState] == .unsecured)
        #expect(
            try house.sends(Self.command(.secured), to: lock.id) == [#"zigbee2mqtt/Door/set {"state":"LOCK"}"#])
    }

    @Test("can be configured by hand, but only with its own keys")
    func configured() throws {
        func device(_ keys: String) throws -> MQTTEntity {
            try JSONDecoder().decode(HandWrittenLight.self, from: Data("{\"id\": \"door\", \(keys)}".utf8)).entity
        }
        let entity = try device(
            #""kind": "lock", "command_topic": "c", "state_topic": "s", "state_locked": "1", "code": "4711""#)
        #expect(entity.description.kind == .lock && entity.description.functions == [.lock])
        #expect(throws: (any Error).self) { try device(#""command_topic": "c", "state_locked": "1""#) }
    }
}
