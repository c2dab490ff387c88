package import AccessoryRole
package import DeviceBridge
internal import DeviceKit
internal import HAPCrypto
internal import HAPModel
package import HAPProtocol

/// Checks whether a store meets the requirements in the comments of `AccessoryServerStore` and `LightStore`.
package struct StoreContract: Sendable {
    /// A store and its content.
    package typealias Opened = (store: any AccessoryServerStore & LightStore, stored: StoredBridge)

    /// Opens the same store again, as after a restart.
    ///
    /// The first call opens a new store.
    package let open: @Sendable () async throws -> Opened

    package init(open: @escaping @Sendable () async throws -> Opened) { self.open = open }

    /// Runs all checks on the store.
    ///
    /// - Returns: The violated requirements as text; empty if there are none.
    /// - Throws: The store's error.
    package func violations() async throws -> [String] {
        var found: [String] = []
        let (store, first) = try await open()
        var expected = first
        if !first.server.pairings.isEmpty || !first.lights.isEmpty || first.server.failedAttempts != 0 {
            found.append("a new store is empty")
        }
        func check(_ promise: String) async throws {
            let stored = try await open().stored
            if stored != expected { found.append(promise) }
        }
        try await check("the identity, the setup code and the configuration number are created only once")
        for list in Self.lists {
            try await store.save(list)
            expected.server.pairings = list
            try await check("pairings are loaded in their order (\(list.pairings.count))")
        }
        for count in [1, 100, 0, Int(Int32.max)] {
            try await store.save(failedAttempts: count)
            expected.server.failedAttempts = count
            try await check("the count of wrong proofs is loaded (\(count))")
        }
        for (number, hash) in [(UInt16.max, [UInt8](repeating: 0, count: 64)), (1, Array(0..<64))] {
            let configuration = StoredConfiguration(number: number, databaseHash: hash)
            try await store.save(configuration)
            expected.server.configuration = configuration
            try await check("c# and its hash are loaded (\(number))")
        }
        var ids = expected.server.instanceIDs
        _ = ids.id(of: .accessoryInformation)
        _ = ids.id(of: .name, in: .accessoryInformation)
        try await store.save(instanceIDs: ids)
        expected.server.instanceIDs = ids
        try await check("the iids of accessory 1 are loaded")
        // Lights are loaded in the order of their aids, so save them in a different order.
        for light in Self.lights(ids).reversed() {
            try await store.save(light)
            expected.lights.append(light)
            expected.lights.sort { $0.aid < $1.aid }
            expected.highestAID = max(expected.highestAID, light.aid)
            try await check("a light is loaded (\(light.key))")
        }
        if var highest = expected.lights.popLast() {
            highest.removal = 1
            try await store.save(highest)
            expected.lights.append(highest)
            try await check("a removed light is kept, even with the highest aid, which would otherwise be reused")
        }
        expected.lights = try await changeLights(store, expected.lights)
        try await check("a changed light replaces the previous one")
        expected.lights = try await changeStates(store, expected.lights)
        try await check("states are loaded, and states of unknown lights are dropped")
        for transition in [[1, 2, 3], nil] as [[UInt8]?] {
            try await store.save(transition: transition, of: LightKey(driver: "unknown", light: "x"))
            try await store.save(transition: transition, of: expected.lights[0].key)
            expected.lights[0].transition = transition
            try await check("the adaptive lighting of a light is loaded")
        }
        try await store.forget([LightKey(driver: "unknown", light: "x")] + expected.lights.dropFirst(2).map(\.key))
        expected.lights.removeLast(expected.lights.count - 2)
        try await check("forgotten lights are removed, and the other lights and the highest aid ever assigned are kept")
        try await store.forget(expected.lights.map(\.key))
        expected.lights = []
        try await check("the highest aid is kept when all lights are forgotten")
        return found
    }

    private func changeLights(_ store: any LightStore, _ lights: [StoredLight]) async throws -> [StoredLight] {
        var changed: [StoredLight] = []
        for light in lights {
            var light = light
            _ = light.instanceIDs.id(of: .lightbulb)
            light.description.name = "New name"
            light.description.capabilities = LightCapabilities(temperature: 200...300, transition: true)
            light.removal = light.isRemoved ? nil : changed.count + 1
            light.state = nil
            try await store.save(light)
            changed.append(light)
        }
        return changed
    }

    private func changeStates(_ store: any LightStore, _ lights: [StoredLight]) async throws -> [StoredLight] {
        var changed = lights
        var states: [LightKey: LightReport] = [
            LightKey(driver: "unknown", light: "x"): LightReport(on: true)
        ]
        let reports = [
            LightReport(on: true), LightReport(on: false, brightness: 1), LightReport(color: .temperature(mired: 153)),
            LightReport(color: .hueSaturation(hue: 359.9, saturation: 0.1)), LightReport(),
        ]
        for (index, report) in zip(changed.indices, reports) {
            states[changed[index].key] = report
            changed[index].state = report
        }
        try await store.save(states: states)
        return changed
    }

    private static var lists: [PairingList] {
        let admin = ControllerIdentity.random().pairing()
        let others = (0..<5).map { ControllerIdentity.random().pairing(isAdmin: $0.isMultiple(of: 2)) }
        var odd = ControllerIdentity.random().pairing()
        odd.controller = ControllerID([0, 0xFF, 0x27, 0x0A]) ?? odd.controller
        return [
            PairingList([admin]), PairingList(others + [admin, odd]), PairingList([odd] + others.reversed()),
            PairingList(), PairingList([admin]),
        ]
    }

    private static func lights(_ ids: InstanceIDs) -> [StoredLight] {
        let names = ["plain", "with/slash/es", "ünïcode ☃", "quote ' and \"", String(repeating: "x", count: 255)]
        return names.enumerated().map { index, name in
            var capabilities = LightCapabilities(
                brightness: index > 0, color: index > 1, temperature: index > 2 ? 100...500 : nil)
            var state = LightReport(on: index > 1, brightness: 100, color: .temperature(mired: 200))
            if index == 3 {
                capabilities = .fan(speed: true, direction: true, oscillation: true)
                state = LightReport(on: true)
                (state.speed, state.direction, state.oscillates) = (40, .counterclockwise, true)
            } else if index == 4 {
                capabilities = .sensor(Set(SensorReading.allCases))
                state = LightReport(readings: [
                    .contact: .flag(false), .leak: .flag(true), .temperature: .number(-3.25),
                ])
            }
            var description = LightDescription(
                id: LightID(name), name: "Name \u{0}\n\(name)", kind: LightKind.allCases[index % 5],
                capabilities: capabilities,
                manufacturer: index > 1 ? "" : nil, model: index > 2 ? "M" : nil, serialNumber: "S\(index)",
                firmware: index > 3 ? "1" : nil, suggestedRoom: "Room")
            description.isOptimistic = index == 2
            return StoredLight(
                key: LightKey(driver: index.isMultiple(of: 2) ? "one" : "two", light: LightID(name)),
                bridge: 1,
                aid: AccessoryID(UInt64(index * index + 2)), instanceIDs: ids,
                description: description,
                state: index == 0 ? nil : state,
                removal: index == 3 ? 1 << 40 : nil)
        }
    }
}

extension StoredServer {
    /// Returns the state of a new server before its first start; all given controllers are admins.
    package static func random(pairedWith controllers: [ControllerIdentity] = []) -> StoredServer {
        guard let deviceID = DeviceID(octets: RandomBytes.make(count: 6)),
            let key = try? Ed25519KeyPair(seed: .random(count: Ed25519KeyPair.seedLength))
        else { preconditionFailure("six octets are a valid id, and 32 bytes a valid seed") }
        return StoredServer(
            identity: AccessoryIdentity(deviceID: deviceID, longTermKey: key),
            setupCode: .random(using: RandomBytes.uniform), setupID: .random(using: RandomBytes.uniform),
            pairings: PairingList(controllers.map { $0.pairing() }))
    }
}
