import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole
@testable import DeviceBridge

extension LightDescription {
    /// A sensor with motion, temperature and battery readings.
    ///
    /// If it is the first light, its aid is 2. The iids are 8 for the motion sensor (9 motion, 10 active), 11 for the
    /// temperature sensor (12 temperature, 13 active), and 14 for the battery (15 low battery, 16 level).
    fileprivate static let hall = LightDescription(
        id: "hall", name: "Hall", kind: .sensor, capabilities: .sensor([.motion, .temperature, .battery]))
}

@Suite("A sensor", .timeout)
struct SensorTests {
    private func adapter(_ readings: Set<SensorReading>, ids: InstanceIDs = InstanceIDs()) -> AccessoryAdapter {
        AccessoryAdapter(LightDescription(id: "x", name: "X", kind: .sensor, capabilities: .sensor(readings)), "X", ids)
    }

    @Test("gets a different name if a light has the same name")
    func nameOfLight() async throws {
        var sensor = LightDescription.hall
        sensor.name = "Lamp"
        let house = try await House([.lamp, sensor])
        #expect(await house.bridge.lights.snapshots().map(\.name) == ["Lamp", "Lamp Sensor"])
    }

    @Test(
        "offers HAP's service for each reading, and a service for the battery",
        arguments: [
            ([.motion], [.motionSensor]), ([.contact], [.contactSensor]), ([.occupancy], [.occupancySensor]),
            ([.leak], [.leakSensor]), ([.smoke], [.smokeSensor]), ([.temperature], [.temperatureSensor]),
            ([.humidity], [.humiditySensor]), ([.illuminance], [.lightSensor]), ([.battery, .batteryLow], [.battery]),
            ([.batteryLow], [.battery]), ([.carbonMonoxideLevel, .carbonMonoxide], [.carbonMonoxideSensor]),
            ([.carbonDioxideLevel], [.carbonDioxideSensor]), ([.pm25, .pm10, .voc], [.airQualitySensor]),
            (
                Set(SensorReading.allCases),
                [
                    .motionSensor, .contactSensor, .occupancySensor, .leakSensor, .smokeSensor, .temperatureSensor,
                    .humiditySensor, .lightSensor, .carbonMonoxideSensor, .carbonDioxideSensor, .airQualitySensor,
                    EveReading.service, .battery,
                ]
            ),
        ] as [(Set<SensorReading>, [ServiceType])])
    func services(readings: Set<SensorReading>, services: [ServiceType]) throws {
        let accessory = adapter(readings).accessory(2, state: DeviceState())
        try accessory.checkCompliance()
        #expect(accessory.services.dropFirst().map(\.type) == services)
        #expect(accessory.services.filter(\.isPrimary).map(\.type) == [services[0]])
    }

    @Test(
        "converts readings to HAP's values, within their limits",
        arguments: [
            (.motion, .flag(true), .motionDetected, .bool(true)),
            (.contact, .flag(true), .contactSensorState, .integer(0)),
            (.contact, .flag(false), .contactSensorState, .integer(1)),
            (.occupancy, .flag(true), .occupancyDetected, .integer(1)),
            (.leak, .flag(true), .leakDetected, .integer(1)), (.smoke, .flag(false), .smokeDetected, .integer(0)),
            (.temperature, .number(-12.34), .currentTemperature, .float(-12.3)),
            (.temperature, .number(240), .currentTemperature, .float(100)),
            (.humidity, .number(61.35), .currentRelativeHumidity, .float(61)),
            (.illuminance, .number(0), .currentAmbientLightLevel, .float(0.0001)),
            (.illuminance, .number(150_000), .currentAmbientLightLevel, .float(100_000)),
            (.battery, .number(41.6), .batteryLevel, .integer(42)),
            (.battery, .number(20), .statusLowBattery, .integer(1)),
            (.battery, .number(21), .statusLowBattery, .integer(0)),
            (.batteryLow, .flag(true), .statusLowBattery, .integer(1)),
        ] as [(SensorReading, SensorValue, CharacteristicType, CharacteristicValue)])
    func values(reading: SensorReading, value: SensorValue, type: CharacteristicType, shown: CharacteristicValue) throws
    {
        var state = DeviceState()
        state.apply(LightReport(readings: [reading: value], reachable: true), .sensor)
        let accessory = adapter([reading]).accessory(2, state: state)
        try accessory.checkCompliance()
        #expect(accessory.services[1].characteristics.first { $0.type == type }?.value == shown)
    }

