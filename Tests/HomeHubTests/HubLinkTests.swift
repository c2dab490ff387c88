import AccessoryRole
import Discovery
import HAPController
import HAPCrypto
import HAPProtocol
import HAPTesting
import HomeModel
import LightKit
import Synchronization
import TestTimeouts
import Testing

import struct HAPModel.CharacteristicType
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID

@testable import HomeHub

@Suite("The hub and its accessories", .timeout)
struct HubLinkTests {
    @Test("After a restart everything is there: homes, names, pairings, and soon the values")
    func restart() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let (home, on) = try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(store: accessories)
            let ids = try await a.add(bridge, to: home)
            let all = try await house.home(a)
            return (all, try #require(all.accessory(ids[1])?.services.compactMap { $0.characteristic(.on) }.first?.id))
        }
        try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            var found = try await house.home(a)
            #expect(found.accessories.map(\.id) == home.accessories.map(\.id))
            #expect(found.accessories.allSatisfy { !$0.isReachable })
            // What is not there is not waited for.
            #expect(try await a.readValues(on).first?.error?.code == .accessoryNotReachable)
            let bridge = try await house.bridge(store: accessories)
            try await eventually("it is there") { try await house.home(a).accessories.allSatisfy(\.isReachable) }
            found = try await house.home(a)
            #expect(found.revision == home.revision && found.characteristic(on)?.value == .bool(false))
            #expect(await bridge.isPaired)
        }
    }

    @Test("After a start a lamp that its bridge does not reach is not said to be there")
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
                try await house.home(a).accessory(ids[1])?.services.compactMap { $0.characteristic(.on) }.first?.id)
            #expect(try await a.readValues(on).first?.value == .bool(true))
            try await eventually("the lamp is there") { a.live.contains(.reachabilityUpdated(ids[1], true)) }
        }
    }

    @Test("What a device shows new, or no more, everybody is told, and it is stored")
    func structure() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
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
            let on = try #require(new?.services.compactMap { $0.characteristic(.on) }.first?.id)
            #expect(try await a.observe(on) == nil)
            await lamp.bridge.bridge.host.report(LightReport(on: true), from: "new")
            try await eventually("it is received") { a.values == [.bool(true)] }
            await lamp.bridge.bridge.host.removed(lamp.light)
            await lamp.bridge.bridge.server.reconcileStructure()
            try await eventually("its end") { a.events.contains(.accessoryRemoved(lamp.accessory)) }
            #expect(try await a.readValues(lamp.on).first?.error?.code == .notFound)
        }
    }

    @Test("What a device shows new and could not be stored is taken over as soon as it can be")
    func structureStoredLater() async throws {
        let house = try HouseUnderTest { $0.storeRetryInterval = .milliseconds(20) }
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            try await eventually("the first values") { try await house.value(lamp, a) == .bool(false) }
            #expect(try await b.observe(lamp.on) == nil)
            house.store.breakDown()
            await lamp.bridge.bridge.host.added(LightDescription(id: "new", name: "New lamp"))
            await lamp.bridge.bridge.host.report(LightReport(reachable: true), from: "new")
            await lamp.bridge.bridge.server.reconcileStructure()
            try await eventually("it is refused, and again") { house.store.refusals > 1 }
            #expect(try await house.home(a).accessories.count == 2)
            // What is received meanwhile is newer than what could not be stored.
            #expect(try await a.writeValues(ValueWrite(characteristic: lamp.on, value: .bool(true))).count == 1)
            house.store.breakDown(false)
            try await eventually("the new lamp") { try await house.home(a).accessories.count == 3 }
            #expect(house.store.stored.graph.homes.first?.accessories.count == 3)
            try await eventually("it is there") { try await house.home(a).accessories[2].isReachable }
            #expect(try await house.value(lamp, a) == .bool(true))
            try await house.drain(b)
            #expect(b.values == [.bool(true)])
        }
    }

    @Test("An accessory that has forgotten us is away, and can be removed and added again")
    func reset() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let lamp = try await house.lamp(a)
            try await lamp.bridge.bridge.server.removeAllPairings()
            lamp.bridge.connections.endAll()
            try await eventually("it is away") { a.live.contains(.reachabilityUpdated(lamp.bridgeAccessory, false)) }
            try await eventually("it is known why") {
                a.live.contains(.faultUpdated(lamp.bridgeAccessory, .forgotten))
            }
            let error = try await a.readValues(lamp.on).first?.error
            #expect(error?.code == .objectNotAssociatedToAnyHome)
            #expect(error?.message == AccessoryFault.forgotten.localizedDescription)
            #expect(try await house.home(a).accessory(lamp.bridgeAccessory)?.fault == .forgotten)
            let id = lamp.bridge.id
            try await eventually("it says so") { AccessoryBrowser(house.network).snapshot[id]?.isPaired == false }
            try await a.call(.startBrowsing)
            #expect(a.found == [])
            let commit = try await a.write(.removeAccessory(lamp.home, lamp.bridgeAccessory))
            // It has let us go already.
            #expect(commit.stale == [])
            try await eventually("it is found") { a.found == [id] }
            #expect(try await house.paired.isEmpty)
        }
    }

    @Test("An accessory that somebody else has now says so, until it is free or ours again")
    func takenOver() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let lamp = try await house.lamp(a)
            let device = lamp.bridge.id
            try await lamp.bridge.bridge.server.removeAllPairings()
            lamp.bridge.connections.endAll()
            try await eventually("it is away") { a.live.contains(.reachabilityUpdated(lamp.bridgeAccessory, false)) }
            // What it says itself comes first, so that it does not take the place of what is shown below.
            try await eventually("it says so") {
                AccessoryBrowser(house.network).snapshot[device]?.isPaired == false
            }
            house.show(device, at: lamp.bridge.endpoint, isPaired: true)
            try await eventually("it is somebody else's") {
                try await house.home(a).accessory(lamp.bridgeAccessory)?.fault == .pairedElsewhere
            }
            #expect(try await a.readValues(lamp.on).first?.error?.code == .objectAssociatedToAnotherHome)
            house.show(device, at: lamp.bridge.endpoint, isPaired: false)
            try await eventually("it is free") {
                try await house.home(a).accessory(lamp.bridgeAccessory)?.fault == .forgotten
            }
        }
    }

    @Test("An accessory that was just added and does not let us in at once is not told to come and go")
    func unadmitted() async throws {
        let house = try HouseUnderTest { $0.admissionTime = .seconds(60) }
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            // After the connection for pairing none is taken for some time.
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
            try await eventually("it lets us in") { count.withLock { $0 } > 4 }
            _ = try await a.call(.identify(ids[0]))
            try await house.drain(b)
            #expect(count.withLock { $0 } > 4)
            #expect(b.live.allSatisfy { if case .reachabilityUpdated = $0 { false } else { true } })
        }
    }

    @Test("A hub that ends before it could let an accessory go has not forgotten it")
    func orphanOutOfReach() async throws {
        let vault = InMemoryPairingVault()
        let identity = InMemoryAccessoryServerStore().stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        let house = try HouseUnderTest(vault: vault)
        try await house.run { house in
            // Behind what the hub began with.
            _ = try await house.app().readValues()
        }
        #expect(try await house.paired == [identity.deviceID])
    }

    @Test("A blocked accessory that is removed is notified, although nothing else is asked of it")
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
            // Nor is what is behind it.
            let on = try #require(
                try await house.home(a).accessory(ids[1])?.services.compactMap { $0.characteristic(.on) }.first?.id)
            #expect(try await a.readValues(on).first?.error?.code == .accessoryIsBlocked)
            await expect(.accessoryIsBlocked) { try await a.call(.identify(ids[1])) }
            #expect(try await a.write(.removeAccessory(home, ids[0])).stale == [])
            #expect(await !bridge.isPaired)
            #expect(vault.pairings().isEmpty)
        }
    }

    @Test("A hub that ends while an accessory is being removed lets it go with its next start")
    func endWhileRemoving() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let device = try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(store: accessories)
            let ids = try await a.add(bridge, to: home)
            try await eventually("it is there") { try await house.home(a).accessories.allSatisfy(\.isReachable) }
            accessories.hold([.pairings])
            _ = await a.begin(.write(.removeAccessory(home, ids[0])))
            try await eventually("it is told") { accessories.waitingCount == 1 }
            return bridge.id
        }
        #expect(vault.pairings().map(\.deviceID) == [device])
        accessories.release()
    }

    @Test("A hub that ends while it cannot take a pairing back does so with its next start")
    func endWhileAdding() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let device = try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(store: accessories)
            accessories.hold([.pairings])
            let call = await a.begin(
                .addAccessory(AdditionRequest(home: home, device: bridge.id, code: bridge.code)))
            try await eventually("the accessory keeps the pairing") { accessories.waitingCount == 1 }
            // No app waits for it any more, and from now on it can be reached by no new app.
            await house.hub.cancel(call)
            house.dialer.listen(at: bridge.endpoint, nil)
            accessories.release()
            try await eventually("the hub tries to let it go") { house.dialer.dialed.count > 1 }
            return bridge.id
        }
        #expect(vault.pairings().map(\.deviceID) == [device])
    }

    @Test("An accessory that is paired with and in no home is let go however late it comes, not forgotten before")
    func lateOrphan() async throws {
        let vault = InMemoryPairingVault()
        let accessories = InMemoryAccessoryServerStore(.random(pairedWith: [vault.identity()]))
        let identity = accessories.stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        try await HouseUnderTest(vault: vault, { $0.unpairingTimeout = .milliseconds(1) }).run { house in
            // The hub has looked after the pairing, and is past its timeout.
            let a = try await house.app()
            try await eventually("it is known") { await house.hub.turn { $0.pairings.orphans.count } == 1 }
            try await house.drain(a)
            #expect(try await house.paired == [identity.deviceID])
            let bridge = try await house.bridge(store: accessories)
            try await eventually("it is let go") { try await house.paired.isEmpty }
            #expect(await !bridge.isPaired)
        }
    }

    @Test(
        "An accessory that is in no home is looked for while it is seen, costs nothing while it is not, and may come back"
    )
    func orphanComesAndGoes() async throws {
        let vault = InMemoryPairingVault()
        let accessories = InMemoryAccessoryServerStore(.random(pairedWith: [vault.identity()]))
        let identity = accessories.stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        try await HouseUnderTest(vault: vault).run { house in
            house.show(identity.deviceID, at: .test(1), isPaired: true)
            try await eventually("it is tried") { house.dialer.dialed.count > 1 }
            #expect(await house.hub.turn { $0.pairings.orphans.map(\.isUnderWay) } == [true])
            house.network.show(ServiceSnapshot(services: [], isComplete: true))
            try await eventually("no app tries any more") {
                await house.hub.turn { $0.pairings.orphans.map(\.isUnderWay) } == [false]
            }
            #expect(try await house.paired == [identity.deviceID])
            let bridge = try await house.bridge(store: accessories)
            try await eventually("it is let go") { try await house.paired.isEmpty }
            #expect(await !bridge.isPaired)
            #expect(await house.hub.turn { $0.pairings.orphans.isEmpty })
        }
    }

    @Test(
        "All accessories in no home are kept at the start; one more than 32 costs the oldest that is not being told",
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
            try await eventually("they are known") { await house.hub.turn { $0.pairings.orphans.count } == 40 }
            #expect(vault.pairings() == Array(pairings.dropLast()))
            if isOldestNotified {
                house.dialer.hold()
                house.show(devices[0], at: .test(1), isPaired: true)
                try await eventually("it is dialed") { !house.dialer.dialed.isEmpty }
            }
            vault.keep(pairings[40])
            await house.hub.turn { hub in
                await hub.pairings.unpair(pairings[40], as: vault.identity(), in: hub)
            }
            var kept = pairings
            kept.remove(at: isOldestNotified ? 1 : 0)
            try await eventually("the oldest is forgotten") { vault.pairings() == kept }
            house.dialer.release()
        }
    }

    @Test("An impostor that refuses pair verify doesn't cost the pairing with an accessory that was removed")
    func impostor() async throws {
        let vault = InMemoryPairingVault()
        let accessories = InMemoryAccessoryServerStore(.random(pairedWith: [vault.identity()]))
        let identity = accessories.stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        try await HouseUnderTest(vault: vault).run { house in
            let refusal = HTTPResponse(200, .pairingTLV8, body: PairingTLV.failure(2, .authentication).encoded)
            ScriptedAccessory { _, _ in .answer(refusal) }.listen(house.dialer, at: .test(1))
            house.show(identity.deviceID, at: .test(1), isPaired: false)
            try await eventually("it is tried") { house.dialer.dialed.count > 1 }
            #expect(try await house.paired == [identity.deviceID])
            let bridge = try await house.bridge(store: accessories)
            try await eventually("the accessory is let go") { try await house.paired.isEmpty }
            #expect(await !bridge.isPaired)
        }
    }

    @Test("An accessory that was removed and then reset can be added again")
    func resetOrphan() async throws {
        let vault = InMemoryPairingVault()
        let accessories = InMemoryAccessoryServerStore()
        let identity = accessories.stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        try await HouseUnderTest(vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            // Some refuse before they have proven their identity.
            let refusal = HTTPResponse(200, .pairingTLV8, body: PairingTLV.failure(2, .authentication).encoded)
            ScriptedAccessory { _, _ in .answer(refusal) }.listen(house.dialer, at: .test(1))
            house.show(identity.deviceID, at: .test(1), isPaired: false)
            try await eventually("it refuses") {
                await house.hub.turn { $0.pairings.orphans.map(\.isRefused) } == [true]
            }
            let bridge = try await house.bridge(store: accessories)
            _ = try await a.add(bridge, to: home)
            #expect(await bridge.isPaired)
            #expect(await house.hub.turn { $0.pairings.orphans.isEmpty })
            #expect(try await house.paired == [identity.deviceID])
        }
    }

    @Test("An accessory that is paired with and in no home is let go at the start")
    func orphan() async throws {
        let vault = InMemoryPairingVault()
        let accessories = InMemoryAccessoryServerStore(.random(pairedWith: [vault.identity()]))
        let identity = accessories.stored.identity
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        try await HouseUnderTest(vault: vault).run { house in
            let bridge = try await house.bridge(store: accessories)
            try await eventually("it is let go") { try await house.paired.isEmpty }
            #expect(await !bridge.isPaired)
        }
    }
}
