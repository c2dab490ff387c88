import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole
@testable import DeviceBridge

extension LightDescription {
    /// A fan with speed, direction and oscillation.
    ///
    /// If it is the first light, its aid is 2. The iids are 9 (Active), 10 (speed), 11 (direction) and 12 (swing mode).
    fileprivate static let fan = LightDescription(
        id: "fan", name: "Fan", kind: .fan, capabilities: .fan(speed: true, direction: true, oscillation: true))
}

@Suite("A fan", .timeout)
struct FanTests {
    private func adapter(_ capabilities: LightCapabilities) -> AccessoryAdapter {
        AccessoryAdapter(
            LightDescription(id: "x", name: "X", kind: .fan, capabilities: capabilities), "X", InstanceIDs())
    }

    @Test("offers the characteristics for its capabilities")
    func capabilities() throws {
        let table: [(LightCapabilities, [CharacteristicType])] = [
            (LightCapabilities(brightness: true), [.active]),
            (.fan(speed: true), [.active, .rotationSpeed]),
            (
                .fan(speed: true, direction: true, oscillation: true),
                [.active, .rotationSpeed, .rotationDirection, .swingMode]
            ),
        ]
        for (capabilities, types) in table {
            let accessory = adapter(capabilities).accessory(2, state: DeviceState())
            try accessory.checkCompliance()
            #expect(accessory.services[1].type == .fanv2 && accessory.services[1].isPrimary)
            #expect(accessory.services[1].characteristics.map(\.type) == types)
        }
    }

    private func command(_ values: [(CharacteristicType, CharacteristicValue)]) -> LightCommand {
        let adapter = adapter(.fan(speed: true, direction: true, oscillation: true))
        let writes = values.compactMap { type, value in
            adapter.place(of: type).map { CharacteristicWrite(iid: $0.iid, service: .fanv2, type: type, value: value) }
        }
        return adapter.command(for: writes, state: DeviceState())
    }

    @Test("merges values into one command, and switches off for speed 0 without losing its speed")
    func commands() {
        var all = LightCommand(on: true)
        all.speed = 40
        all.direction = .counterclockwise
        all.oscillates = true
        #expect(
            command([
                (.active, .integer(1)), (.rotationSpeed, .float(40)), (.rotationDirection, .integer(1)),
                (.swingMode, .integer(1)),
            ]) == all)
        #expect(command([(.active, .integer(0))]) == LightCommand(on: false))
        #expect(command([(.rotationSpeed, .float(0))]) == LightCommand(on: false))
        #expect(command([(.rotationSpeed, .float(0)), (.active, .integer(1))]) == LightCommand(on: false))
    }

    @Test("shows presets as linked switches, and speeds in steps")
    func presets() throws {
        let accessory = Self.presets.accessory(2, state: DeviceState())
        try accessory.checkCompliance()
        let fan = accessory.services[1]
        #expect(fan.characteristics.map(\.type) == [.active, .rotationSpeed, .targetFanState])
        #expect(fan.characteristics[1].metadata.step == 25)
        #expect(accessory.services.dropFirst(2).map(\.type) == [.switch, .switch])
        #expect(fan.linked == accessory.services.dropFirst(2).map(\.iid))
    }

    private static var presets: AccessoryAdapter {
        var features = FanFeatures()
        (features.speeds, features.hasAuto, features.presets) = (4, true, ["sleep", "nature"])
        return AccessoryAdapter(
            LightDescription(id: "x", name: "X", kind: .fan, functions: features.functions), "X", InstanceIDs())
    }

    private static func values(_ speed: Int?, auto: Bool? = nil, sleep: Bool? = nil) -> PropertyValues {
        var values = PropertyValues()
        (values.speed, values.blowsAutomatically) = (speed, auto)
        values[FanFeatures.preset("sleep")] = sleep.map { .bool($0) }
        return values
    }

    @Test(
        "ends the automatic mode and presets by a speed, and returns from the automatic mode to the last speed",
        arguments: [
            (values(75, auto: false), values(50, auto: true), values(nil, auto: true)),
            (values(75, auto: true), values(50), values(50, auto: false)),
            (values(75, auto: true), values(nil, auto: false), values(75, auto: false)),
            (values(75, auto: false), values(nil, auto: false), values(nil, auto: false)),
            (values(75, auto: false, sleep: true), values(60), values(50, sleep: false)),
            (values(75), values(10), values(25)),
        ])
    func rules(before: PropertyValues, written: PropertyValues, sent: PropertyValues) {
        let state = DeviceState(before)
        let command = Self.presets.possible(LightCommand(written), state: state)
        #expect(command?.values == sent)
    }

    @Test("is in one mode at a time")
    func modes() {
        let rules = Self.presets.rules
        var state = DeviceState(Self.values(75, auto: true, sleep: false))
        state.apply(Self.values(nil, sleep: true), rules)
        #expect(state.values.blowsAutomatically == false)
        state.apply(Self.values(nil, auto: true), rules)
        #expect(state.values[FanFeatures.preset("sleep")] == .bool(false))
    }

    @Test("shows written and reported values, and ignores echoes of an older speed")
    func endToEnd() async throws {
        let house = try await House([.fan])
        let session = try await house.session()
        let answer = try await session.write(#"{"aid":2,"iid":9,"value":1},{"aid":2,"iid":10,"value":60}"#)
        #expect(answer.status == 204)
        #expect(await house.value(2, 10) == .float(60))
        var echo = LightReport()
        echo.speed = 30
        await house.report(echo, "fan")
        #expect(await house.value(2, 10) == .float(60))
        echo.speed = 60
        await house.report(echo, "fan")
        await house.advance(.seconds(2))
        #expect(await house.value(2, 10) == .float(60))
        var turned = LightReport(on: false)
        turned.direction = .counterclockwise
        turned.oscillates = true
        await house.report(turned, "fan")
        #expect(await house.value(2, 9) == .integer(0))
        #expect(await house.value(2, 10) == .float(60))
        #expect(await house.value(2, 11) == .integer(1))
        #expect(await house.value(2, 12) == .integer(1))
    }

    @Test("ignores values beyond its capabilities in an operator's command")
    func possible() {
        var command = LightCommand(brightness: 5)
        command.speed = 5
        #expect(adapter(.fan(speed: true)).possible(command, state: DeviceState())?.speed == 5)
        #expect(adapter(.fan(speed: false)).possible(command, state: DeviceState()) == nil)
    }
}
