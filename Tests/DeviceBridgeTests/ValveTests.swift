import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import DeviceBridge

extension LightDescription {
    fileprivate static let tap = LightDescription(
        id: "tap", name: "Tap", kind: .valve, capabilities: LightCapabilities())
    fileprivate static let garden = LightDescription(
        id: "garden", name: "Garden", kind: .valve,
        functions: [.irrigationSystem(["lawn", "hedge"])]
            + ["lawn", "hedge"].map { AccessoryFunction.valve().irrigationValve($0, name: $0) })
}

@Suite("A valve", .timeout)
struct ValveTests {
    private func iid(_ type: CharacteristicType, _ bridge: BridgeUnderTest) async throws -> UInt64 {
        try #require(await bridge.place(type, of: "tap")).iid.rawValue
    }

    private func value(_ type: CharacteristicType, _ bridge: BridgeUnderTest) async throws -> Double? {
        await bridge.value(try #require(await bridge.place(type, of: "tap")))?.number
    }

    private func commands(_ bridge: BridgeUnderTest) -> [LightCommand] { bridge.driver.orders.map(\.command) }

    @Test("has the characteristics that HAP requires, and durations up to two days")
    func accessory() throws {
        let accessory = AccessoryAdapter(.tap, "Tap", InstanceIDs()).accessory(2, state: DeviceState())
        try accessory.checkCompliance()
        let valve = accessory.services[1]
        #expect(valve.type == .valve)
        #expect(
            valve.characteristics.map(\.type)
                == [.active, .inUse, .valveType, .setDuration, .remainingDuration])
        #expect(valve.characteristics.first { $0.type == .setDuration }?.metadata.maximum == 172_800)
    }

    @Test("is in use as soon as it is active, and the bridge keeps its duration")
    func use() async throws {
        let house = try await House([.tap])
        let bridge = house.bridge
        let session = try await house.session()
        let (active, use) = (try await iid(.active, bridge), try await iid(.inUse, bridge))
        let (set, left) = (try await iid(.setDuration, bridge), try await iid(.remainingDuration, bridge))
        let all = [active, use, left].map { #"{"aid":2,"iid":\#($0),"ev":true}"# }.joined(separator: ",")
        _ = try await session.write(all)
        #expect(try await session.write(#"{"aid":2,"iid":\#(set),"value":60}"#).status == 204)
        #expect(commands(bridge).isEmpty)
        await house.report(LightReport(on: true), "tap")
        #expect(
            await session.events
                == [
                    #"{"characteristics":[{"aid":2,"iid":\#(active),"value":1},{"aid":2,"iid":\#(use),"value":1},"#
                        + #"{"aid":2,"iid":\#(left),"value":60}]}"#
                ])
        // Controllers count down themselves.
        for _ in 0..<30 { await house.advance(.seconds(1)) }
        #expect(await session.events.count == 1)
        #expect(try await value(.remainingDuration, bridge) == 30)
        await house.report(LightReport(on: false), "tap")
        #expect(try await value(.remainingDuration, bridge) == 0)
        #expect(try await value(.inUse, bridge) == 0)
        #expect(commands(bridge).isEmpty)
    }

