import AccessoryRole
import DeviceKit
import HAPController
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

/// An in-memory bridge with two lamps, and a controller that is paired with the bridge.
private struct House {
    let vault = InMemoryPairingVault()
    let store: InMemoryAccessoryServerStore
    let bridge: BridgeUnderTest
    let dialer = InMemoryDialer()
    let connections = Connections()
    let on: CharacteristicID
    let other: CharacteristicID

    var pairing: AccessoryPairing {
        AccessoryPairing(
            deviceID: bridge.identity.deviceID, publicKey: bridge.identity.longTermKey.publicKey)
    }

    init() async throws {
        store = InMemoryAccessoryServerStore(.random(pairedWith: [vault.identity()]))
        bridge = try await BridgeUnderTest(
            store, stored: store.bridge,
            lights: [LightDescription(id: "lamp", name: "Lamp"), LightDescription(id: "other", name: "Other")],
            eventWindow: .zero)
        on = try #require(await bridge.place(.on, of: "lamp"))
        other = try #require(await bridge.place(.on, of: "other"))
        listen(at: .test(1))
    }

    func listen(at endpoint: AccessoryEndpoint) {
        dialer.listen(at: endpoint, bridge.listener { connections.add($0) })
    }

    func link(_ timing: ControllerTiming = testTiming) -> AccessoryLink {
        AccessoryLink(pairing, as: vault.identity(), dialer: dialer, timing: timing, logger: quietLogger)
    }

    func seen(at endpoints: AccessoryEndpoint..., configurationNumber: UInt32 = 1) throws -> AdvertisedAccessory {
        try .test(bridge.identity.deviceID, at: endpoints, configurationNumber: configurationNumber)
    }
}

private final class Connections: Sendable {
    private let all = Mutex<[InMemoryByteConnection]>([])

    func add(_ connection: InMemoryByteConnection) { all.withLock { $0.append(connection) } }
    var count: Int { all.withLock(\.count) }
    var last: InMemoryByteConnection? { all.withLock(\.last) }
}

@Suite("AccessoryLink to a bridge", .timeout)
struct LinkTests {
    @Test("reports searching, the database, the values and connected, in this order")
    func connects() async throws {
        let house = try await House()
        let link = house.link()
        try await running(link) { events in
            try await events.until(.searching)
            await link.appeared(try house.seen(at: .test(1)))
            try await events.until(.connected)
            let database = events.updates.compactMap {
                if case .database(let database, 1) = $0 { database } else { nil }
            }
            #expect(database.count == 1)
            #expect(database.first?.accessories.map(\.aid) == [1, 2, 3].map { AccessoryID($0) })
            #expect(database.first?[house.on]?.value == .bool(false))
        }
    }

