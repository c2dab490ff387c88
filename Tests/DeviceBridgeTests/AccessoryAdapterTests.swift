import DeviceKit
import HAPModel
import Testing

@testable import AccessoryRole
@testable import DeviceBridge

@Suite("AccessoryAdapter")
struct AccessoryAdapterTests {
    private func adapter(
        _ kind: LightKind = .light, brightness: Bool = false, color: Bool = false, temperature: ClosedRange<Int>? = nil
    ) -> AccessoryAdapter {
        AccessoryAdapter(
            LightDescription(
                id: "x", name: "X", kind: kind,
                capabilities: LightCapabilities(brightness: brightness, color: color, temperature: temperature)), "X",
            InstanceIDs())
    }

    private func types(_ adapter: AccessoryAdapter) -> [CharacteristicType] {
        adapter.accessory(2, state: DeviceState()).services[1].characteristics.map(\.type)
    }

    @Test("offers the characteristics for the light's capabilities, with hue and saturation before color temperature")
    func capabilities() {
        #expect(types(adapter()) == [.on])
        #expect(types(adapter(brightness: true)) == [.on, .brightness])
        #expect(types(adapter(brightness: true, color: true)) == [.on, .brightness, .hue, .saturation])
        #expect(types(adapter(temperature: 200...300)) == [.on, .colorTemperature])
        #expect(
            types(adapter(brightness: true, color: true, temperature: 153...500))
                == [
                    .on, .brightness, .hue, .saturation, .colorTemperature,
                    .supportedCharacteristicValueTransitionConfiguration, .characteristicValueTransitionControl,
                    .characteristicValueActiveTransitionCount,
                ])
    }

    @Test("gives switches and outlets no light characteristics")
    func others() {
        let all = LightCapabilities(brightness: true, color: true, temperature: 153...500)
        let kinds: [(LightKind, ServiceType, [CharacteristicType])] = [
            (.switch, .switch, [.on]), (.outlet, .outlet, [.on, .outletInUse]), (.light, .lightbulb, []),
        ]
        for (kind, service, characteristics) in kinds {
            let adapter = adapter(kind, brightness: all.brightness, color: all.color, temperature: all.temperature)
            #expect(adapter.accessory(2, state: DeviceState()).services[1].type == service)
            if kind != .light { #expect(types(adapter) == characteristics) }
        }
        var state = DeviceState()
        state.values.on = true
        let outlet = adapter(.outlet).accessory(2, state: state).services[1].characteristics
        #expect(outlet.map(\.value) == [.bool(true), .bool(true)])
    }

    @Test(
        "clamps color temperature limits to HomeKit's range, and drops limits outside it",
        arguments: [
            (153...500, 153...500), (1...1000, 50...500), (500...600, 500...500), (1...49, nil), (501...900, nil),
            (50...50, 50...50), (-5...60, 50...60), (Int.min...Int.max, 50...500),
        ] as [(ClosedRange<Int>, ClosedRange<Int>?)])
    func ranges(given: ClosedRange<Int>, shown: ClosedRange<Int>?) throws {
        let accessory = adapter(temperature: given).accessory(2, state: DeviceState())
        try accessory.checkCompliance()
        let metadata = accessory.services[1].characteristics.first { $0.type == .colorTemperature }?.metadata
        #expect(adapter(temperature: given).description.capabilities.temperature != nil)
        #expect(metadata?.minimum == shown.map { Double($0.lowerBound) })
        #expect(metadata?.maximum == shown.map { Double($0.upperBound) })
    }

    @Test("creates compliant accessories for every kind, capability and state")
    func compliance() throws {
        var states = [DeviceState()]
        for report in [
            LightReport(brightness: 0, color: .hueSaturation(hue: -7, saturation: 900)),
            LightReport(brightness: 1000, color: .hueSaturation(hue: .nan, saturation: 1)),
            LightReport(brightness: 1, color: .temperature(mired: Int.max)),
            LightReport(brightness: Int.min, color: .temperature(mired: Int.min)),
            LightReport(color: .hueSaturation(hue: 1e300, saturation: -.infinity)),
            LightReport(color: .hueSaturation(hue: 360, saturation: 100)),
        ] {
            var state = DeviceState()
            state.apply(report, .light)
            states.append(state)
        }
        for kind in [LightKind.light, .switch, .outlet] {
            for bits in 0..<8 {
                let adapter = adapter(
                    kind, brightness: bits & 1 != 0, color: bits & 2 != 0, temperature: bits & 4 != 0 ? 100...400 : nil)
                for state in states {
                    let accessory = adapter.accessory(2, state: state)
                    try accessory.checkCompliance()
                    #expect(accessory.services[0].iid == 1)
                }
            }
        }
    }

    @Test("replaces strings that controllers reject")
    func information() throws {
        let adapter = AccessoryAdapter(
            LightDescription(
                id: "x", name: "X", manufacturer: "", model: String(repeating: "ü", count: 90), serialNumber: "7",
                firmware: "beta"), "X", InstanceIDs())
        let accessory = adapter.accessory(2, state: DeviceState())
        try accessory.checkCompliance()
        let texts = accessory.services[0].characteristics.compactMap { $0.value?.string }
        #expect(texts == ["Unknown", String(repeating: "ü", count: 32), "X", "Unknown", "0.0.1"])
    }

    @Test("keeps iids, and never reuses them")
    func identifiers() {
        let full = adapter(brightness: true, color: true, temperature: 153...500)
        let plain = AccessoryAdapter(adapter().description, "X", full.ids)
        #expect(plain.ids == full.ids)
        let outlet = AccessoryAdapter(adapter(.outlet).description, "X", plain.ids)
        #expect(Set(outlet.ids.ids.values).count == outlet.ids.ids.count)
        #expect(outlet.ids.ids.filter { full.ids.ids[$0.key] != nil } == full.ids.ids)
        let back = AccessoryAdapter(full.description, "X", outlet.ids)
        #expect(back.accessory(2, state: DeviceState()) == full.accessory(2, state: DeviceState()))
    }

    // MARK: Commands

    private func command(
        _ values: [(CharacteristicType, CharacteristicValue)], _ state: DeviceState = DeviceState()
    ) -> LightCommand {
        let adapter = adapter(brightness: true, color: true, temperature: 50...500)
        let writes = values.compactMap { type, value in
            adapter.place(of: type).map {
                CharacteristicWrite(iid: $0.iid, service: .lightbulb, type: type, value: value)
            }
        }
        return adapter.command(for: writes, state: state)
    }

    @Test("merges the values of a request into one command")
    func commands() {
        #expect(command([(.on, .bool(true))]) == LightCommand(on: true))
        #expect(command([(.brightness, .integer(40))]) == LightCommand(brightness: 40))
        #expect(command([(.on, .bool(true)), (.brightness, .integer(40))]) == LightCommand(on: true, brightness: 40))
        #expect(
            command([(.hue, .float(120)), (.saturation, .float(50))])
                == LightCommand(color: .hueSaturation(hue: 120, saturation: 50)))
        #expect(command([(.colorTemperature, .integer(300))]) == LightCommand(color: .temperature(mired: 300)))
        #expect(command([]).isEmpty)
    }

    @Test("keeps the hue if only the saturation is written, and vice versa")
    func half() {
        var state = DeviceState()
        state.apply(LightReport(color: .hueSaturation(hue: 10, saturation: 90)), .light)
        #expect(command([(.hue, .float(20))], state) == LightCommand(color: .hueSaturation(hue: 20, saturation: 90)))
        #expect(
            command([(.saturation, .float(20))], state) == LightCommand(color: .hueSaturation(hue: 10, saturation: 20)))
    }

    @Test(
        "switches off for Brightness 0, and sets the lowest level if On is also written, in any order")
    func zero() {
        let zero = (CharacteristicType.brightness, CharacteristicValue.integer(0))
        let on = (CharacteristicType.on, CharacteristicValue.bool(true))
        let off = (CharacteristicType.on, CharacteristicValue.bool(false))
        #expect(command([zero]) == LightCommand(on: false))
        for values in [[zero, off], [off, zero]] { #expect(command(values) == LightCommand(on: false)) }
        for values in [[zero, on], [on, zero]] { #expect(command(values) == LightCommand(on: true, brightness: 1)) }
        // The last value for a characteristic is used.
        #expect(command([zero, (.brightness, .integer(5))]) == LightCommand(brightness: 5))
        #expect(command([(.brightness, .integer(5)), zero]) == LightCommand(on: false))
        #expect(command([on, zero, off]) == LightCommand(on: false))
    }

    @Test("limits an operator's command to the light's capabilities")
    func possible() {
        let wish = LightCommand(on: true, brightness: 5, color: .temperature(mired: 1000))
        #expect(adapter().possible(wish, state: DeviceState()) == LightCommand(on: true))
        #expect(
            adapter(brightness: true, temperature: 200...300).possible(wish, state: DeviceState())
                == LightCommand(on: true, brightness: 5, color: .temperature(mired: 300)))
        #expect(
            adapter(color: true).possible(LightCommand(color: .temperature(mired: 300)), state: DeviceState()) == nil)
        #expect(adapter().possible(LightCommand(brightness: 5), state: DeviceState()) == nil)
    }

    @Test("shows a white on the color wheel, and keeps it while a color is shown")
    func modes() {
        var state = DeviceState()
        state.apply(LightCommand(color: .temperature(mired: 400)), .light)
        #expect(state.isWhite)
        #expect((20...45).contains(state[.hue] ?? 0))
        let hue = state[.hue]
        state.apply(LightCommand(color: .hueSaturation(hue: 200, saturation: 10)), .light)
        #expect(state[.colorTemperature] == 400)
        #expect(!state.isWhite)
        state.apply(LightCommand(color: .temperature(mired: 400)), .light)
        #expect(state[.hue] == hue)
    }
}
