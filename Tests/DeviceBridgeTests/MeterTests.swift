import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole
@testable import DeviceBridge

@Suite("A meter", .timeout)
struct MeterTests {
    private static let power = EveReading.power.type

    private static func outlet(_ readings: [SensorReading] = [.power, .energy, .voltage, .current]) -> LightDescription
    {
        var outlet = LightDescription(id: "plug", name: "Plug", kind: .outlet)
        outlet.addMeter(readings)
        return outlet
    }

    private func adapter(_ description: LightDescription, _ ids: InstanceIDs = InstanceIDs()) -> AccessoryAdapter {
        AccessoryAdapter(description, description.name, ids)
    }

    @Test("adds characteristics to the measured outlet, which keeps its iids")
    func iids() throws {
        let plain = adapter(Self.outlet([]))
        let measured = adapter(Self.outlet(), plain.ids)
        let (before, after) = (
            plain.accessory(2, state: DeviceState()), measured.accessory(2, state: DeviceState())
        )
        try after.checkCompliance()
        #expect(after.services.map(\.type) == before.services.map(\.type))
        let outlet = after.services[1].characteristics
        #expect(outlet.filter { EveReading($0.type) == nil } == before.services[1].characteristics)
        let added = outlet.filter { EveReading($0.type) != nil }
        #expect(added.compactMap { EveReading($0.type) } == [.power, .energy, .voltage, .current])
        #expect(added.allSatisfy { $0.metadata.permissions == [.pairedRead, .notify] && $0.value == nil })
    }

    @Test("has Eve's service if its device has no other functions", arguments: [LightKind.sensor, .meter])
    func alone(kind: LightKind) throws {
        let description = LightDescription(
            id: "meter", name: "Meter", kind: kind, capabilities: .sensor([.power, .energy])
        ).including([.meter])
        #expect(description.kind == .meter)
        let accessory = adapter(description).accessory(2, state: DeviceState())
        try accessory.checkCompliance()
        #expect(accessory.services.dropFirst().map(\.type) == [EveReading.service])
    }

    private static let inclusions: [(LightDescription, Set<LightKind>, LightDescription)] = [
        (outlet(), [.outlet], outlet([])),
        (outlet(), [.outlet, .meter], outlet()),
        (sensor([.temperature, .power]), [.sensor], sensor([.temperature])),
        (sensor([.temperature, .power]), [.sensor, .meter], sensor([.temperature, .power])),
        (sensor([.temperature, .power]), [.meter], sensor([.power], .meter)),
        (sensor([.power, .battery]), [.sensor], sensor([.power, .battery], .meter)),
    ]

    @Test("leaves the other functions of its device unchanged if it is excluded", arguments: inclusions)
    func included(device: LightDescription, kinds: Set<LightKind>, shown: LightDescription) {
        #expect(device.including(kinds) == shown)
    }

    private static func sensor(_ readings: Set<SensorReading>, _ kind: LightKind = .sensor) -> LightDescription {
        LightDescription(id: "sensor", name: "Sensor", kind: kind, capabilities: .sensor(readings))
    }

    @Test(
        "rounds and clamps its readings",
        arguments: [
            (.power, .float(12.34), .float(12.3)), (.power, .float(-1500.06), .float(-1500.1)),
            (.power, .integer(7), .float(7)), (.power, .float(1e12), .float(1e6)), (.power, .float(.nan), nil),
            (.power, .float(.infinity), nil), (.power, .string("x"), nil), (.energy, .float(1.239), .float(1.24)),
            (.energy, .float(-1), .float(0)), (.voltage, .float(230.04), .float(230)),
            (.current, .float(0.0512), .float(0.05)),
        ] as [(EveReading, CharacteristicValue, CharacteristicValue?)])
    func valid(reading: EveReading, value: CharacteristicValue, valid: CharacteristicValue?) {
        var values = PropertyValues()
        values[Property(reading.type)] = value
        #expect(Self.outlet().canonical(values).values[Property(reading.type)] == valid)
    }

    @Test("reads as null until the device reports a value, and whenever the value is unknown")
    func unknown() async throws {
        let house = try await House([Self.outlet()])
        let place = try #require(await house.bridge.place(Self.power, of: "plug"))
        func read() async throws -> String {
            let session = try await house.session()
            return String(decoding: try await session.read("id=\(place)").body, as: UTF8.self)
        }
        await house.report(LightReport(on: true, reachable: true), "plug")
        #expect(try await read().contains(#""value":null"#))
        await house.report(LightReport(readings: [.power: .number(12.34)]), "plug")
        #expect(try await read().contains(#""value":12.3"#))
        await house.report(LightReport(readings: [.power: .unknown]), "plug")
        #expect(try await read().contains(#""value":null"#))
        await house.report(LightReport(readings: [.power: .number(5)]), "plug")
        #expect(await house.bridge.value(place) == .float(5))
    }

    @Test("is counted and its values are ignored while it is excluded, and appears as soon as it is included")
    func hidden() async throws {
        let house = try await House([Self.outlet()])
        let lights = house.bridge.lights
        await lights.use([:], kinds: [.outlet])
        await house.bridge.host.added(Self.outlet())
        await house.bridge.host.added(Self.sensor([.power], .meter))
        #expect(await lights.excludedCounts == [.meter: 2])
        let hidden = await house.bridge.server.accessories
        #expect(await house.bridge.place(Self.power, of: "plug") == nil)
        await house.report(LightReport(readings: [.power: .number(1)], reachable: true), "plug")
        #expect(await lights.snapshots().map(\.values) == [PropertyValues([Property(.on): .bool(false)])])
        await lights.use([:], kinds: [.outlet, .meter])
        await house.bridge.host.added(Self.outlet())
        await house.bridge.host.added(Self.sensor([.power], .meter))
        #expect(await lights.excludedCounts == [:])
        let on = try #require(await house.bridge.place(.on, of: "plug"))
        #expect(hidden[1].services[1].characteristics.contains { $0.iid == on.iid })
        #expect(await house.bridge.place(Self.power, of: "plug") != nil)
    }

    @Test("causes no write to the store when only its readings change")
    func unsaved() async throws {
        let house = try await House([Self.outlet()])
        await house.report(LightReport(on: true, reachable: true), "plug")
        await house.advance(.seconds(10))
        let stored = house.store.bridge.lights.first?.state
        await house.report(LightReport(readings: [.power: .number(3)]), "plug")
        await house.advance(.seconds(10))
        #expect(house.store.bridge.lights.first?.state == stored)
        #expect(stored?.values.contains(Property(Self.power)) == false)
    }
}

extension PropertyValues {
    fileprivate init(_ values: [Property: CharacteristicValue]) {
        self.init()
        for (property, value) in values { self[property] = value }
    }
}