    @Test("is closed by the bridge when its duration is over, with retries until it is closed")
    func end() async throws {
        let house = try await House([.tap])
        let bridge = house.bridge
        let session = try await house.session()
        let (active, set) = (try await iid(.active, bridge), try await iid(.setDuration, bridge))
        _ = try await session.write(
            #"{"aid":2,"iid":\#(set),"value":10},{"aid":2,"iid":\#(active),"value":1}"#)
        #expect(commands(bridge) == [LightCommand(on: true)])
        await house.report(LightReport(on: true), "tap")
        for _ in 0..<9 { await house.advance(.seconds(1)) }
        #expect(commands(bridge).count == 1)
        func closings(in seconds: Int) async -> Int {
            let count = commands(bridge).count
            for _ in 0..<seconds { await house.advance(.seconds(1)) }
            let new = commands(bridge)[count...]
            #expect(new.allSatisfy { $0 == LightCommand(on: false) })
            return new.count
        }
        bridge.driver.set("tap", .refuses(.busy))
        #expect(await closings(in: 1) == 1)
        // The valve accepts the next command, but stays open.
        bridge.driver.set("tap", .reports([LightReport(on: true)]))
        #expect(await closings(in: 5) == 1)
        bridge.driver.set("tap", .reports([LightReport(on: false)]))
        #expect(await closings(in: 5) == 1)
        #expect(await closings(in: 20) == 0)
        #expect(try await value(.active, bridge) == 0)
        // If the valve is opened manually, a new run starts.
        await house.report(LightReport(on: true), "tap")
        #expect(try await value(.remainingDuration, bridge) == 10)
    }

    @Test("runs again if a controller opens it shortly after its end")
    func again() async throws {
        let house = try await House([.tap])
        let bridge = house.bridge
        let session = try await house.session()
        let (active, set) = (try await iid(.active, bridge), try await iid(.setDuration, bridge))
        bridge.driver.set("tap", .reports([LightReport(on: true)]))
        _ = try await session.write(#"{"aid":2,"iid":\#(set),"value":10},{"aid":2,"iid":\#(active),"value":1}"#)
        bridge.driver.set("tap", .reports([LightReport(on: false)]))
        for _ in 0..<11 { await house.advance(.seconds(1)) }
        #expect(try await value(.active, bridge) == 0)
        bridge.driver.set("tap", .reports([LightReport(on: true)]))
        _ = try await session.write(#"{"aid":2,"iid":\#(active),"value":1}"#)
        for _ in 0..<7 { await house.advance(.seconds(1)) }
        #expect(try await value(.active, bridge) == 1)
        #expect(try await value(.remainingDuration, bridge) == 3)
        #expect(commands(bridge) == [LightCommand(on: true), LightCommand(on: false), LightCommand(on: true)])
    }

    @Test("runs again if it is opened as soon as it has reported its end")
    func openedByHand() async throws {
        let house = try await House([.tap])
        let bridge = house.bridge
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":\#(try await iid(.setDuration, bridge)),"value":10}"#)
        await house.report(LightReport(on: true), "tap")
        bridge.driver.set("tap", .reports([LightReport(on: false)]))
        for _ in 0..<12 { await house.advance(.seconds(1)) }
        await house.report(LightReport(on: true), "tap")
        #expect(try await value(.remainingDuration, bridge) == 10)
        for _ in 0..<9 { await house.advance(.seconds(1)) }
        #expect(commands(bridge) == [LightCommand(on: false)])
    }

    @Test("is closed again without a new run after an old report that it's open", arguments: [3, 8, 50])
    func oldReport(after seconds: Int) async throws {
        let house = try await House([.tap])
        let bridge = house.bridge
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":\#(try await iid(.setDuration, bridge)),"value":10}"#)
        await house.report(LightReport(on: true), "tap")
        for _ in 0..<10 + seconds { await house.advance(.seconds(1)) }
        #expect(try await value(.active, bridge) == 0)
        let count = commands(bridge).count
        await house.report(LightReport(on: true), "tap")
        #expect(try await value(.remainingDuration, bridge) == 0)
        for _ in 0..<5 { await house.advance(.seconds(1)) }
        #expect(commands(bridge).count > count)
        #expect(try await value(.active, bridge) == 0)
    }

    @Test("stays open without a duration, and restarts the countdown when the duration changes")
    func change() async throws {
        let house = try await House([.tap])
        let bridge = house.bridge
        let session = try await house.session()
        await house.report(LightReport(on: true), "tap")
        for _ in 0..<10 { await house.advance(.seconds(600)) }
        #expect(commands(bridge).isEmpty)
        let set = try await iid(.setDuration, bridge)
        _ = try await session.write(#"{"aid":2,"iid":\#(set),"value":20}"#)
        #expect(try await value(.remainingDuration, bridge) == 20)
        for _ in 0..<20 { await house.advance(.seconds(1)) }
        #expect(commands(bridge) == [LightCommand(on: false)])
    }

    @Test(
        "ends a run that continues across a restart, or that is over by then",
        arguments: [(200, false), (5000, true)])
    func restart(after seconds: Int, isOver: Bool) async throws {
        let house = try await House([.tap])
        let session = try await house.session()
        let set = try await iid(.setDuration, house.bridge)
        _ = try await session.write(#"{"aid":2,"iid":\#(set),"value":300}"#)
        await house.report(LightReport(on: true), "tap")
        await house.bridge.lights.saveStates()
        let again = try await BridgeUnderTest(
            house.store, stored: house.store.bridge, lights: [.tap], wallClock: { .seconds(seconds) })
        #expect(try await value(.setDuration, again) == 300)
        await again.host.report(LightReport(on: true, reachable: true), from: "tap")
        for _ in 0..<2 { await again.scheduler.advance(by: .seconds(1)) }
        #expect(commands(again) == (isOver ? [LightCommand(on: false)] : []))
        guard !isOver else { return }
        #expect(try await value(.remainingDuration, again) == 98)
        for _ in 0..<98 { await again.scheduler.advance(by: .seconds(1)) }
        #expect(commands(again) == [LightCommand(on: false)])
    }

    private static func open(_ valves: [String: Bool]) -> LightReport {
        var report = LightReport(reachable: true)
        for (id, isOpen) in valves { report.values[Property(.on, of: id)] = .bool(isOpen) }
        return report
    }

    /// Returns the iids of a characteristic of the system and its two valves.
    private func iids(_ type: CharacteristicType, _ bridge: BridgeUnderTest) async throws -> [UInt64] {
        let accessory = try #require(await bridge.server.accessories.first { $0.aid == 2 })
        return accessory.services.flatMap(\.characteristics).filter { $0.type == type }.map(\.iid.rawValue)
    }

    private func values(_ type: CharacteristicType, _ bridge: BridgeUnderTest) async throws -> [Double] {
        var values: [Double] = []
        for iid in try await iids(type, bridge) {
            values.append(try #require(await bridge.value(CharacteristicID(2, InstanceID(iid)))?.number))
        }
        return values
    }

    @Test("is part of an irrigation system, which follows its valves")
    func system() async throws {
        let adapter = AccessoryAdapter(.garden, "Garden", InstanceIDs())
        let accessory = adapter.accessory(2, state: DeviceState())
        try accessory.checkCompliance()
        let (system, valves) = (accessory.services[1], accessory.services.dropFirst(2))
        #expect(system.type == .irrigationSystem && system.isPrimary && system.linked == valves.map(\.iid))
        #expect(system.characteristics.map(\.type) == [.active, .programMode, .inUse, .remainingDuration])
        #expect(valves.map(\.type) == [.valve, .valve])
        var state = DeviceState()
        adapter.addInitialValues(to: &state)
        for (report, isActive) in [
            (Self.open(["lawn": true]), true), (Self.open(["hedge": true]), true),
            (Self.open(["lawn": false]), true), (Self.open(["hedge": false]), false),
        ] {
            state.apply(report.values, adapter.rules)
            #expect(state[.on] == isActive)
            let shown = adapter.accessory(2, state: state).services[1].characteristics
            let value = CharacteristicValue.integer(isActive ? 1 : 0)
            #expect(shown.map(\.value) == [value, .integer(0), value, .integer(0)])
        }
        state.apply(Self.open(["lawn": true]).values, adapter.rules)
        #expect(adapter.possible(LightCommand(on: true), state: state) == nil)
        let off = try #require(adapter.possible(LightCommand(on: false), state: state))
        #expect(off.values.map(\.property) == [Property(.on, of: "lawn")])
    }

    @Test("ends the run of each valve of an irrigation system, also after a restart")
    func systemRuns() async throws {
        let house = try await House([.garden])
        let bridge = house.bridge
        let session = try await house.session()
        let set = try await iids(.setDuration, bridge)
        _ = try await session.write(
            #"{"aid":2,"iid":\#(set[0]),"value":10},{"aid":2,"iid":\#(set[1]),"value":300}"#)
        await house.report(Self.open(["lawn": true, "hedge": true]), "garden")
        #expect(try await values(.remainingDuration, bridge) == [300, 10, 300])
        bridge.driver.set("garden", .reports([Self.open(["lawn": false])]))
        for _ in 0..<11 { await house.advance(.seconds(1)) }
        #expect(commands(bridge).map(\.values) == [Self.open(["lawn": false]).values])
        #expect(try await values(.remainingDuration, bridge) == [289, 0, 289])
        #expect(try await values(.inUse, bridge) == [1, 0, 1])
        await bridge.lights.saveStates()
        let again = try await BridgeUnderTest(
            house.store, stored: house.store.bridge, lights: [.garden], wallClock: { .seconds(250) })
        #expect(try await iids(.setDuration, again) == set)
        await again.host.report(Self.open(["lawn": false, "hedge": true]), from: "garden")
        await again.scheduler.advance(by: .seconds(1))
        let left = try await values(.remainingDuration, again)
        #expect(left[0] == left[2] && left[1] == 0 && (40...60).contains(left[0]), "\(left)")
        again.driver.set("garden", .reports([Self.open(["hedge": false])]))
        for _ in 0..<60 { await again.scheduler.advance(by: .seconds(1)) }
        #expect(commands(again).map(\.values) == [Self.open(["hedge": false]).values])
        #expect(try await values(.active, again) == [0, 0, 0])
    }

    @Test("ignores durations that a driver reports")
    func foreign() async throws {
        let house = try await House([.tap])
        var report = LightReport(on: true)
        report.values[Property(.setDuration)] = .integer(30)
        report.values[Property(.remainingDuration)] = .integer(20)
        await house.report(report, "tap")
        #expect(try await value(.setDuration, house.bridge) == 0)
        #expect(try await value(.remainingDuration, house.bridge) == 0)
    }
}
