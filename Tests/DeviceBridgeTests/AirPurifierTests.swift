import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import DeviceBridge

@Suite("An air purifier", .timeout)
struct AirPurifierTests {
    private static func device(_ change: (inout AirPurifierFeatures) -> Void = { _ in }) -> LightDescription {
        var features = AirPurifierFeatures()
        change(&features)
        return LightDescription(id: "air", name: "Air", kind: .airPurifier, functions: features.functions)
    }

    private func values(
        on: Bool? = nil, speed: Int? = nil, auto: Bool? = nil, life: Double? = nil, change: Bool? = nil
    ) -> PropertyValues {
        var values = PropertyValues()
        (values.on, values.speed, values.purifiesAutomatically) = (on, speed, auto)
        (values.filterLife, values.needsNewFilter) = (life, change)
        return values
    }

    @Test("has a linked filter, its own modes, and always a current state")
    func services() async throws {
        let house = try await House([Self.device(), Self.plain])
        for accessory in await house.bridge.server.accessories { try accessory.checkCompliance() }
        let accessories = await house.bridge.server.accessories
        let (purifier, filter) = (accessories[1].services[1], accessories[1].services[2])
        #expect(purifier.type == .airPurifier && filter.type == .filterMaintenance && purifier.linked == [filter.iid])
        #expect(accessories[2].services.count == 2)
        let modes = accessories.dropFirst().map { accessory in
            accessory.services[1].characteristics.first { $0.type == .targetAirPurifierState }?.metadata.validValues
        }
        #expect(modes == [[0, 1], [0]])
        let current = try #require(await house.bridge.place(.currentAirPurifierState, of: "air"))
        let indication = try #require(await house.bridge.place(.filterChangeIndication, of: "air"))
        await house.report(LightReport(values(on: true, speed: 50, life: 40)), "air")
        #expect(await house.bridge.value(current) == .integer(2))
        #expect(await house.bridge.value(indication) == .integer(0))
        await house.report(LightReport(values(on: false, life: 8)), "air")
        #expect(await house.bridge.value(current) == .integer(0))
        #expect(await house.bridge.value(indication) == .integer(1))
    }

    private static let plain: LightDescription = {
        var features = AirPurifierFeatures()
        (features.hasAuto, features.reportsFilterLife) = (false, false)
        return LightDescription(id: "plain", name: "Plain", kind: .airPurifier, functions: features.functions)
    }()

    @Test("ends the automatic mode with a speed, and lets the automatic mode choose the speed")
    func command() {
        let rules = LightKind.airPurifier.rules
        let automatic = DeviceState(values(on: true, speed: 20, auto: true))
        let table: [(PropertyValues, PropertyValues)] = [
            (values(speed: 60), values(speed: 60, auto: false)), (values(speed: 60, auto: true), values(auto: true)),
            (values(speed: 0), values(on: false)), (values(on: true, auto: true), values(on: true, auto: true)),
        ]
        for (written, command) in table { #expect(rules.command(written, over: automatic) == command) }
        #expect(rules.command(values(speed: 60), over: DeviceState(values(auto: false))) == values(speed: 60))
    }
}
