import BoundedJSON
import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

extension AnnouncedThing {
    fileprivate static let locks = all.filter { $0.kind == "lock" }
    fileprivate static let doors = all.filter { $0.kind == "garage-door" }
    fileprivate static let panels = all.filter { $0.kind == "security-system" }

    /// Adds the device, and receives the fixture's messages.
    fileprivate func house(_ kind: LightKind) throws -> (house: MQTTHouse, device: LightDescription) {
        var house = announced(kinds: [kind])
        let device = try #require(house.added.first, "\(house.warnings)")
        notified(&house)
        return (house, device)
    }

    /// The commands of the fixture with the messages that Home Assistant sends.
    fileprivate var commands: [(name: String, messages: [[String]])] {
        (json["commands"]?.object?.members ?? []).map { member in
            (member.name, (member.value.array ?? []).map { ($0.array ?? []).compactMap(\.string) })
        }
    }
}

extension MQTTHouse {
    fileprivate mutating func sent(_ command: LightCommand, to device: LightDescription) throws -> [[String]] {
        try home.messages(for: command, to: device.id, now: .zero).map {
            [$0.topic, String(decoding: $0.payload, as: UTF8.self)]
        }
    }
}

@Suite("The reader of announced locks, garage doors and alarm panels", .timeout)
struct AnnouncedTargetStatesTests {
    @Test("finds the fixtures") func found() {
        #expect(AnnouncedThing.locks.count >= 10 && AnnouncedThing.doors.count >= 6)
        #expect(AnnouncedThing.panels.count >= 8)
    }

    private static let modes: [String: SecurityState] = [
        "home": .home, "away": .away, "night": .night, "vacation": .away, "disarmed": .disarmed,
    ]

    @Test(
        "adds an alarm panel with its modes, reads its messages and sends its commands as Home Assistant does",
        arguments: AnnouncedThing.panels)
    func panels(_ thing: AnnouncedThing) throws {
        var (house, panel) = try thing.house(.securitySystem)
        let modes = (thing.expected["modes"]?.array ?? []).compactMap { $0.string.flatMap { Self.modes[$0] } }
        #expect(panel.kind == .securitySystem && panel.functions == [.securitySystem(Set(modes))])
        let state = house.states[panel.id]?.values ?? PropertyValues()
        switch thing.expected["state"]?["alarm"]?.string ?? "" {
        case "arming":
            #expect(state[.securitySystemCurrentState] == .disarmed && state[.securitySystemTargetState] == .away)
        case "pending": #expect(state[.securitySystemCurrentState] == nil)
        case "triggered": #expect(state[.securitySystemCurrentState] == .triggered)
        case let word:
            let mode = word.split(separator: "_").last.flatMap { Self.modes[String($0)] }
            #expect(mode != nil && state[.securitySystemCurrentState] == mode)
        }
        for (name, messages) in thing.commands {
            let word = name.split(separator: " ")[0]
            var command = LightCommand()
            command.values[.securitySystemTargetState] =
                word == "disarm" ? .disarmed : word.split(separator: "_").last.flatMap { Self.modes[String($0)] }
            #expect(try house.sent(command, to: panel) == messages, "\(name)")
        }
    }

    @Test(
        "adds a garage door, reads its messages and sends its commands as Home Assistant does",
        arguments: AnnouncedThing.doors)
    func doors(_ thing: AnnouncedThing) throws {
        var (house, door) = try thing.house(.garageDoor)
        #expect(door.kind == .garageDoor && door.functions == [.garageDoor])
        let states: [String: DoorState] = ["open": .open, "closed": .closed, "opening": .opening, "closing": .closing]
        let state = house.states[door.id]?.values[.currentDoorState]
        #expect(state == thing.expected["state"]?["door"]?.string.flatMap { states[$0] })
        for (name, messages) in thing.commands {
            var command = LightCommand()
            command.values[.targetDoorState] = ["open", "position 100"].contains(name) ? .open : .closed
            #expect(try house.sent(command, to: door) == messages, "\(name)")
        }
    }

    @Test(
        "adds a lock, reads its messages and sends its commands as Home Assistant does",
        arguments: AnnouncedThing.locks)
    func locks(_ thing: AnnouncedThing) throws {
        var (house, lock) = try thing.house(.lock)
        #expect(lock.kind == .lock && lock.functions == [.lock])
        let state = house.states[lock.id] ?? LightReport()
        let states: [String: LockState] = [
            "locked": .secured, "unlocked": .unsecured, "open": .unsecured, "jammed": .jammed, "unknown": .unknown,
        ]
        if let word = thing.expected["state"]?["lock"]?.string {
            if word == "locking" {
                #expect(state.values[.lockTargetState] == .secured)
            } else {
                #expect(state.values[.lockCurrentState] == states[word])
            }
        }
        for (name, messages) in thing.commands {
            var command = LightCommand()
            command.values[.lockTargetState] = name == "lock" ? .secured : .unsecured
            #expect(try house.sent(command, to: lock) == messages, "\(name)")
        }
    }
}
