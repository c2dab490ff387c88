import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import DeviceBridge

@Suite("A thermostat", .timeout)
struct ThermostatTests {
    private static func device(_ change: (inout ThermostatFeatures) -> Void = { _ in }) -> LightDescription {
        var features = ThermostatFeatures()
        change(&features)
        return LightDescription(id: "stat", name: "Stat", kind: .thermostat, functions: [features.function])
    }

    private static let valve = device {
        $0.modes = [.off, .heat]
        $0.temperatures = 5...30
    }

    private func rules(_ device: LightDescription) -> any DeviceRules {
        LightKind.thermostat.rules.adapted(to: device.functions)
    }

    private func values(
        _ mode: HeatingCoolingMode? = nil, target: Double? = nil, current: Double? = nil, low: Double? = nil,
        high: Double? = nil
    ) -> PropertyValues {
        var values = PropertyValues()
        values.thermostatMode = mode
        values.targetTemperature = target
        values[.currentTemperature] = current
        (values.heatingThreshold, values.coolingThreshold) = (low, high)
        return values
    }

    @Test("offers the device's modes and limits, tenths of a degree, and all characteristics that HAP requires")
    func services() async throws {
        let house = try await House([
            Self.valve,
            LightDescription(
                id: "ac", name: "AC", kind: .thermostat,
                functions: [Self.device { $0.hasThresholds = true }.functions[0]]),
        ])
        for accessory in await house.bridge.server.accessories { try accessory.checkCompliance() }
        let services = await house.bridge.server.accessories.dropFirst().map { $0.services[1] }
        func metadata(_ type: CharacteristicType, _ service: Int = 0) -> CharacteristicMetadata? {
            services[service].characteristics.first { $0.type == type }?.metadata
        }
        #expect(metadata(.targetHeatingCoolingState)?.validValues == [0, 1])
        #expect(metadata(.targetTemperature)?.range == 5...30 && metadata(.targetTemperature)?.step == 0.1)
        #expect(metadata(.coolingThresholdTemperature) == nil)
        #expect(metadata(.coolingThresholdTemperature, 1)?.range == 7...35)
        #expect(metadata(.targetHeatingCoolingState, 1)?.validValues == [0, 1, 2, 3])
    }

    @Test("replaces a mode that the device lacks by target and temperature, and drops its current mode")
    func modes() {
        let heats = rules(Self.valve)
        let both = rules(Self.device { $0.modes = [.off, .heat, .cool] })
        let cools = rules(Self.device { $0.modes = [.off, .cool] })
        let off = values(.off, target: 20, current: 22)
        let table: [(any DeviceRules, state: PropertyValues, written: PropertyValues, command: PropertyValues)] = [
            (heats, off, values(.auto, target: 25), values(.heat, target: 25)),
            (heats, off, values(.auto), values(.heat)),
            (both, off, values(.auto, target: 25), values(.heat, target: 25)),
            (both, off, values(.auto, target: 18), values(.cool, target: 18)),
            (both, off, values(.auto), values(.cool)),
            (both, values(.off), values(.auto), values(.heat)),
            (cools, off, values(.auto, target: 25), values(.cool, target: 25)),
            (heats, values(.heat, target: 20), values(.auto, target: 21), values(target: 21)),
            (heats, values(.heat, target: 20), values(.heat), values()),
            (heats, values(.heat, target: 20), values(.off), values(.off)),
        ]
        for (rules, state, written, command) in table {
            #expect(rules.command(written, over: DeviceState(state)) == command)
        }
        // In a mode that HomeKit lacks, the last mode is shown, and choosing it changes the device.
        var drying = DeviceState(values(.cool, target: 20))
        var report = PropertyValues()
        report.setUnknown(Property(.targetHeatingCoolingState))
        drying.apply(report, both)
        #expect(drying.values == values(.cool, target: 20))
        #expect(both.command(values(.cool), over: drying) == values(.cool))
    }

