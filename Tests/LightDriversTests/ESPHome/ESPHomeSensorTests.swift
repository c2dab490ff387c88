import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A session with ESPHome fans and sensors", .timeout)
struct ESPHomeSensorTests {
    typealias Message = ESPHomeFraming.Message

    private static func message(_ type: Int, _ write: (inout ProtobufWriter) -> Void) -> Message {
        var body = ProtobufWriter()
        write(&body)
        return Message(type, body.bytes)
    }

    private static func number(
        _ key: UInt32, _ name: String, _ deviceClass: String, _ unit: String = "", category: UInt64 = 0
    )
        -> Message
    {
        message(ESPHomeMessageType.sensorEntity) { body in
            body.write(fixed32: key, field: 2)
            body.write(name, field: 3)
            body.write(unit, field: 6)
            body.write(deviceClass, field: 9)
            body.write(category, field: 13)
        }
    }

    private static func binary(_ key: UInt32, _ name: String, _ deviceClass: String) -> Message {
        message(ESPHomeMessageType.binarySensorEntity) { body in
            body.write(fixed32: key, field: 2)
            body.write(name, field: 3)
            body.write(deviceClass, field: 5)
        }
    }

    private static func state(_ type: Int, _ key: UInt32, _ write: (inout ProtobufWriter) -> Void) -> Message {
        message(type) { body in
            body.write(fixed32: key, field: 1)
            write(&body)
        }
    }

    private static let fan = message(ESPHomeMessageType.fanEntity) { body in
        body.write(fixed32: 9, field: 2)
        body.write("Fan", field: 3)
        body.write(true, field: 5)
        body.write(true, field: 6)
        body.write(true, field: 7)
        body.write(UInt64(3), field: 8)
    }

