import LightKit
import Testing

@testable import LightDrivers

@Suite("The readings of a device as one sensor")
struct SensorDevicesTests {
    private func reading(_ id: LightID, _ reading: SensorReading) -> LightDescription {
        LightDescription(id: id, name: "\(id)", kind: .sensor, capabilities: .sensor([reading]))
    }

    private func device(_ readings: Set<SensorReading> = [], name: String = "Hall") -> LightDescription {
        LightDescription(id: "d/sensors", name: name, kind: .sensor, capabilities: .sensor(readings))
    }

    @Test("readings of one device are one sensor, which gets those that come later; a battery alone is none")
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

    @Test("a reading without a device is a sensor of its own, if it is more than a battery")
    func alone() {
        var sensors = SensorDevices()
        #expect(sensors.added(reading("b", .batteryLow), of: nil) == [])
        #expect(
            sensors.added(reading("t", .temperature), of: nil)
                == [.added(reading("t", .temperature)), .report("t", LightReport(reachable: false))])
    }

    @Test("a second reading of the same sort is a sensor of its own, and still is when it comes first after a restart")
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

    @Test("a sensor can be reached while one of its readings can; of the others it says that they are not known")
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

    @Test("what describes the device does not depend on which reading comes first")
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
