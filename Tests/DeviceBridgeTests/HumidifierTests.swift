import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import DeviceBridge

@Suite("A humidifier", .timeout)
struct HumidifierTests {
    private static func device(_ change: (inout HumidifierFeatures) -> Void = { _ in }) -> LightDescription {
        var features = HumidifierFeatures()
        change(&features)
        return LightDescription(id: "mist", name: "Mist", kind: .humidifier, functions: [features.function])
    }

    private func values(
        on: Bool? = nil, current: Double? = nil, humidify: Double? = nil, dehumidify: Double? = nil
    ) -> PropertyValues {
        var values = PropertyValues()
        values.on = on
        values[.currentRelativeHumidity] = current
        (values.humidifierThreshold, values.dehumidifierThreshold) = (humidify, dehumidify)
        return values
    }

    @Test("has one valid target state, and all characteristics that HAP requires", arguments: [false, true])
    func services(dehumidifies: Bool) async throws {
        let house = try await House([
            Self.device {
                $0.dehumidifies = dehumidifies
                $0.measuresHumidity = false
                $0.humidities = 35...65
            }
        ])
        let accessory = try #require(await house.bridge.server.accessories.last)
        try accessory.checkCompliance()
        let parts = accessory.services[1].characteristics
        let target = parts.first { $0.type == .targetHumidifierDehumidifierState }
        #expect(
            target?.metadata.validValues == [dehumidifies ? 2 : 1] && target?.value == .integer(dehumidifies ? 2 : 1))
        // Home shows a shifted scale for other limits.
        let threshold: CharacteristicType =
            dehumidifies ? .relativeHumidityDehumidifierThreshold : .relativeHumidityHumidifierThreshold
        #expect(parts.first { $0.type == threshold }?.metadata.range == 0...100)
    }

    @Test("clamps a target beyond the device's limits, and sends the clamped target to the writer")
    func clamped() async throws {
        let house = try await House([Self.device { $0.humidities = 40...80 }])
        let aid = try #require(await house.bridge.aid("mist"))
        let target = try #require(await house.bridge.place(.relativeHumidityHumidifierThreshold, of: "mist"))
        await house.report(LightReport(values(on: true, current: 45, humidify: 50)), "mist")
        let session = try await house.session()
        let id = #""aid":\#(aid),"iid":\#(target.iid)"#
        _ = try await session.write(#"{\#(id),"ev":true}"#)
        #expect(try await session.write(#"{\#(id),"value":95}"#).status == 204)
        #expect(house.bridge.driver.orders == [.init("mist", LightCommand(values(humidify: 80)))])
        await house.advance(.seconds(1))
        #expect(await house.bridge.value(target) == .float(80))
        #expect(await session.events == [#"{"characteristics":[{\#(id),"value":80}]}"#])
    }

    @Test("derives its activity from its power and the humidity if the device doesn't report it")
    func activity() {
        let table: [(dehumidifies: Bool, state: PropertyValues, activity: Int64)] = [
            (false, values(on: false, current: 30, humidify: 50), 0),
            (false, values(on: true, current: 30, humidify: 50), 2),
            (false, values(on: true, current: 60, humidify: 50), 1), (false, values(on: true, humidify: 50), 2),
            (true, values(on: true, current: 60, dehumidify: 50), 3),
            (true, values(on: true, current: 40, dehumidify: 50), 1), (true, values(on: false), 0),
        ]
        for (dehumidifies, state, activity) in table {
            let device = Self.device { $0.dehumidifies = dehumidifies }
            let derived = LightKind.humidifier.rules.derived(
                .currentHumidifierDehumidifierState, of: device.functions[0], in: DeviceState(state))
            #expect(derived == .integer(activity))
        }
    }

    @Test("uses the operator's humidity as the target, and sends no mode to a device with one mode")
    func command() {
        let dehumidifier = Self.device { $0.dehumidifies = true }
        let rules = LightKind.humidifier.rules.adapted(to: dehumidifier.functions)
        #expect(rules.command(values(current: 45), over: DeviceState()) == values(dehumidify: 45))
        var written = values(on: true, dehumidify: 40)
        written[Property(.targetHumidifierDehumidifierState)] = .integer(2)
        #expect(rules.command(written, over: DeviceState()) == values(on: true, dehumidify: 40))
        #expect(rules.resembles(values(dehumidify: 41), values(dehumidify: 40)))
        #expect(!rules.resembles(values(dehumidify: 45), values(dehumidify: 40)))
    }
}
