import AccessoryRole
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("An accessory that isn't a light", .timeout)
struct SourceTests {
    @Test("sends a fan one update per write, shows the value immediately and notifies other controllers")
    func fan() async throws {
        let house = try await House()
        let (writer, watcher) = (try await house.session(), try await house.session())
        for session in [writer, watcher] {
            _ = try await session.write(#"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":10,"ev":true}"#)
        }
        house.devices.setWaits()
        async let answer = writer.write(#"{"aid":2,"iid":9,"value":true},{"aid":2,"iid":10,"value":40}"#)
        try await house.drain(until: { house.devices.waitingCount == 1 })
        #expect(house.devices.written.map(\.type) == [.on, .rotationSpeed])
        #expect(await house.value(2, 10) == .float(40))
        await house.answer()
        #expect(try await answer.status == 204)
        #expect(await writer.events.isEmpty)
        #expect(
            await watcher.events == [
                #"{"characteristics":[{"aid":2,"iid":9,"value":true},{"aid":2,"iid":10,"value":40}]}"#
            ])
    }

    @Test("keeps the state of a lock that rejects a write, and returns the lock's status")
    func refusingLock() async throws {
        let house = try await House()
        let session = try await house.session()
        house.devices.setStatus(.busy)
        let response = try await session.write(#"{"aid":3,"iid":9,"value":1}"#)
        #expect(response.text == #"{"characteristics":[{"aid":3,"iid":9,"status":-70403}]}"#)
        #expect(await house.value(3, 9) == .integer(0))
    }

    @Test("notifies the writer when the lock's current state follows the target state")
    func lock() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":3,"iid":9,"ev":true},{"aid":3,"iid":10,"ev":true}"#)
        #expect(try await session.write(#"{"aid":3,"iid":9,"value":1}"#).status == 204)
        await house.bridge.server.update(3, [(10, .integer(1))])
        await house.drain()
        #expect(await session.events == [#"{"characteristics":[{"aid":3,"iid":10,"value":1}]}"#])
    }

    @Test("reads a button as null, and sends an event only for each press, not when the button is reachable again")
    func button() async throws {
        let house = try await House()
        var ids = InstanceIDs()
        let information = AccessoryInformation(
            name: "Button", manufacturer: "Example", model: "B1", serialNumber: "0816", firmware: "1.0")
        let service = information.service(&ids)
        let event = try #require(CharacteristicDefinition.of(.programmableSwitchEvent))
        let button = ServiceObject(
            iid: InstanceID(8), type: .statelessProgrammableSwitch,
            characteristics: [
                CharacteristicObject(
                    iid: InstanceID(9), type: event.type, metadata: event.metadata, value: .integer(0))
            ])
        let server = house.bridge.server
        try await server.set(AccessoryObject(aid: 7, services: [service, button]), source: nil, isReachable: true)
        let session = try await house.session()
        _ = try await session.write(#"{"aid":7,"iid":9,"ev":true}"#)
        let read = try await session.get("/characteristics", query: "id=7.9")
        #expect(read.text == #"{"characteristics":[{"aid":7,"iid":9,"value":null}]}"#)
        #expect(try await session.get("/accessories").text.contains(#""valid-values":[0,1,2],"value":null"#))
        for _ in 0..<2 {
            await server.update(7, [(9, .integer(0))])
            await house.drain()
        }
        await server.setReachable(false, 7)
        await server.setReachable(true, 7)
        await house.advance(.seconds(2))
        let press = #"{"characteristics":[{"aid":7,"iid":9,"value":0}]}"#
        #expect(await session.events == [press, press])
    }

    @Test("advertises a stand-alone accessory with its category, and its functions under aid 1")
    func standAlone() async throws {
        let admin = ControllerIdentity.random()
        let stored = StoredServer.random(pairedWith: [admin])
        let store = InMemoryAccessoryServerStore(stored)
        let sensor = AccessoryProfile(
            category: .sensor,
            information: AccessoryInformation(
                name: "Cellar", manufacturer: "Example", model: "T1", serialNumber: "0815", firmware: "2.1"))
        let server = ServerUnderTest(store, stored: stored, profile: sensor)
        let source = ScriptedAccessorySource()
        try await server.start(
            functions: [AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(19.5)])],
            source: source)
        let txt = await server.server.advertisement.txt
        #expect(txt.first { $0.key == "ci" }?.value == "10")
        #expect(txt.first { $0.key == "md" }?.value == "T1")
        #expect(await server.server.setupPayload.category == .sensor)
        let accessories = await server.server.accessories
        #expect(accessories.map(\.aid) == [.bridge])
        #expect(accessories.first?.services.last?.isPrimary == true)
        let iid = try #require(
            store.stored.instanceIDs.ids["\(ServiceType.temperatureSensor)/\(CharacteristicType.currentTemperature)"])
        #expect(await server.value(CharacteristicID(.bridge, iid)) == .float(19.5))
    }

    @Test("identifies an unpaired stand-alone accessory")
    func identify() async throws {
        let stored = StoredServer.random()
        let server = ServerUnderTest(InMemoryAccessoryServerStore(stored), stored: stored)
        let source = ScriptedAccessorySource()
        try await server.start(source: source)
        let (controller, _) = await server.connect()
        #expect(try await controller.post("/identify").status == 204)
        #expect(source.identified == [.bridge])
    }
}
