internal import AccessoryRole
internal import BoundedJSON
internal import DeviceBridge
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol

/// A long random sequence of bridge events during which no identity may ever be reassigned.
///
/// Lights appear, disappear and change their names and capabilities, and the bridge restarts, in an order that depends
/// only on the seed. After each step, the walk compares the state that a controller would remember with all earlier
/// states.
package struct IdentityWalk: Sendable {
    private let steps: Int
    private let open: @Sendable () async throws -> StoreContract.Opened
    private let disturb: (@Sendable (Bool) -> Void)?
    private var random: SeededNumbers
    /// A Boolean value that indicates whether storing a light has failed since the last start.
    ///
    /// If so, the light may have an older state after a restart.
    private var isForgetful = false
    /// The number of the newest light.
    ///
    /// Only this light and the 15 lights before it appear and disappear.
    private var youngest = 15

    /// Creates a walk.
    ///
    /// `disturb` makes the store fail to save lights. `open` opens the store, initially and after each restart.
    package init(
        seed: UInt64, steps: Int = 1000, disturb: (@Sendable (Bool) -> Void)? = nil,
        open: @escaping @Sendable () async throws -> StoreContract.Opened
    ) {
        self.steps = steps
        self.open = open
        self.disturb = disturb
        random = SeededNumbers(seed: seed)
    }

    /// The state that a controller would remember.
    private struct Memory {
        var aids: [LightKey: AccessoryID] = [:]
        var keys: [AccessoryID: LightKey] = [:]
        var iids: [AccessoryID: [String: InstanceID]] = [:]
        var parts: [AccessoryID: [InstanceID: String]] = [:]
        var database: [UInt8] = []
        var number: UInt16 = 0
    }

    /// Runs the walk.
    ///
    /// - Returns: The violated rules, with the step of each violation; empty if there are none.
    /// - Throws: The store's error.
    package mutating func violations() async throws -> [String] {
        var memory = Memory()
        var found: [String] = []
        var opened = try await open()
        var bridge = try await BridgeUnderTest(opened.store, stored: opened.stored)
        _ = try await check(bridge, &memory, mayChange: true)
        for step in 0..<steps where found.count < 5 {
            var mayChange = true
            if random.next(below: 20) == 0 {
                opened = try await open()
                bridge = try await BridgeUnderTest(opened.store, stored: opened.stored)
                mayChange = isForgetful
                isForgetful = false
            } else {
                for _ in 0...random.next(below: 2) { await change(bridge) }
                if random.next(below: 50) == 0 {
                    // A forgotten light gets a new aid when it returns.
                    for light in try await bridge.lights.purge() { memory.aids[light.key] = nil }
                }
                await bridge.scheduler.advance(by: AccessoryWalkTimes.reconciliation)
                await bridge.server.reconcileStructure()
            }
            found += try await check(bridge, &memory, mayChange: mayChange).map { "step \(step): \($0)" }
            await bridge.scheduler.advance(by: AccessoryWalkTimes.completion)
            // Wait for changes that are being stored.
            await bridge.lights.use([:])
            await bridge.server.reconcileStructure()
            found += try await check(bridge, &memory, mayChange: true).map { "after step \(step): \($0)" }
        }
        return found
    }

    private mutating func change(_ bridge: BridgeUnderTest) async {
        if random.next(below: 25) == 0 {
            // One light is removed permanently, and a new light appears. The new light's aid must never have been used,
            // even before a restart.
            await bridge.host.removed(LightID("light \(youngest - 15)"))
            youngest += 1
        }
        let light = LightID("light \(youngest - random.next(below: 16))")
        let isBroken = disturb != nil && random.next(below: 25) == 0
        if isBroken {
            disturb?(true)
            isForgetful = true
        }
        if random.next(below: 3) == 0 {
            await bridge.host.removed(light)
        } else {
            await bridge.host.added(description(light))
            await bridge.host.report(
                LightReport(on: random.next(below: 2) == 0, reachable: random.next(below: 4) > 0), from: light)
        }
        if isBroken { disturb?(false) }
    }

    private mutating func description(_ light: LightID) -> LightDescription {
        var capabilities = LightCapabilities(
            brightness: random.next(below: 2) == 0, color: random.next(below: 2) == 0,
            temperature: [nil, 153...500, 200...400][random.next(below: 3)])
        capabilities.speed = random.next(below: 2) == 0
        capabilities.oscillation = random.next(below: 2) == 0
        capabilities.readings = Set(SensorReading.allCases.filter { _ in random.next(below: 3) == 0 })
        return LightDescription(
            id: light, name: ["Lamp", "Lamp", "Desk", "Lamp 2", "💡"][random.next(below: 5)],
            kind: random.next(below: 4) > 0 ? .light : LightKind.allCases[random.next(below: 5)],
            capabilities: capabilities, firmware: ["1.0", "1.1"][random.next(below: 2)])
    }

    // MARK: Checks

    private func check(_ bridge: BridgeUnderTest, _ memory: inout Memory, mayChange: Bool) async throws -> [String] {
        var found: [String] = []
        let snapshots = await bridge.lights.snapshots()
        let accessories = await bridge.server.accessories
        for snapshot in snapshots {
            if memory.aids[snapshot.key, default: snapshot.aid] != snapshot.aid {
                found.append("\(snapshot.key) has a different aid")
            }
            if memory.keys[snapshot.aid, default: snapshot.key] != snapshot.key {
                found.append("aid \(snapshot.aid) belonged to another light")
            }
            memory.aids[snapshot.key] = snapshot.aid
            memory.keys[snapshot.aid] = snapshot.key
        }
        if Set(accessories.map(\.aid)) != Set(snapshots.map(\.aid) + [.bridge]) {
            found.append("there are accessories without a light, or lights without an accessory")
        }
        if Set(snapshots.map(\.name)).count != snapshots.count { found.append("two lights have the same name") }
        for accessory in accessories {
            try accessory.checkCompliance()
            for service in accessory.services {
                note("\(service.type)", service.iid, accessory.aid, &memory, &found)
                for characteristic in service.characteristics {
                    note("\(service.type)/\(characteristic.type)", characteristic.iid, accessory.aid, &memory, &found)
                }
            }
        }
        return found + (await checkNumber(bridge, accessories, &memory, mayChange: mayChange))
    }

    private func note(
        _ part: String, _ iid: InstanceID, _ aid: AccessoryID, _ memory: inout Memory, _ found: inout [String]
    ) {
        if memory.iids[aid]?[part] ?? iid != iid { found.append("\(part) of \(aid) has a different iid") }
        if memory.parts[aid]?[iid] ?? part != part { found.append("iid \(aid).\(iid) belonged to another part") }
        memory.iids[aid, default: [:]][part] = iid
        memory.parts[aid, default: [:]][iid] = part
    }

    private func checkNumber(
        _ bridge: BridgeUnderTest, _ accessories: [AccessoryObject], _ memory: inout Memory, mayChange: Bool
    ) async -> [String] {
        var found: [String] = []
        var json = JSONWriter()
        for accessory in accessories { json.accessory(accessory, values: false) }
        let number = await bridge.server.configurationNumber
        let isChange = json.bytes != memory.database
        let next: UInt16 = memory.number == .max ? 1 : memory.number + 1
        if memory.number != 0, number != (isChange ? next : memory.number) {
            found.append(
                "c# is \(number) after \(memory.number), and the database has \(isChange ? "" : "not ")changed")
        }
        if isChange, !mayChange { found.append("a restart has changed the database") }
        if await bridge.server.advertisement.configurationNumber != number {
            found.append("the advertised c# isn't the current c#")
        }
        memory.database = json.bytes
        memory.number = number
        return found
    }
}

private enum AccessoryWalkTimes {
    /// A period after which all structure changes have been collected.
    static let reconciliation = Duration.milliseconds(1001)
    /// The period that, together with `reconciliation`, exceeds the 10 s in which a driver must describe a restored
    /// light.
    ///
    /// After these 10 s, functions that are missing in the description are removed.
    static let completion = Duration.milliseconds(9500)
}

extension SeededNumbers {
    fileprivate mutating func next(below bound: Int) -> Int { .random(in: 0..<bound, using: &self) }
}
