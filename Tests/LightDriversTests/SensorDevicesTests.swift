import DeviceKit
import Testing

@testable import LightDrivers

@Suite("The sensor that combines a device's readings")
struct SensorDevicesTests {
    private func reading(_ id: LightID, _ reading: SensorReading) -> LightDescription {
        LightDescription(id: id, name: "\(id)", kind: .sensor, capabilities: .sensor([reading]))
    }

    private func device(_ readings: Set<SensorReading> = [], name: String = "Hall") -> LightDescription {
        LightDescription(id: "d/sensors", name: name, kind: .sensor, capabilities: .sensor(readings))
    }

    @Test("combines a device's readings into one sensor, and skips a device with only a battery")
    func joins() {
        var sensors = SensorDevices()
        #expect(sensors.added(reading("b", .battery), of: device()) == [])
        #expect(
            sensors.added(reading("t", .temperature), of: device()) == [
                .added(device([.temperature, .battery])), .report("d/sensors", LightReport(reachable: false)),
            ])
        #expect(sensors.added(reading("t", .temperature), of: device()) == [])
        #expect(
            sensors.added(reading("m", .motion), of: device()) == [.added(device([.motion, .temperature, .battery]))])
        #expect(
            sensors.reported(LightReport(readings: [.motion: .flag(true)]), from: "m")
                == [.report("d/sensors", LightReport(readings: [.motion: .flag(true)]))])
        #expect(sensors.removed("m") == [.added(device([.temperature, .battery]))])
        #expect(sensors.removed("t") == [.removed("d/sensors")])
        #expect(sensors.removed("b") == [])
    }

    @Test("merges buttons with the same id")
    func sameButtons() {
        var sensors = SensorDevices()
        var shown: [LightDescription] = []
        for (id, press) in [("b1", ButtonPress.single), ("b2", .double)] {
            var part = LightDescription(id: LightID(id), name: "Remote", kind: .button, capabilities: .init())
            part.buttons = [PushButton(id: "up", name: "Up", presses: [press])]
            for case .added(let sensor) in sensors.added(part, of: device()) { shown.append(sensor) }
        }
        #expect(shown.last?.buttons == [PushButton(id: "up", name: "Up", presses: [.single, .double])])
    }

    @Test("adds a reading without a device as a sensor, unless it is a battery")
    func alone() {
        var sensors = SensorDevices()
        #expect(sensors.added(reading("b", .batteryLow), of: nil) == [])
        #expect(
            sensors.added(reading("t", .temperature), of: nil)
                == [.added(reading("t", .temperature)), .report("t", LightReport(reachable: false))])
    }

    @Test("adds a second reading of a kind as a separate sensor, even after a restart")
    func second() {
        func place(_ first: LightID, _ second: LightID, known: [LightID]) -> [LightID: Set<SensorReading>] {
            var sensors = SensorDevices(known: known)
            var places: [LightID: Set<SensorReading>] = [:]
            for id in [first, second] {
                for case .added(let sensor) in sensors.added(reading(id, .temperature), of: device()) {
                    places[sensor.id] = sensor.capabilities.readings
                }
            }
            return places
        }
        let places: [LightID: Set<SensorReading>] = ["d/sensors": [.temperature], "t2": [.temperature]]
        #expect(place("t1", "t2", known: []) == places)
        #expect(place("t2", "t1", known: ["d/sensors", "t2"]) == places)
    }

    @Test(
        "gives the device's motion to a motion sensor and not to vibration, in any order",
        arguments: [["m", "v"], ["v", "m"]] as [[LightID]])
    func substitute(order: [LightID]) {
        func places(_ order: [LightID], known: [LightID]) -> [LightID: LightID] {
            var sensors = SensorDevices(known: known)
            for id in order { _ = sensors.added(reading(id, .motion), of: device(), isSubstitute: id == "v") }
            return ["m", "v"].reduce(into: [:]) { $0[$1] = sensors.sensor(of: $1) }
        }
        #expect(places(order, known: []) == ["m": "d/sensors", "v": "v"])
        // An earlier version placed the readings in the order of their announcements.
        #expect(places(order, known: ["d/sensors", "m"]) == ["m": "m", "v": "d/sensors"])
        var sensors = SensorDevices()
        _ = sensors.added(reading("v", .motion), of: device(), isSubstitute: true)
        _ = sensors.reported(LightReport(reachable: true), from: "v")
        #expect(
            sensors.added(reading("m", .motion), of: device()) == [
                .added(reading("v", .motion)), .report("v", LightReport(reachable: true)),
            ])
    }

    @Test("keeps a sensor reachable while one of its readings is reachable, and makes the other readings unknown")
    func reach() {
        var sensors = SensorDevices()
        _ = sensors.added(reading("t", .temperature), of: device())
        _ = sensors.added(reading("m", .motion), of: device())
        #expect(
            sensors.reported(LightReport(reachable: true), from: "t")
                == [.report("d/sensors", LightReport(readings: [:], reachable: true))])
        #expect(sensors.reported(LightReport(reachable: true), from: "m") == [])
        #expect(
            sensors.reported(LightReport(reachable: false), from: "m")
                == [.report("d/sensors", LightReport(readings: [.motion: .unknown]))])
        #expect(
            sensors.reported(LightReport(reachable: false), from: "t")
                == [.report("d/sensors", LightReport(readings: [.temperature: .unknown], reachable: false))])
        #expect(sensors.reported(LightReport(reachable: true), from: "gone") == [])
    }

    @Test("describes the device independently of the order of its readings")
    func description() {
        for order in [["a", "b"], ["b", "a"]] as [[LightID]] {
            var sensors = SensorDevices()
            var last: LightDescription?
            for id in order {
                let own = reading(id, id == "a" ? .temperature : .humidity)
                for case .added(let sensor) in sensors.added(own, of: device(name: "named by \(id)")) { last = sensor }
            }
            #expect(last?.name == "named by a")
        }
    }
}