    @Test("uses the reported low-battery flag rather than the level")
    func lowBattery() {
        var state = DeviceState()
        state.apply(LightReport(readings: [.battery: .number(5), .batteryLow: .flag(false)]), .sensor)
        let service = adapter([.battery, .batteryLow]).accessory(2, state: state).services[1]
        #expect(service.characteristics.first { $0.type == .statusLowBattery }?.value == .integer(0))
    }

    @Test("is active while its value is known and it is reachable")
    func active() {
        let adapter = adapter([.temperature])
        var state = DeviceState()
        func isActive() -> CharacteristicValue? {
            adapter.accessory(2, state: state).services[1].characteristics.first { $0.type == .statusActive }?.value
        }
        state.apply(LightReport(reachable: true), .sensor)
        #expect(isActive() == .bool(false))
        state.apply(LightReport(readings: [.temperature: .number(20)]), .sensor)
        #expect(isActive() == .bool(true))
        state.apply(LightReport(readings: [.temperature: .unknown]), .sensor)
        #expect(isActive() == .bool(false) && state.values.readings[.temperature] == .number(20))
        state.apply(LightReport(readings: [.temperature: .number(21)]), .sensor)
        #expect(isActive() == .bool(true))
        state.apply(LightReport(reachable: false), .sensor)
        #expect(isActive() == .bool(false))
    }

    @Test("keeps its iids when readings are added and removed")
    func identity() {
        let first = adapter([.temperature, .battery])
        let more = adapter([.motion, .temperature, .battery], ids: first.ids)
        func iids(_ adapter: AccessoryAdapter) -> [CharacteristicType: InstanceID] {
            let services = adapter.accessory(2, state: DeviceState()).services.dropFirst()
            return Dictionary(
                services.flatMap(\.characteristics).filter { $0.type != .statusActive }.map { ($0.type, $0.iid) },
                uniquingKeysWith: { $1 })
        }
        #expect(iids(more).merging(iids(first)) { $1 } == iids(more))
        let fewer = adapter([.temperature], ids: more.ids)
        #expect(iids(adapter([.motion, .temperature, .battery], ids: fewer.ids)) == iids(more))
    }

    @Test("sends motion immediately, together with pending events")
    func urgent() async throws {
        let house = try await House([.hall])
        let session = try await house.session()
        _ = try await session.write(
            #"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":12,"ev":true}"#)
        await house.report(LightReport(readings: [.temperature: .number(20)]), "hall")
        await house.report(LightReport(readings: [.temperature: .number(21)]), "hall")
        #expect(await session.events.count == 1)
        await house.report(LightReport(readings: [.motion: .flag(true)]), "hall")
        #expect(
            await session.events.last
                == #"{"characteristics":[{"aid":2,"iid":12,"value":21},{"aid":2,"iid":9,"value":true}]}"#)
        await house.report(LightReport(readings: [.motion: .flag(false)]), "hall")
        #expect(await session.events.last == #"{"characteristics":[{"aid":2,"iid":9,"value":false}]}"#)
        #expect(await session.events.count == 3)
        await house.report(LightReport(readings: [.temperature: .number(22)]), "hall")
        #expect(await session.events.count == 3, "a temperature after motion waits as usual")
        await house.advance(.seconds(2))
        #expect(
            await session.events.last == #"{"characteristics":[{"aid":2,"iid":12,"value":22}]}"#)
        #expect(await session.events.count == 4)
    }

    @Test("rejects writes")
    func write() async throws {
        let house = try await House([.hall])
        let session = try await house.session()
        #expect(try await session.write(#"{"aid":2,"iid":9,"value":true}"#).text.contains("-70404"))
        let hall = LightKey(driver: BridgeUnderTest.driverID, light: "hall")
        #expect(await house.bridge.lights.command(LightCommand(on: true), hall) == .invalidValue)
    }

    @Test("restores its last values after a restart, except motion and occupancy")
    func restart() async throws {
        let house = try await House([.hall])
        await house.report(LightReport(readings: [.temperature: .number(20), .motion: .flag(true)]), "hall")
        await house.bridge.lights.saveStates()
        let again = try await BridgeUnderTest(house.store, stored: house.store.bridge)
        #expect(await again.value(CharacteristicID(2, 12)) == .float(20))
        #expect(await again.value(CharacteristicID(2, 9)) == .bool(false))
    }
}

@Suite("The include setting", .timeout)
struct IncludedKindsTests {
    @Test("hides an excluded kind, and restores its aid and iids when it is included again")
    func include() async throws {
        let house = try await House([.plain, .hall])
        let number = await house.bridge.server.configurationNumber
        let shown = await house.bridge.server.accessories
        await house.bridge.lights.use([:], kinds: [.light])
        await house.bridge.host.added(.hall)
        await house.advance(.seconds(2))
        #expect(await house.bridge.server.accessories.map(\.aid) == [1, 2])
        #expect(await house.bridge.server.configurationNumber == number + 1)
        #expect(await house.bridge.host.includedKinds() == [.light])
        await house.bridge.lights.use([:], kinds: [.light, .sensor])
        await house.bridge.host.added(.hall)
        await house.report(LightReport(reachable: true), "hall")
        await house.advance(.seconds(2))
        #expect(await house.bridge.server.accessories == shown)
        #expect(await house.bridge.server.configurationNumber == number + 2)
    }