    @Test("gives a fan with named speeds three speeds")
    func legacyFan() throws {
        var body = ProtobufWriter()
        body.write(fixed32: 9, field: 2)
        body.write("Fan", field: 3)
        body.write(true, field: 6)
        var fan = ESPHomeLight(try ESPHomeEntity(fan: body.bytes[...]), of: ESPHomeDeviceInfo())
        #expect(fan.description.capabilities == .fan(speed: true))
        var state = ProtobufWriter()
        state.write(fixed32: 9, field: 1)
        state.write(true, field: 2)
        state.write(UInt64(1), field: 4)
        fan.state = try ESPHomeState(fan: state.bytes[...])
        #expect(fan.report?.speed == 66)
        var command = LightCommand(on: true)
        command.speed = 100
        #expect(
            fan.message(for: command)
                == Self.message(ESPHomeMessageType.fanCommand) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(true, field: 2)
                    body.write(true, field: 3)
                    body.write(true, field: 4)
                    body.write(UInt64(2), field: 5)
                })
    }

    /// Returns a house with one device that has the given entities.
    private func house(
        _ entities: [Message], kinds: Set<LightKind> = [.light, .fan, .sensor], known: [LightID] = []
    ) -> (house: ESPHomeDevicesTests.House, actions: [ESPHomeDevicesTests.Action]) {
        var house = ESPHomeDevicesTests.House(
            ESPHomeDriverConfiguration(discover: false, hosts: [ESPHomeDevicesTests.host]))
        house.start(known: known, kinds: kinds)
        let actions = house.join(ESPHomeDevicesTests.den, entities)
        return (house, actions)
    }

    private func added(_ actions: [ESPHomeDevicesTests.Action]) -> [LightDescription] {
        var last: [LightDescription] = []
        for case .added(let light) in actions {
            last.removeAll { $0.id == light.id }
            last.append(light)
        }
        return last
    }

    @Test("combines a device's readings into one sensor, without unsupported classes and diagnostic entities")
    func sensor() throws {
        let (_, actions) = house([
            Self.number(1, "Temp", "temperature", "°C"), Self.number(2, "Hum", "humidity", "%"),
            Self.binary(3, "Motion", "motion"), Self.number(4, "Pressure", "pressure", "hPa"),
            Self.number(5, "Chip", "temperature", "°C", category: 2),
            Self.number(6, "Cell", "battery", "%", category: 2),
            Self.number(7, "Probe", "temperature", "°F"),
        ])
        let lights = added(actions)
        #expect(lights.map(\.id) == ["AABBCCDDEEFF/sensors", "AABBCCDDEEFF/sensor/probe"])
        #expect(lights[0].capabilities.readings == [.temperature, .humidity, .motion, .battery])
        #expect(lights[0].name == "den" && lights[1].name == "den Probe")
    }

    @Test("adds a meter's readings to the measured fan, without a separate accessory")
    func meter() throws {
        let (_, actions) = house(
            [Self.number(1, "Power", "power", "W"), Self.number(2, "Total", "energy", "Wh"), Self.fan],
            kinds: [.fan, .meter])
        let lights = added(actions)
        #expect(lights.map(\.kind) == [.fan])
        #expect(lights.first?.functions.flatMap(\.meterReadings) == [.power, .energy])
        let (_, alone) = house([Self.number(1, "Power", "power", "W")], kinds: [.fan, .meter])
        #expect(added(alone).map(\.kind) == [.meter])
    }

    @Test("warns about a sensor with an unknown unit, unless it is hidden or sensors are excluded")
    func unknownUnit() {
        let entities = [
            Self.number(1, "Lake", "temperature", "furlong"), Self.number(2, "Hum", "humidity", "%"),
            Self.number(3, "Chip", "temperature", "furlong", category: 2),
            Self.number(4, "Air", "pressure", "furlong"),
        ]
        let (_, actions) = house(entities)
        #expect(added(actions).map(\.capabilities.readings) == [[.humidity]])
        #expect(
            ESPHomeDevicesTests.warning(actions)
                == #"10.0.0.5: "Lake" isn't shown: "furlong" isn't a known unit of temperature"#)
        #expect(ESPHomeDevicesTests.warning(house(entities, kinds: [.light]).actions) == nil)
    }

    @Test("adds excluded kinds, and removes entities that the device no longer lists")
    func removed() {
        let known: [LightID] = ["AABBCCDDEEFF/sensors", "AABBCCDDEEFF/sensor/probe", "AABBCCDDEEFF/fan/fan"]
        let (_, all) = house([Self.number(1, "Temp", "temperature"), Self.fan], kinds: [.light])
        #expect(Set(added(all).map(\.kind)) == [.sensor, .fan])
        let (_, some) = house([Self.number(1, "Temp", "temperature")], known: known)
        let gone = some.compactMap { if case .removed(let id) = $0 { id } else { nil } }
        #expect(gone == ["AABBCCDDEEFF/fan/fan", "AABBCCDDEEFF/sensor/probe"])
    }

    @Test("reads states, and reports missing and invalid values as unknown")
    func states() {
        var (house, _) = house([
            Self.number(1, "Temp", "temperature", "°F"), Self.binary(2, "Door", "door"),
            Self.binary(3, "Leak", "moisture"),
        ])
        func readings(_ message: Message) -> [SensorReading: SensorValue] {
            for case .report("AABBCCDDEEFF/sensors", let report) in house.receive(ESPHomeDevicesTests.den, message) {
                return report.readings
            }
            return [:]
        }
        let number = ESPHomeMessageType.sensorState
        let binary = ESPHomeMessageType.binarySensorState
        #expect(readings(Self.state(number, 1) { $0.write(Float(70.7), field: 2) }) == [.temperature: .number(21.5)])
        #expect(readings(Self.state(number, 1) { $0.write(Float.nan, field: 2) }) == [.temperature: .unknown])
        #expect(readings(Self.state(number, 1) { $0.write(true, field: 3) }) == [.temperature: .unknown])
        #expect(readings(Self.state(binary, 2) { $0.write(true, field: 2) }) == [.contact: .flag(false)])
        #expect(readings(Self.state(binary, 2) { _ in }) == [.contact: .flag(true)])
        #expect(readings(Self.state(binary, 3) { $0.write(true, field: 2) }) == [.leak: .flag(true)])
        #expect(readings(Self.state(binary, 8) { $0.write(true, field: 2) }) == [:])
    }

    @Test("makes a sensor unreachable and its readings unknown when the connection ends")
    func closed() {
        var (house, _) = house([Self.number(1, "Temp", "temperature")])
        let reports = house.close(ESPHomeDevicesTests.den).compactMap { action -> LightReport? in
            if case .report("AABBCCDDEEFF/sensors", let report) = action { report } else { nil }
        }
        #expect(reports == [LightReport(readings: [.temperature: .unknown], reachable: false)])
    }

    @Test("describes and commands a fan in its own steps, and reads its answer")
    func fan() throws {
        var (house, actions) = house([Self.fan])
        let fan: LightID = "AABBCCDDEEFF/fan/fan"
        #expect(added(actions).map(\.id) == [fan])
        #expect(added(actions).first?.capabilities == .fan(speed: true, direction: true, oscillation: true))
        var command = LightCommand(on: true)
        command.speed = 50
        command.direction = .counterclockwise
        command.oscillates = true
        let sent = try #require(try house.order(fan, command)).bytes
        #expect(
            sent.suffix(19)
                == [31, 0x0D, 9, 0, 0, 0, 0x10, 1, 0x18, 1, 0x30, 1, 0x38, 1, 0x40, 1, 0x48, 1, 0x50, 1, 0x58, 2]
                .suffix(19))
        func report(_ speed: UInt64) -> LightReport? {
            let message = Self.state(ESPHomeMessageType.fanState, 9) { body in
                body.write(true, field: 2)
                body.write(true, field: 3)
                body.write(UInt64(1), field: 5)
                body.write(speed, field: 6)
            }
            for case .report(fan, let report) in house.receive(ESPHomeDevicesTests.den, message) { return report }
            return nil
        }
        let answer = try #require(report(2))
        #expect(answer.on == true && answer.speed == 50 && answer.direction == .counterclockwise)
        #expect(answer.oscillates == true)
        #expect(report(3)?.speed == 100)
        #expect(report(0)?.speed == nil && report(.max)?.speed == nil)
        let (number, identification) = try house.home.identify(fan, now: .zero)
        #expect(identification == [.finished(command: number, nil)])
    }

    @Test("chooses a fan's presets by their names")
    func fanPresets() throws {
        var body = ProtobufWriter()
        body.write(fixed32: 9, field: 2)
        body.write("Fan", field: 3)
        for preset in ["Auto", "Sleep", "Nature"] { body.write(preset, field: 12) }
        body.write(true, field: 6)
        body.write(UInt64(3), field: 8)
        var fan = ESPHomeLight(try ESPHomeEntity(fan: body.bytes[...]), of: ESPHomeDeviceInfo())
        var command = LightCommand()
        command.values[FanFeatures.preset("Sleep")] = .bool(true)
        #expect(
            fan.message(for: command)
                == Self.message(ESPHomeMessageType.fanCommand) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(true, field: 12)
                    body.write("Sleep", field: 13)
                })
        var state = ProtobufWriter()
        state.write(fixed32: 9, field: 1)
        state.write(true, field: 2)
        fan.state = try ESPHomeState(fan: state.bytes[...])
        #expect(fan.report?.values.blowsAutomatically == false)
        state.write("Auto", field: 7)
        fan.state = try ESPHomeState(fan: state.bytes[...])
        #expect(fan.report?.values.blowsAutomatically == true)
    }

    // MARK: Buttons

    /// The fields are those of `ListEntitiesEventResponse` and `EventResponse` in aioesphomeapi.
    private static func event(_ key: UInt32, _ name: String, _ deviceClass: String, _ types: [String]) -> Message {
        message(ESPHomeMessageType.eventEntity) { body in
            body.write(fixed32: key, field: 2)
            body.write(name, field: 3)
            body.write(deviceClass, field: 8)
            for type in types { body.write(type, field: 9) }
        }
    }

    private static func light(_ name: String) -> Message {
        message(ESPHomeMessageType.lightEntity) { body in
            body.write(fixed32: 77, field: 2)
            body.write(name, field: 3)
        }
    }

    private func presses(_ actions: [ESPHomeDevicesTests.Action]) -> [String] {
        actions.flatMap { action -> [String] in
            guard case .occurred(let id, let values) = action else { return [] }
            return values.map {
                "\(id) \($0.property.function ?? "") \($0.value.flatMap(ButtonPress.init)?.rawValue ?? "?")"
            }
        }
    }

    @Test("adds buttons and doorbells to the light of their device, or else to its sensor")
    func buttons() throws {
        let entities = [
            Self.event(1, "Top", "button", ["single_click", "double_click", "long_click"]),
            Self.event(2, "Bell", "doorbell", ["ring"]), Self.event(3, "Motion", "motion", ["press"]),
            Self.event(4, "Other", "", ["started"]), Self.number(5, "Temp", "temperature", "°C"),
        ]
        let kinds: Set<LightKind> = [.light, .sensor, .button]
        for (more, id, kind) in [
            ([], "AABBCCDDEEFF/sensors", LightKind.sensor), ([Self.light("Lamp")], "AABBCCDDEEFF/lamp", .light),
        ] as [([Message], LightID, LightKind)] {
            var (house, actions) = house(entities + more, kinds: kinds)
            let host = try #require(added(actions).first { $0.id == id })
            #expect(host.kind == kind && Set(host.buttons.map(\.id)) == ["top", "bell"])
            #expect(host.buttons.first { $0.id == "top" }?.presses == [.single, .double, .long])
            #expect(added(actions).filter { !$0.buttons.isEmpty }.count == 1)
            for (key, type, press) in [
                (1, "double_click", ["top double"]), (2, "ring", ["bell single", "bell/bell single"]),
                (1, "unknown", []),
                (9, "press", []),
            ] as [(UInt32, String, [String])] {
                let said = Self.state(ESPHomeMessageType.event, key) { $0.write(type, field: 2) }
                #expect(presses(house.receive(ESPHomeDevicesTests.den, said)) == press.map { "\(id) \($0)" })
            }
        }
        let (_, none) = house(entities, kinds: [.light, .sensor])
        #expect(added(none).allSatisfy { $0.buttons.isEmpty })
    }

    @Test("adds excluded buttons only to a button accessory, and reports no presses")
    func buttonsNotIncluded() {
        let button = Self.event(1, "Top", "button", ["press"])
        let press = Self.state(ESPHomeMessageType.event, 1) { $0.write("press", field: 2) }
        for (more, kind) in [([], .button), ([Self.light("Lamp")], .light)] as [([Message], LightKind)] {
            var (house, actions) = house([button] + more, kinds: [.light])
            #expect(added(actions).map(\.kind) == [kind])
            #expect(added(actions).allSatisfy { $0.buttons.isEmpty == (kind == .light) })
            #expect(presses(house.receive(ESPHomeDevicesTests.den, press)).isEmpty)
        }
    }

    @Test("adds buttons to the cover of their device, and keeps its function")
    func buttonsOfCover() throws {
        let cover = Self.message(ESPHomeMessageType.coverEntity) { body in
            body.write(fixed32: 78, field: 2)
            body.write("Window", field: 3)
            body.write(true, field: 6)
            body.write("window", field: 8)
        }
        let button = Self.event(1, "Top", "button", ["press"])
        let (_, actions) = house([button, cover], kinds: [.cover, .button])
        let window = try #require(added(actions).first)
        #expect(window.kind == .cover && window.functions.first?.type == .window)
        #expect(window.buttons.map(\.id) == ["top"] && added(actions).count == 1)
    }
}
