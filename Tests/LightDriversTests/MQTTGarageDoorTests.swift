import BoundedJSON
import DeviceKit
import Foundation
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A garage door on MQTT", .timeout)
struct MQTTGarageDoorTests {
    private static func door(_ more: String = "") throws -> MQTTLight {
        let json = try JSONValue(
            parsing: #"{"device_class": "garage", "command_topic": "c", "state_topic": "s"\#(more)}"#)
        return MQTTLight(try MQTTLightSettings(KeyReader(keys: json.object ?? [:]), component: "cover"))
    }

    private func command(_ target: DoorState) -> LightCommand {
        var command = LightCommand()
        command.values[.targetDoorState] = target
        return command
    }

    private func state(_ door: inout MQTTLight, _ text: String, on topic: String = "s") -> DoorState? {
        door.received(topic: topic, payload: MQTTPayload(Array(text.utf8))).first?.values[.currentDoorState]
    }

    @Test("is a garage door if its class is garage or gate, and a window covering otherwise")
    func classes() throws {
        for (name, kind) in [
            ("garage", LightKind.garageDoor), ("gate", .garageDoor), ("door", .cover), ("shutter", .cover),
            ("", .cover),
        ] {
            let keys: JSONObject = ["device_class": .string(name), "command_topic": "c"]
            #expect(try MQTTLightSettings(KeyReader(keys: keys), component: "cover").kind == kind, "\(name)")
        }
    }

    @Test("isn't closed after it has stopped halfway")
    func stopped() throws {
        var door = try Self.door()
        for (text, state) in [
            ("closed", DoorState.closed), ("opening", .opening), ("stopped", .stopped), ("closing", .closing),
            ("stopped", .stopped), ("closing", .closing), ("closed", .closed), ("open", .open),
        ] { #expect(self.state(&door, text) == state, "\(text)") }
        #expect(state(&door, "ajar") == nil)
        // If a stopped door has a position, the position determines its state.
        var exact = try Self.door(#", "position_topic": "p""#)
        #expect(state(&exact, "closing") == .closing)
        #expect(state(&exact, "0", on: "p") == .closing)
        #expect(state(&exact, "stopped") == .closed)
        #expect(state(&exact, "40", on: "p") == .open)
    }

    @Test("sends no message that would move a toggled door away from the target that it already has")
    func toggle() throws {
        var door = try Self.door(#", "payload_open": "PRESS", "payload_close": "PRESS", "payload_stop": null"#)
        let press = ["c PRESS"]
        // A press that is meant to close the door could open it.
        #expect(throws: LightError.self) { try door.messages(for: command(.closed)) }
        #expect(state(&door, "closed") == .closed)
        #expect(try MQTTLightTests.text(door.messages(for: command(.closed))).isEmpty)
        #expect(try MQTTLightTests.text(door.messages(for: command(.open))) == press)
        #expect(state(&door, "opening") == .opening)
        #expect(try MQTTLightTests.text(door.messages(for: command(.open))).isEmpty)
        #expect(try MQTTLightTests.text(door.messages(for: command(.closed))) == press)
        var plain = try Self.door()
        #expect(state(&plain, "open") == .open)
        #expect(try MQTTLightTests.text(plain.messages(for: command(.open))) == ["c OPEN"])
    }

    @Test("presses a toggled door once until it reacts")
    func secondPress() throws {
        let keys = #", "payload_open": "PRESS", "payload_close": "PRESS", "payload_stop": null"#
        let press = ["c PRESS"]
        var door = try Self.door(keys)
        #expect(state(&door, "closed") == .closed)
        #expect(try MQTTLightTests.text(door.messages(for: command(.open))) == press)
        // The door repeats its state before it moves.
        #expect(state(&door, "closed") == .closed)
        #expect(try MQTTLightTests.text(door.messages(for: command(.open))).isEmpty)
        #expect(throws: LightError.self) { try door.messages(for: command(.closed)) }
        #expect(state(&door, "opening") == .opening)
        #expect(try MQTTLightTests.text(door.messages(for: command(.closed))) == press)
        // A door that is assumed to obey has no report to wait for.
        var assumed = try Self.door(keys + #", "optimistic": true"#)
        #expect(state(&assumed, "closed") == .closed)
        #expect(try MQTTLightTests.text(assumed.messages(for: command(.open))) == press)
        _ = assumed.handedOver(command(.open))
        #expect(try MQTTLightTests.text(assumed.messages(for: command(.closed))) == press)
    }

    @Test(
        "accepts another press as soon as the last press must have been lost",
        arguments: [
            // A closed door soon reports that it isn't closed anymore.
            (["closed"], DoorState.open, 15), (["open", "closed"], .open, 15),
            // A door that reports only its ends is still open while it closes.
            (["open"], .closed, 60), (["closed", "open"], .closed, 60),
            (["opening", "open"], .closed, 15), (["closing", "stopped"], .open, 15),
        ] as [([String], DoorState, Int)])
    func lostPress(reports: [String], target: DoorState, seconds: Int) throws {
        var door = try Self.door(#", "payload_open": "PRESS", "payload_close": "PRESS", "payload_stop": null"#)
        for text in reports { _ = state(&door, text) }
        door.commandTime = .seconds(100)
        #expect(try MQTTLightTests.text(door.messages(for: command(target))) == ["c PRESS"])
        let end = Duration.seconds(100 + seconds)
        #expect(door.deadline == end)
        _ = door.timePassed(now: end - .milliseconds(1))
        #expect(try MQTTLightTests.text(door.messages(for: command(target))).isEmpty)
        _ = door.timePassed(now: end)
        if reports.last != "stopped" {
            let opposite = target == .open ? DoorState.closed : .open
            #expect(try MQTTLightTests.text(door.messages(for: command(opposite))).isEmpty, "it is still there")
        }
        #expect(try MQTTLightTests.text(door.messages(for: command(target))) == ["c PRESS"])
    }

    @Test("reports an obstruction from a separate topic, which a movement doesn't change")
    func obstruction() throws {
        var door = try Self.door(#", "obstruction_topic": "o""#)
        let report = door.received(topic: "o", payload: MQTTPayload(Array("ON".utf8))).first
        #expect(report?.values[.obstructionDetected] == true)
        let moves = door.received(topic: "s", payload: MQTTPayload(Array("closing".utf8))).first
        #expect(moves?.values[.obstructionDetected] == nil && moves?.values[.currentDoorState] == .closing)
    }

    @Test("counts a command as done if the door reports nothing")
    func optimism() throws {
        let keys: JSONObject = ["device_class": "garage", "command_topic": "c"]
        var door = MQTTLight(try MQTTLightSettings(KeyReader(keys: keys), component: "cover"))
        #expect(door.handedOver(command(.open))?.values[.currentDoorState] == .open)
        var other = try Self.door()
        #expect(other.handedOver(command(.open)) == nil)
    }

    @Test("can be configured by hand")
    func configured() throws {
        func device(_ keys: String) throws -> LightDescription {
            try JSONDecoder().decode(HandWrittenLight.self, from: Data("{\"id\": \"d\", \(keys)}".utf8)).entity
                .description
        }
        let door = try device(#""kind": "garage-door", "command_topic": "c", "obstruction_topic": "o""#)
        #expect(door.kind == .garageDoor && door.functions == [.garageDoor])
        #expect(try device(#""kind": "cover", "command_topic": "c", "payload_stop": "S""#).kind == .cover)
        for keys in [
            #""kind": "cover", "command_topic": "c", "device_class": "gate""#,
            #""kind": "garage-door", "command_topic": "c", "device_class": "blind""#,
            #""kind": "cover", "command_topic": "c", "obstruction_topic": "o""#,
        ] { #expect(throws: (any Error).self) { try device(keys) } }
    }
}
