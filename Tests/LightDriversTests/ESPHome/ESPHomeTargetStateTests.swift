import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

/// Locks and alarm panels with the fields of ESPHome's api.proto.
@Suite("ESPHome devices with a target state", .timeout)
struct ESPHomeTargetStateTests {
    typealias Message = ESPHomeFraming.Message

    private static func message(_ type: Int, _ write: (inout ProtobufWriter) -> Void) -> Message {
        var body = ProtobufWriter()
        write(&body)
        return Message(type, body.bytes)
    }

    private static func light(_ type: Int, _ write: (inout ProtobufWriter) -> Void = { _ in }) throws -> ESPHomeLight {
        let entity = try ESPHomeEntity(
            message(type) { body in
                body.write("front", field: 1)
                body.write(fixed32: 9, field: 2)
                body.write("Front", field: 3)
                write(&body)
            })
        return ESPHomeLight(try #require(entity), of: ESPHomeDeviceInfo())
    }

    private static func state(_ type: Int, _ number: UInt64) throws -> ESPHomeState? {
        try ESPHomeState(
            message(type) { body in
                body.write(fixed32: 9, field: 1)
                body.write(number, field: 2)
            })
    }

    @Test("describe an alarm panel by its features, read its states, and arm and disarm it without a code")
    func panel() throws {
        // Home, away and vacation.
        var panel = try Self.light(ESPHomeMessageType.alarmEntity) { $0.write(UInt64(1 | 2 | 32), field: 8) }
        #expect(panel.description.id == "/security-system/front")
        #expect(panel.description.functions == [.securitySystem([.home, .away])])
        panel.askedTarget = SecurityState.home.rawValue
        for (number, current, target) in [
            (0, SecurityState.disarmed, nil), (1, .home, nil), (2, .away, nil), (3, .away, nil), (4, .away, nil),
            (5, .away, nil), (6, nil, SecurityState.home), (7, .disarmed, .home), (8, nil, .disarmed),
            (9, .triggered, nil), (10, nil, nil), (.max, nil, nil),
        ] as [(UInt64, SecurityState?, SecurityState?)] {
            panel.state = try Self.state(ESPHomeMessageType.alarmState, number)
            #expect(panel.report?.values[.securitySystemCurrentState] == current, "\(number)")
            #expect(panel.report?.values[.securitySystemTargetState] == target, "\(number)")
        }
        let coded = try Self.light(ESPHomeMessageType.alarmEntity) { body in
            body.write(UInt64(2), field: 8)
            body.write(true, field: 9)
        }
        for (target, number) in [(SecurityState.away, UInt64(1)), (.home, 2), (.disarmed, 0)] {
            var command = LightCommand()
            command.values[.securitySystemTargetState] = target
            let message = Self.message(ESPHomeMessageType.alarmCommand) { body in
                body.write(fixed32: 9, field: 1)
                body.write(number, field: 2)
            }
            #expect(panel.message(for: command) == message)
            #expect(coded.message(for: command) == (target == .away ? message : nil))
        }
        var night = LightCommand()
        night.values[.securitySystemTargetState] = .night
        #expect(panel.message(for: night) == nil)
    }

    private static let panelWithThreeModes = message(ESPHomeMessageType.alarmEntity) { body in
        body.write("front", field: 1)
        body.write(fixed32: 9, field: 2)
        body.write(UInt64(1 | 2 | 4), field: 8)
    }

    @Test(
        "disarm an armed panel before arming it in another mode, as the firmware requires",
        arguments: [
            (0, nil, false), (1, nil, false), (2, nil, true), (3, nil, true), (6, SecurityState.away, true),
            (6, .home, false), (7, .home, false), (7, .away, true), (9, .home, true), (99, nil, false),
        ] as [(UInt64, SecurityState?, Bool)])
    func rearming(number: UInt64, asked: SecurityState?, disarms: Bool) throws {
        let entity = try #require(try ESPHomeEntity(Self.panelWithThreeModes))
        guard case .targetState(let panel) = entity.kind else { return #expect(Bool(false), "it is a panel") }
        let state = try Self.state(ESPHomeMessageType.alarmState, number)
        let steps = panel.steps(to: SecurityState.home.rawValue, from: state, asked: asked?.rawValue)
        #expect(steps == (disarms ? [3, 0] : [0]))
        #expect(panel.steps(to: 3, from: state, asked: nil) == [3])
    }

    @Test("send the messages that disarm and rearm a panel at once")
    func rearmingMessages() throws {
        var house = ESPHomeDevicesTests.configured()
        house.join(ESPHomeDevicesTests.den, [Self.panelWithThreeModes])
        house.receive(
            ESPHomeDevicesTests.den,
            Self.message(ESPHomeMessageType.alarmState) { body in
                body.write(fixed32: 9, field: 1)
                body.write(UInt64(3), field: 2)
            })
        var command = LightCommand()
        command.values[.securitySystemTargetState] = .home
        let messages = [UInt64(0), 2].map { number in
            Self.message(ESPHomeMessageType.alarmCommand) { body in
                body.write(fixed32: 9, field: 1)
                body.write(number, field: 2)
            }
        }
        let sent = try house.order("AABBCCDDEEFF/security-system/front", command)
        #expect(sent?.bytes == messages.flatMap(ESPHomeDevicesTests.frame))
    }

    @Test("report the new target of a panel that is armed by hand in a mode other than the requested mode")
    func armedByHand() throws {
        let (den, panel) = (ESPHomeDevicesTests.den, LightID("AABBCCDDEEFF/security-system/front"))
        var house = ESPHomeDevicesTests.configured()
        house.join(den, [Self.panelWithThreeModes])
        func target(_ number: UInt64) -> SecurityState? {
            let actions = house.receive(
                den,
                Self.message(ESPHomeMessageType.alarmState) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(number, field: 2)
                })
            return actions.compactMap { action in
                if case .report(panel, let report) = action { report.values[.securitySystemTargetState] } else { nil }
            }.last
        }
        #expect(target(0) == nil)
        var command = LightCommand()
        command.values[.securitySystemTargetState] = .home
        _ = try house.order(panel, command)
        // The panel is arming, armed, disarmed by hand, armed by hand, and in its entry delay.
        #expect(target(7) == .home)
        _ = target(1)
        _ = target(0)
        #expect(target(7) == .away)
        _ = target(3)
        #expect(target(6) == .night)
    }

    @Test("describe a lock, read its states and lock and unlock it")
    func lock() throws {
        var lock = try Self.light(ESPHomeMessageType.lockEntity)
        #expect(lock.description.id == "/lock/front" && lock.description.functions == [.lock])
        for (number, current, target) in [
            (0, LockState.unknown, nil), (1, .secured, nil), (2, .unsecured, nil), (3, .jammed, nil),
            (4, nil, LockState.secured), (5, nil, .unsecured), (6, nil, .unsecured), (7, .unsecured, nil),
            (99, nil, nil),
        ] as [(UInt64, LockState?, LockState?)] {
            lock.state = try Self.state(ESPHomeMessageType.lockState, number)
            #expect(lock.report?.values[.lockCurrentState] == current, "\(number)")
            #expect(lock.report?.values[.lockTargetState] == target, "\(number)")
        }
        for (target, number) in [(LockState.secured, UInt64(1)), (.unsecured, 0)] {
            var command = LightCommand()
            command.values[.lockTargetState] = target
            #expect(
                lock.message(for: command)
                    == Self.message(ESPHomeMessageType.lockCommand) { body in
                        body.write(fixed32: 9, field: 1)
                        body.write(number, field: 2)
                    })
            let coded = try Self.light(ESPHomeMessageType.lockEntity) { $0.write(true, field: 10) }
            #expect(coded.message(for: command) == nil)
        }
    }
}