    @Test("links a fan, which runs with the device, and sends one setting of its only fan mode")
    func fan() async throws {
        var features = ThermostatFeatures()
        var fan = ThermostatFan()
        (fan.speeds, fan.hasAuto, fan.swings) = (3, true, true)
        features.fan = fan
        let device = LightDescription(id: "ac", name: "AC", kind: .thermostat, functions: features.functions)
        let house = try await House([device])
        for accessory in await house.bridge.server.accessories { try accessory.checkCompliance() }
        let services = try #require(await house.bridge.server.accessories.last?.services)
        #expect(services[1].linked == [services[2].iid] && services[2].type == .fanv2)
        #expect(services[2].characteristics.map(\.type) == [.active, .rotationSpeed, .targetFanState, .swingMode])
        let rules = rules(device)
        for (mode, active) in [(HeatingCoolingMode.off, Int64(0)), (.heat, 1)] {
            #expect(
                rules.derived(.active, of: device.functions[1], in: DeviceState(values(mode))) == .integer(active))
        }
        fan.hasOff = true
        features.fan = fan
        let switched = self.rules(
            LightDescription(id: "ac", name: "AC", kind: .thermostat, functions: features.functions))
        func written(
            active: Int64? = nil, speed: Double? = nil, isAutomatic: Int64? = nil
        ) -> PropertyValues {
            var values = PropertyValues()
            values[ThermostatFan.active] = active.map { .integer($0) }
            values[ThermostatFan.speed] = speed.map { .float($0) }
            values[ThermostatFan.automatic] = isAutomatic.map { .integer($0) }
            return values
        }
        for (rules, values, command) in [
            (rules, written(speed: 0), written()), (switched, written(speed: 0), written(active: 0)),
            (switched, written(active: 1, speed: 66), written(speed: 66)),
            (switched, written(active: 0, speed: 66, isAutomatic: 1), written(active: 0)),
            (switched, written(speed: 66, isAutomatic: 1), written(isAutomatic: 1)),
            (switched, written(speed: 66, isAutomatic: 0), written(speed: 66)),
            (switched, written(active: 1), written(active: 1)),
        ] { #expect(rules.command(values, over: DeviceState()) == command) }
        #expect(switched.resembles(written(speed: 66.7), written(speed: 67)))
    }

    @Test("keeps the thresholds apart")
    func thresholds() {
        let rules = rules(Self.device { $0.hasThresholds = true })
        let state = DeviceState(values(.auto, low: 20, high: 24))
        #expect(rules.command(values(low: 22), over: state) == values(low: 22))
        #expect(rules.command(values(low: 26), over: state) == values(low: 26, high: 31))
        #expect(rules.command(values(high: 18), over: state) == values(low: 13, high: 18))
    }

    @Test("uses the threshold that Siri writes in the wrong mode as the target")
    func siriThreshold() async throws {
        let device = Self.device { $0.hasThresholds = true }
        let house = try await House([device])
        let low = try #require(await house.bridge.place(.heatingThresholdTemperature, of: "stat"))
        let id = #""aid":\#(low.aid),"iid":\#(low.iid)"#
        await house.report(LightReport(values(.cool, target: 26, current: 25, low: 19, high: 26)), "stat")
        let session = try await house.session()
        #expect(try await session.write(#"{\#(id),"ev":true,"value":27}"#).status == 204)
        #expect(house.bridge.driver.orders.map(\.command) == [LightCommand(values(target: 27))])
        await house.advance(.seconds(1))
        #expect(await house.bridge.value(low) == .float(19))
        #expect(await session.events == [#"{"characteristics":[{\#(id),"value":19}]}"#])
        let rules = rules(device)
        for (mode, written, command) in [
            (HeatingCoolingMode.heat, values(high: 18), values(target: 18)),
            (.heat, values(high: 24), values(high: 24)), (.heat, values(low: 27), values(low: 27, high: 32)),
            (.cool, values(low: 20), values(low: 20)), (.cool, values(low: 18, high: 23), values(low: 18, high: 23)),
            (.auto, values(low: 27), values(low: 27, high: 32)),
            (.cool, values(.auto, low: 27), values(.auto, low: 27, high: 32)),
        ] {
            #expect(rules.command(written, over: DeviceState(values(mode, low: 19, high: 26))) == command)
        }
    }

