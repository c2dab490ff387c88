import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Testing

/// Changes the instance IDs of a device.
private func renumbered(_ device: AccessoryObject, by offset: UInt64, aid: UInt64? = nil) -> AccessoryObject {
    var device = device
    if let aid { device = AccessoryObject(aid: AccessoryID(aid), services: device.services) }
    device.services = device.services.map { service in
        guard service.type != .accessoryInformation else { return service }
        return ServiceObject(
            iid: InstanceID(service.iid.rawValue + offset), type: service.type, isPrimary: service.isPrimary,
            characteristics: service.characteristics.map {
                CharacteristicObject(
                    iid: InstanceID($0.iid.rawValue + offset), type: $0.type, metadata: $0.metadata, value: $0.value)
            })
    }
    return device
}

@Suite("Repairing an accessory")
struct RepairTests {
    /// Adds a lamp to a room, a scene, a group and the favorites.
    private func configured() throws -> (hub: TestHub, lamp: Accessory, home: Home) {
        var hub = TestHub()
        let home = try hub.home()
        let id = try hub.add([Devices.lamp("Meter")], to: home)[0]
        try hub.perform(.renameAccessory(id, name: "Desk Lamp"))
        try hub.perform(.assignAccessory(home, id, try hub.room("Study", in: home)))
        let lamp = try #require(hub.graph.accessory(id))
        let service = try #require(lamp.services.first { $0.type == .lightbulb })
        try hub.perform(.setFavorite(service.id, true))
        let scene = try hub.scene("Evening", in: home)
        let on = try #require(service.characteristic(.on)?.id)
        try hub.perform(
            .setActions(scene, [CharacteristicWriteAction(characteristic: on, targetValue: .bool(true))]))
        guard case .serviceGroup(let group) = try hub.perform(.addServiceGroup(home, name: "Reading")).result else {
            throw HomeError(.unexpectedError)
        }
        try hub.perform(.addServiceToServiceGroup(group, service.id))
        return (hub, try #require(hub.graph.accessory(id)), try #require(hub.graph.home(home)))
    }

    private func repair(
        _ hub: inout TestHub, _ id: Accessory.ID, _ devices: [AccessoryObject], device: Int = 1
    ) throws(HomeError) {
        let replacement = ReplacementDevice(
            deviceID: Devices.id(device), category: .lightbulb, accessories: devices)
        _ = try hub.graph.repair(id, with: replacement, using: &hub.random)
    }

    @Test("keeps all settings if the device has other instance IDs and another device ID", arguments: [0, 100])
    func keepsEverything(offset: UInt64) throws {
        var (hub, lamp, home) = try configured()
        try repair(&hub, lamp.id, [renumbered(Devices.lamp("Other Name"), by: offset)], device: 2)
        let now = try #require(hub.graph.accessory(lamp.id))
        #expect(now.deviceID == Devices.id(2) && now.name == "Desk Lamp" && now.room == lamp.room)
        #expect(
            now.services.map(\.id) == lamp.services.map(\.id) && now.services.map(\.name) == lamp.services.map(\.name))
        #expect(
            now.services.flatMap(\.characteristics).map(\.id) == lamp.services.flatMap(\.characteristics).map(\.id))
        #expect(now.services.last?.iid.rawValue == 10 + offset && now.services.last?.isFavorite == true)
        #expect(hub.graph.home(home.id)?.actionSets == home.actionSets)
        #expect(hub.graph.home(home.id)?.serviceGroups == home.serviceGroups)
        #expect(hub.graph.breaches == [])
    }

    @Test("refuses a device with other services and changes nothing")
    func refusesOthers() throws {
        var (hub, lamp, _) = try configured()
        let before = hub.graph
        let error = #expect(throws: HomeError.self) {
            try repair(&hub, lamp.id, [Devices.lamp("Meter", type: .outlet)])
        }
        #expect(error?.code == .incompatibleAccessory)
        #expect(error?.message.contains("no Lightbulb") == true && error?.message.contains("Outlet") == true)
        var dimmable = Devices.lamp("Meter")
        dimmable.services[1] = ServiceObject(
            iid: InstanceID(10), type: .lightbulb,
            characteristics: dimmable.services[1].characteristics + [
                CharacteristicObject(
                    iid: InstanceID(40), type: .brightness,
                    metadata: CharacteristicMetadata(format: .int, permissions: .pairedRead), value: .integer(1))
            ])
        #expect(throws: HomeError.self) { try repair(&hub, lamp.id, [dimmable]) }
        #expect(throws: HomeError.self) { try repair(&hub, lamp.id, Devices.bridge(lamps: ["A"])) }
        #expect(hub.graph == before)
    }

    @Test("matches the outlets of a strip by name, then by number, and doesn't guess")
    func strips() throws {
        func strip(_ names: [String?], _ numbers: [UInt64]) -> AccessoryObject {
            AccessoryObject(
                aid: .bridge,
                services: [Devices.information(name: "Strip")]
                    + zip(names, numbers).map { Devices.service(.outlet, iid: $1, name: $0) })
        }
        for (names, numbers, order) in [
            (["Left", "Right"], [10, 200], [0, 1]), (["Right", "Left"], [10, 200], [1, 0]),
            (["One", "Two"], [10, 200], [0, 1]),
        ] as [([String], [UInt64], [Int])] {
            var hub = TestHub()
            let id = try hub.add([strip(["Left", "Right"], [10, 200])], to: try hub.home())[0]
            let before = try #require(hub.graph.accessory(id)?.services.dropFirst().map(\.id))
            // The outlets' names are in the values of their Name characteristics.
            let outlets = try #require(hub.graph.accessory(id)?.services.dropFirst())
            for (service, name) in zip(outlets, ["Left", "Right"]) {
                let characteristic = try #require(service.characteristic(.name)?.id)
                hub.graph.apply(
                    .valueUpdated(characteristic, .string(name), time: Timestamp(millisecondsSince1970: 1)))
            }
            try repair(&hub, id, [strip(names, numbers)])
            let now = try #require(hub.graph.accessory(id)?.services.dropFirst().map(\.id))
            #expect(now == order.map { before[$0] })
        }
        var hub = TestHub()
        let id = try hub.add([strip([nil, nil], [10, 200])], to: try hub.home())[0]
        let before = hub.graph
        #expect(throws: HomeError.self) { try repair(&hub, id, [strip([nil, nil], [300, 400])]) }
        #expect(hub.graph == before)
    }

    @Test("matches bridged accessories by name and adds new ones")
    func bridges() throws {
        var hub = TestHub()
        let home = try hub.home()
        let ids = try hub.add(Devices.bridge(lamps: ["Hall", "Stairs"]), to: home, category: .bridge)
        try hub.perform(.renameAccessory(ids[1], name: "Corridor"))
        try repair(&hub, ids[0], Devices.bridge(lamps: ["Stairs", "Attic", "Hall"]), device: 2)
        let now = try #require(hub.graph.home(home))
        #expect(now.accessory(ids[1])?.aid == AccessoryID(4) && now.accessory(ids[1])?.name == "Corridor")
        #expect(now.accessory(ids[2])?.aid == AccessoryID(2))
        #expect(now.accessories.map(\.name).contains("Attic") && now.accessories.count == 4)
        #expect(now.accessories.allSatisfy { $0.deviceID == Devices.id(2) })
        #expect(hub.graph.breaches == [])
        let before = hub.graph
        #expect(throws: HomeError.self) { try repair(&hub, ids[0], Devices.bridge(lamps: ["Stairs"])) }
        let error = #expect(throws: HomeError.self) { try repair(&hub, ids[1], [Devices.lamp("Hall")]) }
        #expect(error?.code == .operationNotSupported && error?.message.contains("Bridge") == true)
        #expect(hub.graph == before)
    }

    @Test("refuses a device that is another accessory of the home")
    func refusesOwn() throws {
        var (hub, lamp, home) = try configured()
        try hub.add([Devices.lamp("Other")], to: home.id, device: 2)
        let error = #expect(throws: HomeError.self) { try repair(&hub, lamp.id, [Devices.lamp("Meter")], device: 2) }
        #expect(error?.code == .objectAlreadyAssociatedToHome)
    }
}
