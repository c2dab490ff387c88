import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("Buttons", .timeout)
struct ButtonTests {
    private static func remote(_ buttons: [PushButton], kind: LightKind = .button) -> LightDescription {
        var remote = LightDescription(id: "remote", name: "Remote", kind: kind)
        remote.buttons = buttons
        return remote
    }

    private static let left = PushButton(id: "left", name: "Left", presses: [.single, .long])
    private static let right = PushButton(id: "right", name: "Right", presses: [.single])

    private func services(_ bridge: BridgeUnderTest) async throws -> [ServiceObject] {
        let aid = try #require(await bridge.aid("remote"))
        let accessories = await bridge.server.accessories
        return Array(try #require(accessories.first { $0.aid == aid }).services.dropFirst())
    }

    private func value(_ service: ServiceObject, _ type: CharacteristicType) -> CharacteristicValue? {
        service.characteristics.first { $0.type == type }?.value
    }

    private func numbers(_ services: [ServiceObject]) -> [String: CharacteristicValue?] {
        var numbers: [String: CharacteristicValue?] = [:]
        for service in services where service.type == .statelessProgrammableSwitch {
            numbers[value(service, .name)?.string ?? ""] = value(service, .serviceLabelIndex)
        }
        return numbers
    }

    @Test("shows one service for each button, numbered from 1, and one label service for all buttons")
    func services() async throws {
        let house = try await House([Self.remote([Self.left, Self.right])])
        let services = try await services(house.bridge)
        #expect(services.map(\.type) == [.statelessProgrammableSwitch, .statelessProgrammableSwitch, .serviceLabel])
        #expect(services.dropLast().map(\.linked) == [[services[2].iid], [services[2].iid]])
        #expect(numbers(services) == ["Left": .integer(1), "Right": .integer(2)])
        #expect(
            services[0].characteristics.map { $0.type == .configuredName ? $0.value : nil }.contains(.string("Left")))
        let presses = services.dropLast().map { service in
            service.characteristics.first { $0.type == .programmableSwitchEvent }?.metadata.validValues
        }
        #expect(presses == [[0, 2], [0]])
    }

    @Test("keeps the numbers of the buttons when the device gets another button")
    func numbers() async throws {
        let house = try await House([Self.remote([Self.left, Self.right])])
        await house.bridge.host.added(
            Self.remote([PushButton(id: "center", name: "Center"), Self.left, Self.right]))
        #expect(
            try await numbers(services(house.bridge))
                == ["Left": .integer(1), "Right": .integer(2), "Center": .integer(3)])
    }

    @Test("keeps the iids of an outlet that gets a button")
    func outlet() async throws {
        let house = try await House([Self.remote([], kind: .outlet)])
        let before = try await services(house.bridge)
        await house.bridge.host.added(Self.remote([Self.left], kind: .outlet))
        let after = try await services(house.bridge)
        #expect(after.count == 3 && after[0] == before[0])
    }

    @Test("rings the doorbell and presses its button")
    func doorbell() async throws {
        let bell = PushButton(id: "front", name: "Front", isDoorbell: true)
        let house = try await House([Self.remote([bell])])
        let services = try await services(house.bridge)
        #expect(services.map(\.type) == [.statelessProgrammableSwitch, .doorbell, .serviceLabel])
        let aid = try #require(await house.bridge.aid("remote"))
        let places = services.compactMap { service in
            service.characteristics.first { $0.type == .programmableSwitchEvent }?.iid
        }
        let session = try await house.session()
        for iid in places { _ = try await session.write(#"{"aid":\#(aid),"iid":\#(iid),"ev":true}"#) }
        await house.bridge.host.occurred(bell.events(.single), on: "remote")
        await house.bridge.host.occurred(bell.events(.long), on: "remote")
        await house.drain()
        #expect(
            await session.events
                == [(places[0], 0), (places[1], 0), (places[0], 2)].map { iid, press in
                    #"{"characteristics":[{"aid":\#(aid),"iid":\#(iid),"value":\#(press)}]}"#
                })
    }

    @Test("keeps the name that a controller gives a button, even after a restart")
    func configuredName() async throws {
        let house = try await House([Self.remote([Self.left])])
        await house.report(LightReport(reachable: true), "remote")
        let aid = try #require(await house.bridge.aid("remote"))
        let place = try #require(await house.bridge.place(.configuredName, of: "remote"))
        let session = try await house.session()
        #expect(try await session.write(#"{"aid":\#(aid),"iid":\#(place.iid),"value":"Sofa"}"#).status == 204)
        await house.bridge.lights.saveStates()
        let again = try await BridgeUnderTest(
            house.store, stored: house.store.bridge, lights: [Self.remote([Self.left])])
        #expect(value(try await services(again)[0], .configuredName) == .string("Sofa"))
        #expect(value(try await services(again)[0], .name) == .string("Left"))
    }

    @Test("shows presses to the operator, and forgets them at a restart")
    func operators() async throws {
        let house = try await House([Self.remote([Self.left])])
        var events = await house.bridge.lights.events().makeAsyncIterator()
        for press in [ButtonPress.long, .long] {
            await house.bridge.host.occurred(Self.left.events(press), on: "remote")
        }
        for _ in 0..<2 { #expect(await events.next()?.events == Self.left.events(.long)) }
        #expect(await house.bridge.lights.snapshots().first?.lastEvents == Self.left.events(.long))
        await house.bridge.lights.saveStates()
        let again = try await BridgeUnderTest(
            house.store, stored: house.store.bridge, lights: [Self.remote([Self.left])])
        #expect(await again.lights.snapshots().first?.lastEvents.isEmpty == true)
    }

    @Test("keeps stored buttons after a restart until their driver has had time to describe them")
    func restart() async throws {
        let outlet = Self.remote([Self.left], kind: .outlet)
        let house = try await House([outlet])
        let plain = Self.remote([], kind: .outlet)
        for isComplete in [true, false] {
            let again = try await BridgeUnderTest(house.store, stored: house.store.bridge, lights: [plain])
            #expect(try await services(again).count == 3)
            if isComplete { await again.host.added(outlet) }
            await again.scheduler.advance(by: .seconds(11))
            #expect(try await services(again).count == (isComplete ? 3 : 1))
        }
    }
}