    @Test("reports a change of the light, and gets no event for its own writes")
    func eventsAndWrites() async throws {
        let house = try await House()
        let link = house.link()
        try await running(link) { events in
            await link.desire([house.on])
            await link.appeared(try house.seen(at: .test(1)))
            try await events.until { $0.value(house.on) == .success(.bool(false)) }
            await house.bridge.host.report(LightReport(on: true), from: "lamp")
            try await events.until { $0.value(house.on) == .success(.bool(true)) }
            events.forget()
            #expect(
                try await link.write([AccessoryWrite(house.on, .bool(false))]) == [
                    house.on: WriteOutcome(.success)
                ])
            #expect(house.bridge.driver.orders == [.init("lamp", LightCommand(on: false))])
            #expect(try await link.read([house.other]) == [house.other: .success(.bool(false))])
            #expect(events.value(house.on) == nil)
        }
    }

    @Test("returns a status for each entry of a batch, and doesn't send entries that can't succeed")
    func statuses() async throws {
        let house = try await House()
        let link = house.link()
        let nowhere = CharacteristicID(AccessoryID(99), InstanceID(9))
        let name = CharacteristicID(AccessoryID(2), InstanceID(2))
        try await running(link) { events in
            await link.appeared(try house.seen(at: .test(1)))
            try await events.until(.connected)
            let outcomes = try await link.write([
                AccessoryWrite(house.on, .bool(true)), AccessoryWrite(nowhere, .bool(true)),
                AccessoryWrite(house.other, .string("maybe")),
            ])
            #expect(outcomes[house.on] == WriteOutcome(.success))
            #expect(outcomes[nowhere] == WriteOutcome(.doesNotExist))
            #expect(outcomes[house.other] == WriteOutcome(.invalidValue))
            let readings = try await link.read([nowhere, name, house.on])
            #expect(readings[nowhere] == .failure(.doesNotExist))
            #expect(readings[house.on] == .success(.bool(true)))
            #expect(try await link.identify(AccessoryID(2)) == .success)
            #expect(try await link.identify(AccessoryID(99)) == .doesNotExist)
        }
    }

    @Test("omits a value that doesn't match its format, without treating the device as unreachable")
    func uninterpretable() async throws {
        let scene = try Scene { request, _ in
            guard request.method == .get, request.path == "/characteristics" else { return nil }
            let values = [
                Scene.button: "null", Scene.brightness: "18446744073709551615", Scene.on: "true",
                Scene.lock: #"null,"status":-70402"#,
            ]
            let entries = (ReadRequest(query: request.query)?.ids ?? []).map {
                #"{"aid":\#($0.aid),"iid":\#($0.iid),"value":\#(values[$0] ?? "null")}"#
            }
            return .answer(.json(#"{"characteristics":[\#(entries.joined(separator: ","))]}"#))
        }
        try await scene.run { events in
            try await events.until(.connected)
            let readings = try await scene.link.read([Scene.button, Scene.brightness, Scene.on, Scene.lock])
            #expect(readings == [Scene.on: .success(.bool(true)), Scene.lock: .failure(.unableToCommunicate)])
        }
    }

    @Test("subscribes again after a lost connection and reads missed values")
    func reconnects() async throws {
        let house = try await House()
        let link = house.link()
        try await running(link) { events in
            await link.desire([house.on])
            await link.appeared(try house.seen(at: .test(1)))
            try await events.until { $0.value(house.on) == .success(.bool(false)) }
            // The first update after the lost connection contains the values that changed in the meantime.
            house.dialer.listen(at: .test(1), nil)
            house.connections.last?.close()
            try await events.until { $0.states.contains(.unreachable(.unreachable)) }
            await house.bridge.host.report(LightReport(on: true), from: "lamp")
            await house.bridge.host.report(LightReport(on: true), from: "other")
            house.listen(at: .test(1))
            try await events.until { $0.value(house.on) == .success(.bool(true)) }
            try await events.until { $0.value(house.other) == .success(.bool(true)) }
            try await events.until(.connected)
            await house.bridge.host.report(LightReport(on: false), from: "lamp")
            try await events.until { $0.value(house.on) == .success(.bool(false)) }
            // The link already knew this database.
            #expect(events.updates.count { if case .database = $0 { true } else { false } } == 1)
        }
    }

    @Test("connects to a new address immediately, even during a long pause")
    func follows() async throws {
        let house = try await House()
        var timing = testTiming
        timing.reconnect.shortest = .milliseconds(10)
        timing.reconnect.longest = .seconds(600)
        let link = house.link(timing)
        house.dialer.listen(at: .test(1), nil)
        house.listen(at: .test(2, port: 9090))
        try await running(link) { events in
            await link.appeared(try house.seen(at: .test(1)))
            // After nine failures, the next pause is many times as long as the first pause.
            try await events.until { _ in house.dialer.dialed.count >= 9 }
            await link.appeared(try house.seen(at: .test(2, port: 9090)))
            try await events.until(.connected)
        }
    }

    @Test("rejects a different accessory at the address, and tries the next address")
    func wrongAccessory() async throws {
        let house = try await House()
        let unknownPeer = try await House()
        house.dialer.listen(at: .test(2), unknownPeer.bridge.listener())
        let link = house.link()
        try await running(link) { events in
            await link.appeared(try house.seen(at: .test(2), .test(1)))
            try await events.until(.connected)
            #expect(house.dialer.dialed == [.test(2), .test(1)])
            #expect(try await link.read([house.on]) == [house.on: .success(.bool(false))])
        }
        // Without another address, the link reports only this error.
        let lost = house.link()
        try await running(lost) { events in
            await lost.appeared(try house.seen(at: .test(2)))
            try await events.until { $0.states.contains(.unreachable(.otherAccessory)) }
            #expect(!events.updates.contains { if case .database = $0 { true } else { false } })
        }
    }

    @Test("reads the database again when c# changes")
    func configurationNumber() async throws {
        let house = try await House()
        let link = house.link()
        try await running(link) { events in
            await link.desire([house.on])
            await link.appeared(try house.seen(at: .test(1)))
            try await events.until(.connected)
            await house.bridge.host.added(LightDescription(id: "third", name: "Third"))
            await house.bridge.server.reconcileStructure()
            try await house.bridge.scheduler.drain(until: { await house.bridge.server.accessories.count == 4 })
            await link.appeared(try house.seen(at: .test(1), configurationNumber: 2))
            try await events.until {
                $0.updates.contains {
                    if case .database(let database, 2) = $0 { database.accessories.count == 4 } else { false }
                }
            }
            #expect(house.connections.count == 1)
            await house.bridge.host.report(LightReport(on: true), from: "lamp")
            try await events.until { $0.value(house.on) == .success(.bool(true)) }
        }
    }

    @Test("ends all traffic permanently after removing the pairing")
    func removal() async throws {
        let house = try await House()
        let link = house.link()
        try await running(link) { events in
            await link.appeared(try house.seen(at: .test(1)))
            try await events.until(.connected)
            try await link.unpair()
            try await events.until(.stopped)
            try await events.until { $0.hasEnded }
            #expect(house.connections.last?.isClosed == true)
            await #expect(throws: LinkError.notConnected) { try await link.read([house.on]) }
            await link.appeared(try house.seen(at: .test(3)))
            #expect(house.connections.count == 1)
        }
        #expect(await !house.bridge.server.isPaired)
    }

    @Test("stops without waiting for an address that doesn't answer")
    func stopsWhileDialing() async throws {
        let house = try await House()
        let silent = InMemoryByteConnection(onSend: { _ in })
        house.dialer.listen(at: .test(1)) { silent }
        var timing = testTiming
        timing.request = .seconds(120)
        let link = house.link(timing)
        // The link stops long before the response is due; otherwise, the suite's timeout ends the test.
        try await running(link) { events in
            await link.appeared(try house.seen(at: .test(1)))
            try await events.until { _ in !house.dialer.dialed.isEmpty }
        }
        #expect(silent.isClosed)
    }

    @Test("detects that another controller has removed its pairing")
    func removedByOthers() async throws {
        let house = try await House()
        let link = house.link()
        try await running(link) { events in
            await link.appeared(try house.seen(at: .test(1)))
            try await events.until(.connected)
            let admin = ControllerIdentity.random()
            _ = try await link.pairings(.add(admin.pairing()))
            let controller = try await house.bridge.session(admin)
            _ = try await controller.pairings(.remove(house.vault.identity().controller))
            try await events.until { $0.states.last == .unreachable(.notPaired) }
            await #expect(throws: LinkError.notConnected) { try await link.read([house.on]) }
        }
    }
}
