import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

/// Covers with the fields of ESPHome's api.proto.
@Suite("ESPHome covers", .timeout)
struct ESPHomeCoverTests {
    typealias Message = ESPHomeFraming.Message

    private static func message(_ type: Int, _ write: (inout ProtobufWriter) -> Void) -> Message {
        var body = ProtobufWriter()
        write(&body)
        return Message(type, body.bytes)
    }

    private static func entity(
        position: Bool = true, tilt: Bool = false, stop: Bool = true, _ deviceClass: String = ""
    ) throws -> ESPHomeEntity? {
        try ESPHomeEntity(
            message(ESPHomeMessageType.coverEntity) { body in
                body.write("blind", field: 1)
                body.write(fixed32: 9, field: 2)
                body.write("Blind", field: 3)
                if position { body.write(true, field: 6) }
                if tilt { body.write(true, field: 7) }
                body.write(deviceClass, field: 8)
                if stop { body.write(true, field: 12) }
            })
    }

    private static func cover(
        position: Bool = true, tilt: Bool = false, stop: Bool = true, _ deviceClass: String = ""
    ) throws -> ESPHomeLight {
        let entity = try entity(position: position, tilt: tilt, stop: stop, deviceClass)
        return ESPHomeLight(try #require(entity), of: ESPHomeDeviceInfo())
    }

    private static func state(_ position: Float, tilt: Float = 0, operation: UInt64 = 0) throws -> ESPHomeState? {
        try ESPHomeState(
            message(ESPHomeMessageType.coverState) { body in
                body.write(fixed32: 9, field: 1)
                body.write(position, field: 3)
                body.write(tilt, field: 4)
                body.write(operation, field: 5)
            })
    }

    private static func report(
        _ position: Int?, tilt: Int? = nil, _ motion: CoverMotion?
    ) -> LightReport {
        var report = LightReport(reachable: true)
        report.position = position
        report.tilt = tilt
        report.motion = motion
        return report
    }

    private func command(_ percent: Int? = nil, tilt: Int? = nil, stops: Bool = false) -> LightCommand {
        var command = LightCommand()
        command.targetPosition = percent
        command.targetTilt = tilt
        if stops { command.values[Property(.holdPosition)] = .bool(true) }
        return command
    }

    @Test("describes a cover by its class and its features")
    func description() throws {
        for (deviceClass, service) in [
            ("", ServiceType.windowCovering), ("shutter", .windowCovering), ("window", .window), ("door", .door),
        ] {
            let cover = try Self.cover(deviceClass).description
            #expect(cover.kind == .cover && cover.id == "/cover/blind")
            #expect(cover.functions == [.cover(service, stops: true)])
        }
        #expect(try Self.cover(position: false, "window").description.functions.first?.type == .windowCovering)
        #expect(try Self.cover(tilt: true, stop: false).description.capabilities == .cover(tilt: true))
    }

    @Test("shows covers of class garage or gate as garage doors, and opens and closes them")
    func doors() throws {
        for deviceClass in ["garage", "gate"] {
            var door = try Self.cover(deviceClass)
            #expect(door.description.kind == .garageDoor && door.description.functions == [.garageDoor])
            #expect(door.description.id == "/garage-door/blind")
            for (position, operation, state) in [
                (0, 0, DoorState.closed), (0.4, 1, .opening), (0.4, 2, .closing), (0.4, 0, .open), (1, 0, .open),
            ] as [(Float, UInt64, DoorState)] {
                door.state = try Self.state(position, operation: operation)
                #expect(door.report?.values[.currentDoorState] == state && door.report?.position == nil)
            }
            door.state = try Self.state(7)
            #expect(door.report?.values.isEmpty == true)
            for (target, position) in [(DoorState.open, Float(1)), (.closed, 0)] {
                var command = LightCommand()
                command.values[.targetDoorState] = target
                let message = Self.message(ESPHomeMessageType.coverCommand) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(true, field: 4)
                    body.write(position, field: 5)
                }
                #expect(door.message(for: command) == message)
            }
        }
    }

    @Test("reads positions, angles and movements, and ignores values out of range")
    func states() throws {
        var cover = try Self.cover(tilt: true)
        for (state, report) in [
            (try Self.state(0.4, tilt: 0.25, operation: 1), Self.report(40, tilt: -45, .opening)),
            (try Self.state(1, tilt: 1, operation: 2), Self.report(100, tilt: 90, .closing)),
            (try Self.state(0, operation: 9), Self.report(0, tilt: -90, .stopped)),
            (try Self.state(7), Self.report(nil, nil)), (try Self.state(.nan), Self.report(nil, nil)),
        ] {
            cover.state = state
            #expect(cover.report == report)
        }
        var plain = try Self.cover(position: false)
        plain.state = try Self.state(0.3)
        #expect(plain.report == Self.report(100, .stopped))
    }

    @Test("sends a position, an angle or a stop, and opens or closes a cover without a position")
    func commands() throws {
        func expected(_ write: (inout ProtobufWriter) -> Void) -> Message {
            Self.message(ESPHomeMessageType.coverCommand) { body in
                body.write(fixed32: 9, field: 1)
                write(&body)
            }
        }
        func move(_ position: Float, _ body: inout ProtobufWriter) {
            body.write(true, field: 4)
            body.write(position, field: 5)
        }
        let cover = try Self.cover(tilt: true)
        #expect(
            cover.message(for: command(40, tilt: 0))
                == expected { body in
                    move(0.4, &body)
                    body.write(true, field: 6)
                    body.write(Float(0.5), field: 7)
                })
        let stop = expected { $0.write(true, field: 8) }
        #expect(cover.message(for: command(stops: true)) == stop)
        let plain = try Self.cover(position: false)
        #expect(plain.message(for: command(80)) == expected { move(1, &$0) })
        #expect(plain.message(for: command(50)) == stop)
        #expect(plain.message(for: command(20)) == expected { move(0, &$0) })
        let simple = try Self.cover(position: false, stop: false)
        #expect(simple.message(for: command(50)) == expected { move(1, &$0) })
        for command in [command(stops: true), command(tilt: 5)] { #expect(simple.message(for: command) == nil) }
    }
}
