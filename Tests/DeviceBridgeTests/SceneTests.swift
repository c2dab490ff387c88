import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import DeviceBridge

extension LightDescription {
    fileprivate static let scenes = LightDescription(
        id: "room", name: "Room", kind: .scene,
        functions: [.scene("relax", name: "Relax"), .siren("alarm", name: "Alarm")]
            + AccessoryFunction.choice("mode", ["Eco", "Sport", "Off-road"]))
    /// A lamp with a scene, as a device on MQTT can be.
    fileprivate static let mixed: LightDescription = {
        var lamp = LightDescription(id: "room", name: "Lamp", capabilities: LightCapabilities(brightness: true))
        lamp.functions += [.scene("relax", name: "Relax")]
        return lamp
    }()
}

private let relax = Property(.on, of: "scene/relax")
private let alarm = Property(.on, of: "siren/alarm")

private func mode(_ option: String) -> Property { Property(.on, of: "option/mode/\(option)") }

private func command(_ property: Property, _ isOn: Bool = true) -> LightCommand {
    var command = LightCommand()
    command.values[property] = .bool(isOn)
    return command
}

private struct SceneHouse {
    let house: House
    let session: TestController
    let adapter: AccessoryAdapter

    init(_ description: LightDescription = .scenes) async throws {
        house = try await House([description])
        session = try await house.session()
        adapter = AccessoryAdapter(description, description.name, InstanceIDs())
    }

    func iid(_ property: Property) throws -> UInt64 { try #require(adapter.iid(of: property)).rawValue }

    func value(_ property: Property, _ bridge: BridgeUnderTest? = nil) async throws -> Bool? {
        let id = CharacteristicID(2, InstanceID(try iid(property)))
        return await (bridge ?? house.bridge).value(id)?.bool
    }

    @discardableResult
    func write(_ property: Property, _ isOn: Bool) async throws -> Int {
        try await session.write(#"{"aid":2,"iid":\#(try iid(property)),"value":\#(isOn)}"#).status
    }

    func subscribe(_ property: Property) async throws {
        _ = try await session.write(#"{"aid":2,"iid":\#(try iid(property)),"ev":true}"#)
    }

    var commands: [LightCommand] { house.bridge.driver.orders.map(\.command) }
}

@Suite("Scenes, sirens and choices", .timeout)
struct SceneTests {
    @Test("are switches with names, and the options of a choice are linked")
    func accessory() throws {
        let accessory = AccessoryAdapter(.scenes, "Room", InstanceIDs()).accessory(2, state: DeviceState())
        try accessory.checkCompliance()
        let switches = accessory.services.dropFirst()
        #expect(switches.allSatisfy { $0.type == .switch })
        let names = switches.compactMap { $0.characteristics.first { $0.type == .configuredName }?.value?.string }
        #expect(names == ["Relax", "Alarm", "Eco", "Sport", "Off-road"])
        #expect(accessory.services[3].linked == [accessory.services[4].iid, accessory.services[5].iid])
    }

    @Test(
        "are activated once, and their switches are reset with an event", arguments: [LightDescription.scenes, .mixed])
    func activation(_ description: LightDescription) async throws {
        let room = try await SceneHouse(description)
        try await room.subscribe(relax)
        #expect(try await room.write(relax, true) == 204)
        #expect(room.commands == [command(relax)])
        #expect(try await room.value(relax) == true)
        // In the meantime, neither another "on" nor "off" has an effect.
        try await room.write(relax, true)
        try await room.write(relax, false)
        #expect(try await room.value(relax) == true)
        await room.house.advance(.milliseconds(1100))
        #expect(try await room.value(relax) == false)
        let iid = try room.iid(relax)
        #expect(await room.session.events.last == #"{"characteristics":[{"aid":2,"iid":\#(iid),"value":false}]}"#)
        // A device without reports doesn't get the command again.
        for _ in 0..<10 { await room.house.advance(.seconds(1)) }
        #expect(room.commands == [command(relax)])
        try await room.write(relax, true)
        #expect(room.commands == [command(relax), command(relax)])
    }

    @Test("aren't activated later after a failed or an early activation")
    func failure() async throws {
        let room = try await SceneHouse()
        room.house.bridge.driver.set("room", .refuses(.unreachable))
        #expect(try await room.write(relax, true) != 204)
        #expect(try await room.value(relax) == false)
        await room.house.report(LightReport(reachable: false), "room")
        #expect(try await room.write(relax, true) != 204)
        let count = room.commands.count
        room.house.bridge.driver.set("room", .reports([]))
        await room.house.report(LightReport(reachable: true), "room")
        for _ in 0..<10 { await room.house.advance(.seconds(1)) }
        #expect(room.commands.count == count && count <= 1)
    }

    @Test("aren't activated by a report")
    func report() async throws {
        let room = try await SceneHouse()
        await room.house.report(LightReport(command(relax).values), "room")
        #expect(try await room.value(relax) == false)
        #expect(room.commands.isEmpty)
    }

    @Test("switch scenes off at a restart, and keep the state of sirens")
    func restart() async throws {
        let room = try await SceneHouse()
        try await room.write(relax, true)
        try await room.write(alarm, true)
        await room.house.bridge.lights.saveStates()
        let again = try await BridgeUnderTest(room.house.store, stored: room.house.store.bridge, lights: [.scenes])
        #expect(try await room.value(relax, again) == false)
        #expect(try await room.value(alarm, again) == true)
        #expect(again.driver.orders.isEmpty)
    }

    @Test("keep exactly one option of a choice on")
    func choice() async throws {
        let room = try await SceneHouse()
        try await room.subscribe(mode("Eco"))
        func shown() async throws -> [Bool?] {
            [
                try await room.value(mode("Eco")), try await room.value(mode("Sport")),
                try await room.value(mode("Off-road")),
            ]
        }
        await room.house.report(LightReport(command(mode("Eco")).values), "room")
        #expect(try await shown() == [true, false, false])
        try await room.write(mode("Sport"), true)
        #expect(try await shown() == [false, true, false])
        #expect(room.commands == [command(mode("Sport"))])
        try await room.write(mode("Sport"), false)
        #expect(try await shown() == [false, true, false])
        #expect(room.commands.count == 1)
        await room.house.advance(.seconds(1))
        #expect(await room.session.events.last?.contains(#""value":false"#) == true)
    }

    @Test("let an operator omit the name of the only switch")
    func `operator`() async throws {
        let bell = LightDescription(
            id: "room", name: "Bell", kind: .scene, functions: [.scene("ring", name: "Ring")])
        let house = try await House([bell])
        let key = try #require(await house.bridge.lights.snapshots().first).key
        #expect(await house.bridge.lights.command(LightCommand(on: true), key) == .success)
        #expect(house.bridge.driver.orders.map(\.command) == [command(Property(.on, of: "scene/ring"))])
    }
}