    @Test("counts the devices of excluded kinds until their source removes them")
    func counts() async throws {
        let house = try await House([.plain])
        let lights = house.bridge.lights
        #expect(await lights.excludedCounts == [:])
        await lights.use([:], kinds: [.light])
        for id: LightID in ["a", "b"] {
            await house.bridge.host.added(LightDescription(id: id, name: id.rawValue, kind: .fan))
        }
        await house.bridge.host.added(.hall)
        #expect(await lights.excludedCounts == [.fan: 2, .sensor: 1])
        await house.bridge.host.added(LightDescription(id: "a", name: "a", kind: .cover))
        await house.bridge.host.removed("b")
        #expect(await lights.excludedCounts == [.cover: 1, .sensor: 1])
        await lights.use([:], kinds: [.light, .sensor])
        await house.bridge.host.added(.hall)
        #expect(await lights.excludedCounts == [.cover: 1])
        await lights.detach(BridgeUnderTest.driverID)
        #expect(await lights.excludedCounts == [:])
    }

    @Test("counts a limited number of devices of excluded kinds")
    func countsLimited() async throws {
        let house = try await House([.plain])
        let lights = house.bridge.lights
        await lights.use([:], kinds: [.light])
        for number in 0...DeviceBridge.maximumExcludedLights {
            await house.bridge.host.added(LightDescription(id: LightID("\(number)"), name: "Fan", kind: .fan))
        }
        #expect(await lights.excludedCounts == [.fan: DeviceBridge.maximumExcludedLights])
        await house.bridge.host.removed("0")
        await house.bridge.host.added(LightDescription(id: "new", name: "Fan", kind: .fan))
        #expect(await lights.excludedCounts == [.fan: DeviceBridge.maximumExcludedLights])
    }

    @Test("hides a device while its kind isn't shown, and shows it again with its aid")
    func changedKind() async throws {
        let tap = LightDescription(id: "tap", name: "Tap", kind: .switch)
        let house = try await House([tap])
        await house.bridge.lights.use([:], kinds: [.switch])
        await house.bridge.host.added(LightDescription(id: "tap", name: "Tap", kind: .valve))
        #expect(await house.bridge.server.accessories.map(\.aid) == [1])
        await house.bridge.host.added(tap)
        #expect(await house.bridge.server.accessories.map(\.aid) == [1, 2])
    }

    @Test("frees the places of excluded lights, and protects them from a purge")
    func room() async throws {
        let house = try await House([.hall])
        await house.bridge.lights.use([:], kinds: [.light])
        for number in 0..<149 {
            await house.bridge.host.added(LightDescription(id: LightID("\(number)"), name: "Lamp \(number)"))
        }
        #expect(await house.bridge.lights.snapshots().count == 149)
        #expect(try await house.bridge.lights.purge() == [])
        #expect(house.store.lights.contains { $0.key.light == "hall" && !$0.isRemoved })
        await house.bridge.lights.detach(BridgeUnderTest.driverID)
        #expect(try await house.bridge.lights.purge().contains { $0.key.light == "hall" })
    }

    @Test("hides an excluded kind even after a restart")
    func restart() async throws {
        let house = try await House([.plain, .hall])
        let again = try await BridgeUnderTest(house.store, stored: house.store.bridge, kinds: [.light])
        #expect(await again.server.accessories.map(\.aid) == [1, 2])
    }
}
