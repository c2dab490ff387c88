import AccessoryRole
import DeviceKit
import Discovery
import HAPController
import HAPCrypto
import HAPProtocol
import HAPTesting
import HomeModel
import Synchronization
import TestTimeouts
import Testing

import struct HAPModel.CharacteristicType
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID

@testable import HomeHub

@Suite("The hub with its accessories", .timeout)
struct HubLinkTests {
    @Test("keeps homes, names and pairings after a restart, and reads the values again")
    func restart() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let (home, on) = try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(store: accessories)
            let ids = try await a.add(bridge, to: home)
            let all = try await house.home(a)
            return (all, try #require(all.accessory(ids[1])?.on))
        }
        try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            var found = try await house.home(a)
            #expect(found.accessories.map(\.id) == home.accessories.map(\.id))
            #expect(found.accessories.allSatisfy { !$0.isReachable })
            #expect(try await a.readValues(on).first?.error?.code == .accessoryNotReachable)
            let bridge = try await house.bridge(store: accessories)
            try await eventually("the accessories are reachable") {
                try await house.home(a).accessories.allSatisfy(\.isReachable)
            }
            found = try await house.home(a)
            #expect(found.revision == home.revision && found.characteristic(on)?.value == .bool(false))
            #expect(await bridge.isPaired)
        }
    }

    @Test("doesn't report a bridged lamp as reachable after a start while its bridge can't reach it")
    func restartWithLampAway() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let ids = try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            return try await a.add(try await house.bridge(store: accessories), to: try await a.addHome())
        }
        let house = try HouseUnderTest(store: store, vault: vault)
        let bridge = try await BridgeUnderTest(accessories, lights: [LightDescription(id: "lamp", name: "Lamp lamp")])
        await bridge.host.report(LightReport(reachable: false), from: "lamp")
        house.dialer.listen(at: .test(1), bridge.listener())
        house.show(bridge.identity.deviceID, at: .test(1), isPaired: true, configurationNumber: 2)
        try await house.run { house in
            let a = try await house.app()
            try await eventually("the bridge is there") { a.live.contains(.reachabilityUpdated(ids[0], true)) }
            try await house.drain(a)
            #expect(!a.live.contains(.reachabilityUpdated(ids[1], true)))
            await bridge.host.report(LightReport(on: true, reachable: true), from: "lamp")
            let on = try #require(
                try await house.home(a).accessory(ids[1])?.on)
            #expect(try await a.readValues(on).first?.value == .bool(true))
            try await eventually("the lamp is there") { a.live.contains(.reachabilityUpdated(ids[1], true)) }
        }
    }

    @Test("notifies every app of added and removed bridged accessories and stores them")
    func structure() async throws {
        try await withHouse { house, a, b in
            let lamp = try await house.lamp(a)
            #expect(try await b.observe(lamp.on) == nil)
            await lamp.bridge.bridge.host.added(LightDescription(id: "new", name: "New lamp"))
            await lamp.bridge.bridge.host.report(LightReport(reachable: true), from: "new")
            await lamp.bridge.bridge.server.reconcileStructure()
            for app in [a, b] {
                try await eventually("the new lamp") {
                    app.events.contains {
                        if case .accessoryAdded(let new) = $0 { new.name == "New lamp" } else { false }
                    }
                }
            }
            #expect(house.store.stored.graph.homes.first?.accessories.count == 3)
            let new = try await house.home(a).accessories.first { $0.name == "New lamp" }
            let on = try #require(new?.on)
            #expect(try await a.observe(on) == nil)
            await lamp.bridge.bridge.host.report(LightReport(on: true), from: "new")
            try await eventually("the value is received") { a.values == [.bool(true)] }
            await lamp.bridge.bridge.host.removed(lamp.light)
            await lamp.bridge.bridge.server.reconcileStructure()
            try await eventually("the event of the lamp's removal") {
                a.events.contains(.accessoryRemoved(lamp.accessory))
            }
            #expect(try await a.readValues(lamp.on).first?.error?.code == .notFound)
        }
    }

    @Test("applies a structure change as soon as it can be stored")
    func structureStoredLater() async throws {
        try await withHouse({ $0.storeRetryInterval = .milliseconds(20) }) { house, a, b in
            let lamp = try await house.lamp(a)
            try await eventually("the first values") { try await house.value(lamp, a) == .bool(false) }
            #expect(try await b.observe(lamp.on) == nil)
            house.store.breakDown()
            await lamp.bridge.bridge.host.added(LightDescription(id: "new", name: "New lamp"))
            await lamp.bridge.bridge.host.report(LightReport(reachable: true), from: "new")
            await lamp.bridge.bridge.server.reconcileStructure()
            try await eventually("the store refuses two commits") { house.store.refusals > 1 }
            #expect(try await house.home(a).accessories.count == 2)
            // Values that arrive in the meantime are newer than the stored ones.
            #expect(try await a.writeValues(ValueWrite(characteristic: lamp.on, value: .bool(true))).count == 1)
            house.store.breakDown(false)
            try await eventually("the new lamp") { try await house.home(a).accessories.count == 3 }
            #expect(house.store.stored.graph.homes.first?.accessories.count == 3)
            try await eventually("the new lamp is reachable") { try await house.home(a).accessories[2].isReachable }
            #expect(try await house.value(lamp, a) == .bool(true))
            try await house.drain(b)
            #expect(b.values == [.bool(true)])
        }
    }

    @Test("reports an accessory that forgot its pairing, and allows removing and adding it again")
    func reset() async throws {
        try await withHouse { house, a in
            let lamp = try await house.lamp(a)
            try await lamp.bridge.bridge.server.removeAllPairings()
            lamp.bridge.connections.endAll()
            try await eventually("the bridge is unreachable") {
                a.live.contains(.reachabilityUpdated(lamp.bridgeAccessory, false))
            }
            try await eventually("the event of the bridge's fault") {
                a.live.contains(.faultUpdated(lamp.bridgeAccessory, .forgotten))
            }
            let error = try await a.readValues(lamp.on).first?.error
            #expect(error?.code == .objectNotAssociatedToAnyHome)
            #expect(error?.message == AccessoryFault.forgotten.localizedDescription)
            #expect(try await house.home(a).accessory(lamp.bridgeAccessory)?.fault == .forgotten)
            let id = lamp.bridge.id
            try await eventually("the bridge advertises that it is unpaired") {
                AccessoryServerBrowser(house.network).snapshot[id]?.isPaired == false
            }
            try await a.call(.startBrowsing)
            #expect(a.found == [])
            let commit = try await a.write(.removeAccessory(lamp.home, lamp.bridgeAccessory))
            #expect(commit.stale == [])
            try await eventually("the bridge is found") { a.found == [id] }
            #expect(try await house.paired.isEmpty)
        }
    }

    @Test("reports an accessory that is paired with another controller until it is free again")
    func takenOver() async throws {
        try await withHouse { house, a in
            let lamp = try await house.lamp(a)
            let device = lamp.bridge.id
            try await lamp.bridge.bridge.server.removeAllPairings()
            lamp.bridge.connections.endAll()
            try await eventually("the bridge is unreachable") {
                a.live.contains(.reachabilityUpdated(lamp.bridgeAccessory, false))
            }
            // The accessory's own advertisement comes first, so that it doesn't replace the one below.
            try await eventually("the bridge advertises that it is unpaired") {
                AccessoryServerBrowser(house.network).snapshot[device]?.isPaired == false
            }
            house.show(device, at: lamp.bridge.endpoint, isPaired: true)
            try await eventually("the fault is that the bridge is paired elsewhere") {
                try await house.home(a).accessory(lamp.bridgeAccessory)?.fault == .pairedElsewhere
            }
            #expect(try await a.readValues(lamp.on).first?.error?.code == .objectAssociatedToAnotherHome)
            house.show(device, at: lamp.bridge.endpoint, isPaired: false)
            try await eventually("the fault is that the bridge forgot its pairing") {
                try await house.home(a).accessory(lamp.bridgeAccessory)?.fault == .forgotten
            }
        }
    }

    @Test("doesn't report a new accessory as unreachable while it still refuses connections")
    func unadmitted() async throws {
        try await withHouse({ $0.admissionTime = .seconds(60) }) { house, a, b in
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            // The accessory refuses some connections after the one for pairing.
            let listener = bridge.bridge.listener()
            let count = Mutex(0)
            house.dialer.listen(at: bridge.endpoint) {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return (2...4).contains(number) ? nil : listener()
            }
            let ids = try await a.add(bridge, to: home)
            try await eventually("the accessory accepts the connection") { count.withLock { $0 } > 4 }
            _ = try await a.call(.identify(ids[0]))
            try await house.drain(b)
            #expect(count.withLock { $0 } > 4)
            #expect(b.live.allSatisfy { if case .reachabilityUpdated = $0 { false } else { true } })
        }
    }

    @Test("removes an unreachable accessory and unpairs it when it is seen again")
    func staleRemoval() async throws {
        try await withHouse { house, a, b in
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            let ids = try await a.add(bridge, to: home)
            bridge.unplug(house.dialer)
            try await eventually("the bridge is unreachable") { b.live.contains(.reachabilityUpdated(ids[0], false)) }
            let commit = try await a.write(.removeHome(home))
            #expect(commit.stale == [ids[0]])
            #expect(try await house.paired == [bridge.id])
            #expect(house.store.stored.graph.homes.isEmpty)
            try await a.call(.startBrowsing)
            bridge.plugIn(house.dialer)
            try await eventually("the bridge is unpaired") { try await house.paired.isEmpty }
            #expect(await !bridge.isPaired)
            try await eventually("the bridge is found") { a.found == [bridge.id] }
        }
    }

    @Test("unpairs a blocked accessory that is removed, and sends it nothing else")
    func removingBlocked() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let (home, ids) = try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            return (home, try await a.add(try await house.bridge(store: accessories), to: home))
        }
        var stored = store.stored
        _ = stored.graph.block(ids[0])
        try await HouseUnderTest(store: TestStore(stored), vault: vault).run { house in
            let a = try await house.app()
            let bridge = try await house.bridge(store: accessories)
            #expect(try await house.home(a).accessories.first?.isBlocked == true)
            for id in ids { await expect(.accessoryIsBlocked) { try await a.call(.identify(id)) } }
            #expect(bridge.bridge.driver.identified.isEmpty && house.dialer.dialed.isEmpty)
            let on = try #require(
                try await house.home(a).accessory(ids[1])?.on)
            #expect(try await a.readValues(on).first?.error?.code == .accessoryIsBlocked)
            #expect(try await a.write(.removeAccessory(home, ids[0])).stale == [])
            #expect(await !bridge.isPaired)
            #expect(vault.pairings().isEmpty)
        }
    }

    @Test("keeps the pairing if the hub ends during a removal")
    func endWhileRemoving() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let device = try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(store: accessories)
            let ids = try await a.add(bridge, to: home)
            try await eventually("the accessories are reachable") {
                try await house.home(a).accessories.allSatisfy(\.isReachable)
            }
            accessories.hold([.pairings])
            _ = await a.begin(.write(.removeAccessory(home, ids[0])))
            try await eventually("the accessory is asked to remove the pairing") { accessories.waitingCount == 1 }
            return bridge.id
        }
        #expect(vault.pairings().map(\.deviceID) == [device])
        accessories.release()
    }

    @Test("keeps the pairing if the hub ends before it could unpair an unwanted accessory")
    func endWhileAdding() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let device = try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(store: accessories)
            accessories.hold([.pairings])
            let call = await a.begin(.addAccessory(bridge.addition(to: home)))
            try await eventually("the accessory keeps the pairing") { accessories.waitingCount == 1 }
            // From now on the accessory is unreachable.
            await house.hub.cancel(call)
            house.dialer.listen(at: bridge.endpoint, nil)
            accessories.release()
            try await eventually("the hub tries to unpair the accessory") { house.dialer.dialed.count > 1 }
            return bridge.id
        }
        #expect(vault.pairings().map(\.deviceID) == [device])
    }

    @Test("unpairs an accessory without a home, no matter how late it becomes visible")
    func lateOrphan() async throws {
        let vault = InMemoryPairingVault()
        let accessories = InMemoryAccessoryServerStore(.random(pairedWith: [vault.identity()]))
        let identity = accessories.stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        try await HouseUnderTest(vault: vault, { $0.unpairingTimeout = .milliseconds(1) }).run { house in
            // The hub knows the pairing, and its timeout has passed.
            let a = try await house.app()
            try await eventually("the hub knows the pairing") {
                await house.hub.turn { $0.pairings.orphans.count } == 1
            }
            try await house.drain(a)
            #expect(try await house.paired == [identity.deviceID])
            let bridge = try await house.bridge(store: accessories)
            try await eventually("the bridge is unpaired") { try await house.paired.isEmpty }
            #expect(await !bridge.isPaired)
        }
    }

    @Test("connects to an accessory without a home only while it is visible")
    func orphanComesAndGoes() async throws {
        let vault = InMemoryPairingVault()
        let accessories = InMemoryAccessoryServerStore(.random(pairedWith: [vault.identity()]))
        let identity = accessories.stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        try await HouseUnderTest(vault: vault).run { house in
            house.show(identity.deviceID, at: .test(1), isPaired: true)
            try await eventually("the hub connects to the accessory") { house.dialer.dialed.count > 1 }
            #expect(await house.hub.turn { $0.pairings.orphans.map(\.isUnderWay) } == [true])
            house.network.show(ServiceSnapshot(services: [], isComplete: true))
            try await eventually("the attempt to unpair ends") {
                await house.hub.turn { $0.pairings.orphans.map(\.isUnderWay) } == [false]
            }
            #expect(try await house.paired == [identity.deviceID])
            let bridge = try await house.bridge(store: accessories)
            try await eventually("the bridge is unpaired") { try await house.paired.isEmpty }
            #expect(await !bridge.isPaired)
            #expect(await house.hub.turn { $0.pairings.orphans.isEmpty })
        }
    }

    @Test(
        "keeps all orphaned pairings at the start, and later at most 32, dropping the oldest idle one",
        arguments: [false, true])
    func manyOrphans(isOldestNotified: Bool) async throws {
        let vault = InMemoryPairingVault()
        let devices = try (10...50).map { try #require(DeviceID("02:00:00:00:00:\($0)")) }
        let pairings = try devices.map {
            let key = try Ed25519KeyPair(seed: .random(count: Ed25519KeyPair.seedLength))
            return AccessoryPairing(deviceID: $0, publicKey: key.publicKey)
        }
        for pairing in pairings.dropLast() { vault.keep(pairing) }
        let house = try HouseUnderTest(vault: vault) { $0.unpairingTimeout = .milliseconds(1) }
        try await house.run { house in
            try await eventually("all orphaned pairings are known") {
                await house.hub.turn { $0.pairings.orphans.count } == 40
            }
            #expect(vault.pairings() == Array(pairings.dropLast()))
            if isOldestNotified {
                house.dialer.hold()
                house.show(devices[0], at: .test(1), isPaired: true)
                try await eventually("the hub connects to the accessory") { !house.dialer.dialed.isEmpty }
            }
            vault.keep(pairings[40])
            await house.hub.unpair(pairings[40], as: vault.identity())
            var kept = pairings
            kept.remove(at: isOldestNotified ? 1 : 0)
            try await eventually("the oldest pairing is dropped") { vault.pairings() == kept }
            house.dialer.release()
        }
    }

    @Test("keeps the pairing of a removed accessory when an impostor refuses pair verify")
    func impostor() async throws {
        let vault = InMemoryPairingVault()
        let accessories = InMemoryAccessoryServerStore(.random(pairedWith: [vault.identity()]))
        let identity = accessories.stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        try await HouseUnderTest(vault: vault).run { house in
            let refusal = HTTPResponse(200, .pairingTLV8, body: PairingTLV.failure(2, .authentication).encoded)
            ScriptedAccessory { _, _ in .answer(refusal) }.listen(house.dialer, at: .test(1))
            house.show(identity.deviceID, at: .test(1), isPaired: false)
            try await eventually("the hub connects to the accessory") { house.dialer.dialed.count > 1 }
            #expect(try await house.paired == [identity.deviceID])
            let bridge = try await house.bridge(store: accessories)
            try await eventually("the accessory is unpaired") { try await house.paired.isEmpty }
            #expect(await !bridge.isPaired)
        }
    }

    @Test("adds a removed and reset accessory again")
    func resetOrphan() async throws {
        let vault = InMemoryPairingVault()
        let accessories = InMemoryAccessoryServerStore()
        let identity = accessories.stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        try await HouseUnderTest(vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            // Some accessories refuse before they prove their identity.
            let refusal = HTTPResponse(200, .pairingTLV8, body: PairingTLV.failure(2, .authentication).encoded)
            ScriptedAccessory { _, _ in .answer(refusal) }.listen(house.dialer, at: .test(1))
            house.show(identity.deviceID, at: .test(1), isPaired: false)
            try await eventually("the accessory refuses") {
                await house.hub.turn { $0.pairings.orphans.map(\.isRefused) } == [true]
            }
            let bridge = try await house.bridge(store: accessories)
            _ = try await a.add(bridge, to: home)
            #expect(await bridge.isPaired)
            #expect(await house.hub.turn { $0.pairings.orphans.isEmpty })
            #expect(try await house.paired == [identity.deviceID])
        }
    }
}