    @Test("derives its activity from the mode and the temperatures if the device doesn't report it")
    func activity() {
        let rules = rules(Self.device { $0.hasThresholds = true })
        let table: [(PropertyValues, HeatingCoolingMode)] = [
            (values(.heat, target: 21, current: 19), .heat), (values(.heat, target: 21, current: 21), .off),
            (values(.cool, target: 21, current: 23), .cool), (values(.cool, target: 21, current: 19), .off),
            (values(.off, target: 21, current: 19), .off), (values(.auto, target: 21, current: 19), .heat),
            (values(.auto, target: 21, current: 22, low: 20, high: 24), .off),
            (values(.auto, target: 21, current: 25, low: 20, high: 24), .cool), (values(.heat, target: 21), .off),
        ]
        for (state, activity) in table {
            let derived = rules.derived(
                .currentHeatingCoolingState, of: Self.valve.functions[0], in: DeviceState(state))
            #expect(derived == activity.characteristicValue)
        }
    }

    @Test("shows a heat-only thermostat heating after Siri has set it to automatic mode, and notifies the writer")
    func siri() async throws {
        let house = try await House([Self.valve])
        let aid = try #require(await house.bridge.aid("stat"))
        let mode = try #require(await house.bridge.place(.targetHeatingCoolingState, of: "stat"))
        let target = try #require(await house.bridge.place(.targetTemperature, of: "stat"))
        await house.report(LightReport(values(.off, target: 20, current: 18)), "stat")
        let session = try await house.session()
        let ids = #""aid":\#(aid),"iid""#
        _ = try await session.write(#"{\#(ids):\#(mode.iid),"ev":true}"#)
        let response = try await session.write(
            #"{\#(ids):\#(mode.iid),"value":3},{\#(ids):\#(target.iid),"value":22.8}"#)
        #expect(response.status == 204)
        #expect(house.bridge.driver.orders == [.init("stat", LightCommand(values(.heat, target: 22.8)))])
        await house.advance(.seconds(1))
        #expect(await house.bridge.value(mode) == .integer(1))
        #expect(await session.events == [#"{"characteristics":[{\#(ids):\#(mode.iid),"value":1}]}"#])
        await house.report(LightReport(values(.heat, target: 22.8)), "stat")
        // Repeating the write changes nothing, but the writer is notified of the mode.
        #expect(try await session.write(#"{\#(ids):\#(mode.iid),"value":3}"#).status == 204)
        await house.advance(.seconds(1))
        #expect(house.bridge.driver.orders.count == 1)
        #expect(await session.events.count == 2)
        #expect(await house.bridge.value(mode) == .integer(1))
        #expect(try await session.write(#"{\#(ids):\#(mode.iid),"value":2}"#).status == 207)
    }

    @Test("is sent an unconfirmed mode again")
    func lostMode() async throws {
        let house = try await House([Self.valve])
        let aid = try #require(await house.bridge.aid("stat"))
        let mode = try #require(await house.bridge.place(.targetHeatingCoolingState, of: "stat"))
        await house.report(LightReport(values(.off, target: 20, current: 18)), "stat")
        let session = try await house.session()
        let heat = #"{"aid":\#(aid),"iid":\#(mode.iid),"value":1}"#
        _ = try await session.write(heat)
        await house.advance(CommandPipeline.retryTime + .seconds(5))
        // The driver gets the command and its repetition.
        #expect(house.bridge.driver.orders.count == 2)
        _ = try await session.write(heat)
        #expect(house.bridge.driver.orders.last == .init("stat", LightCommand(values(.heat))))
        #expect(house.bridge.driver.orders.count == 3)
        await house.report(LightReport(values(.heat)), "stat")
        _ = try await session.write(heat)
        #expect(house.bridge.driver.orders.count == 3)
    }

    @Test("counts a target that the device rounds to its step as confirmed")
    func rounding() {
        let rules = rules(Self.valve)
        #expect(rules.resembles(values(target: 23), values(target: 22.8)))
        #expect(!rules.resembles(values(target: 24), values(target: 22.8)))
        #expect(!rules.resembles(values(.off), values(.heat)))
        #expect(!rules.isLasting(.currentHeatingCoolingState) && rules.isLasting(.targetTemperature))
    }
}
