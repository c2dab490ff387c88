import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import DeviceBridge

@Suite("An air sensor", .timeout)
struct AirQualityTests {
    private func values(
        _ readings: [SensorReading: SensorValue], _ state: DeviceState = DeviceState(),
        of all: Set<SensorReading>? = nil
    ) throws -> [CharacteristicType: CharacteristicValue] {
        let light = LightDescription(
            id: "air", name: "Air", kind: .sensor, capabilities: .sensor(all ?? Set(readings.keys)))
        var state = state
        state.apply(light.canonical(LightReport(readings: readings).values).values, LightKind.sensor.rules)
        state.isReachable = true
        let accessory = AccessoryAdapter(light, "Air", InstanceIDs()).accessory(2, state: state)
        try accessory.checkCompliance()
        return Dictionary(
            accessory.services[1].characteristics.compactMap { part in part.value.map { (part.type, $0) } }
        ) { $1 }
    }

    @Test(
        "detects gas above the threshold, unless the device reports it",
        arguments: [
            (.carbonMonoxideLevel, 25, 0), (.carbonMonoxideLevel, 26, 1), (.carbonDioxideLevel, 1000, 0),
            (.carbonDioxideLevel, 1001, 1), (.carbonMonoxideLevel, 999, 1),
        ] as [(SensorReading, Double, Int64)])
    func thresholds(reading: SensorReading, level: Double, detected: Int64) throws {
        let isMonoxide = reading == .carbonMonoxideLevel
        let values = try values([reading: .number(level)])
        #expect(values[isMonoxide ? .carbonMonoxideDetected : .carbonDioxideDetected] == .integer(detected))
        #expect(values[isMonoxide ? .carbonMonoxideLevel : .carbonDioxideLevel]?.number == level)
        guard isMonoxide else { return }
        let own = try self.values([reading: .number(level), .carbonMonoxide: .flag(detected == 0)])
        #expect(own[.carbonMonoxideDetected] == .integer(1 - detected))
    }

    @Test("uses the operator's thresholds, even after a reload, and keeps the highest level")
    func operatorThresholds() async throws {
        let light = LightDescription(
            id: "air", name: "Air", kind: .sensor, capabilities: .sensor([.carbonDioxideLevel]))
        var thresholds = GasThresholds()
        thresholds.carbonDioxide = 800
        let key = LightKey(driver: BridgeUnderTest.driverID, light: "air")
        let house = try await House([light], overrides: [key: LightOverride(thresholds: thresholds)])
        await house.report(LightReport(readings: [.carbonDioxideLevel: .number(900)], reachable: true), "air")
        func value(_ type: CharacteristicType) async throws -> Double? {
            await house.bridge.value(try #require(await house.bridge.place(type, of: "air")))?.number
        }
        #expect(try await value(.carbonDioxideDetected) == 1)
        await house.bridge.lights.use([:])
        #expect(try await value(.carbonDioxideDetected) == 0)
        await house.report(LightReport(readings: [.carbonDioxideLevel: .number(600)]), "air")
        #expect(try await value(.carbonDioxideLevel) == 600)
        #expect(try await value(.carbonDioxidePeakLevel) == 900)
    }

    @Test(
        "derives the air quality from the worst known density",
        arguments: [
            ([.pm25: .number(9)], 1), ([.pm25: .number(9.1)], 2), ([.pm25: .number(55.5)], 4),
            ([.pm25: .number(500)], 5), ([.pm10: .number(154)], 2), ([.voc: .number(250)], 1),
            ([.voc: .number(3001)], 5), ([.nitrogenDioxide: .number(81)], 4), ([.ozone: .number(120)], 3),
            ([.pm25: .number(5), .voc: .number(900)], 3), ([.pm25: .number(500), .voc: .unknown], 5),
            ([.pm25: .unknown], 0), ([.airQuality: .number(4), .pm25: .number(1)], 4), ([.airQuality: .unknown], 0),
        ] as [([SensorReading: SensorValue], Int64)])
    func quality(readings: [SensorReading: SensorValue], quality: Int64) throws {
        #expect(try values(readings)[.airQuality] == .integer(quality))
    }

    @Test("has an unknown air quality before the first value")
    func start() throws {
        let values = try values([:], of: [.pm25])
        #expect(values[.airQuality] == .integer(0) && values[.statusActive] == .bool(false))
    }

    @Test("reports a VOC density above the catalog's maximum")
    func maximum() throws {
        #expect(try values([.voc: .number(4200)])[.vocDensity]?.number == 4200)
        #expect(try values([.carbonMonoxideLevel: .number(400)])[.carbonMonoxidePeakLevel]?.number == 400)
    }

    @Test("reports tampering on each of its sensors")
    func tamper() throws {
        let values = try values([.smoke: .flag(false), .tamper: .flag(true)])
        #expect(values[.statusTampered] == .integer(1) && values[.smokeDetected] == .integer(0))
    }
}
