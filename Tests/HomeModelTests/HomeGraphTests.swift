import HAPModel
import HomeModel
import HomeTesting
import Testing

/// Returns the error code of a write; 0 if it succeeds.
private func code(_ hub: inout TestHub, _ write: HomeWrite) -> Int {
    let before = hub.graph
    do {
        try hub.perform(write)
        return 0
    } catch {
        #expect(hub.graph == before)
        return error.code.rawValue
    }
}

@Suite("The home graph") struct HomeGraphTests {
    @Test("makes the first home primary, and the oldest home when the primary home is removed")
    func primary() throws {
        var hub = TestHub()
        let commit = try hub.perform(.addHome(name: "One"))
        #expect(commit.transaction?.changes.map(\.event.name) == ["homeAdded", "primaryHomeUpdated"])
        let one = try #require(hub.graph.primaryHome?.id)
        let two = try hub.home("Two")
        let three = try hub.home("Three")
        #expect(code(&hub, .setPrimaryHome(one)) == 1)
        #expect(code(&hub, .setPrimaryHome(three)) == 0)
        #expect(hub.graph.primaryHome?.id == three)
        let removal = try hub.perform(.removeHome(three))
        #expect(removal.transaction?.changes.map(\.event) == [.homeRemoved, .primaryHomeUpdated(one)])
        #expect(hub.graph.homes.map(\.id) == [one, two])
        try hub.perform(.removeHome(one))
        let last = try hub.perform(.removeHome(two))
        #expect(last.transaction?.changes.map(\.event) == [.homeRemoved, .primaryHomeUpdated(nil)])
        #expect(code(&hub, .removeHome(two)) == 2)
    }

    @Test("keeps one namespace for homes and another for the objects of each home")
    func namespaces() throws {
        var hub = TestHub()
        let home = try hub.home("My Home")
        let other = try hub.home("Cottage")
        #expect(code(&hub, .addHome(name: "my home")) == 32)
        #expect(code(&hub, .renameHome(other, name: "MyHome")) == 32)
        let room = try hub.room("Kids Room", in: home)
        let zone = try hub.zone("Upstairs", in: home)
        #expect(code(&hub, .addZone(home, name: "kid's room")) == 31)
        #expect(code(&hub, .addRoom(home, name: "my home")) == 31)
        #expect(code(&hub, .addActionSet(home, name: "up stairs", kind: .userDefined)) == 31)
        #expect(code(&hub, .renameHome(home, name: "Kids room")) == 31)
        #expect(code(&hub, .addRoom(other, name: "Kids Room")) == 0)
        #expect(code(&hub, .renameRoom(room, name: "Kids Room")) == 33)
        #expect(code(&hub, .renameRoom(room, name: "Kid's room")) == 0)
        #expect(code(&hub, .renameZone(zone, name: "Kids Room")) == 31)
        #expect(code(&hub, .addRoom(home, name: "")) == 51)
        #expect(code(&hub, .addRoom(home, name: " 📚!")) == 35)
        #expect(hub.graph.breaches == [])
    }

    @Test("applies the rules for names to all objects with names")
    func namedObjects() throws {
        var hub = TestHub()
        let home = try hub.home()
        let (room, zone) = (try hub.room("Hall", in: home), try hub.zone("Upstairs", in: home))
        let (scene, lamp) = (try hub.scene("Evening", in: home), try hub.add([Devices.lamp("Lamp")], to: home)[0])
        let service = try #require(hub.graph.accessory(lamp)?.services.last?.id)
        let name = "Lamp!"
        for write in [
            HomeWrite.addHome(name: name), .renameHome(home, name: name), .addRoom(home, name: name),
            .renameRoom(room, name: name), .addZone(home, name: name), .renameZone(zone, name: name),
            .renameAccessory(lamp, name: name), .renameService(service, name: name),
            .addActionSet(home, name: name, kind: .userDefined), .renameActionSet(scene, name: name),
            .addServiceGroup(home, name: name),
        ] {
            #expect(code(&hub, write) == 35, "\(write)")
        }
    }

    @Test("names the object that uses a name and suggests other names")
    func refusal() throws {
        var hub = TestHub()
        let home = try hub.home()
        _ = try hub.room("Kitchen", in: home)
        let error = #expect(throws: HomeError.self) { try hub.perform(.addZone(home, name: "kitchen")) }
        #expect(error?.message == #"a room named "Kitchen" exists in this home; try "kitchen 2", "Zone""#)
        #expect(error?.description.hasSuffix(" (31 objectWithSimilarNameExistsInHome)") == true)
        #expect(error?.suggestions == ["kitchen 2", "Zone"])
    }

    @Test("names a service by its kind if the device's name for it is meaningless")
    func parts() throws {
        var hub = TestHub()
        let home = try hub.home()
        let own = ServiceType(try #require(HAPType("E863F007-079E-48FF-8F27-9C2605A29F52")))
        var device = Devices.lamp("HomeW")
        device.services.append(Devices.service(.motionSensor, iid: 80, name: "HomeW 2"))
        device.services.append(Devices.service(.motionSensor, iid: 90, name: "HomeW"))
        device.services.append(Devices.service(.lightSensor, iid: 100, name: "Porch"))
        device.services.append(Devices.service(own, iid: 110, name: nil))
        let id = try hub.add([device], to: home)[0]
        let parts = try #require(hub.graph.accessory(id)).services.filter(\.isUserInteractive)
        #expect(parts.dropFirst().map(\.name) == ["Motion Sensor", "Motion Sensor 2", "Porch", "Extra"])
        #expect(parts.last?.localizedDescription == "Vendor-Specific")
    }

    @Test("names the default room after the home and refuses to rename or remove it")
    func defaultRoom() throws {
        var hub = TestHub()
        let home = try hub.home("One")
        let zone = try hub.zone("Zone", in: home)
        let room = try #require(hub.graph.home(home)?.defaultRoom)
        #expect(room.name == "One")
        #expect(code(&hub, .renameRoom(room.id, name: "Two")) == 29)
        #expect(code(&hub, .removeRoom(home, room.id)) == 29)
        #expect(code(&hub, .addRoomToZone(zone, room.id)) == 24)
        try hub.perform(.renameHome(home, name: "Two"))
        #expect(hub.graph.home(home)?.defaultRoom.name == "Two")
        #expect(hub.graph.home(home)?.rooms == [])
    }

    @Test("moves the accessories of a removed room to the default room and removes the room from its zones")
    func removals() throws {
        var hub = TestHub()
        let home = try hub.home()
        let room = try hub.room("Hall", in: home)
        let zones = [try hub.zone("Upstairs", in: home), try hub.zone("Front", in: home)]
        for zone in zones { try hub.perform(.addRoomToZone(zone, room)) }
        #expect(code(&hub, .addRoomToZone(zones[0], room)) == 1)
        let lamp = try hub.add([Devices.lamp("Lamp")], to: home)[0]
        try hub.perform(.assignAccessory(home, lamp, room))
        let defaultRoom = try #require(hub.graph.home(home)?.defaultRoomID)
        let commit = try hub.perform(.removeRoom(home, room))
        #expect(
            commit.transaction?.changes.map(\.event) == [
                .accessoryRoomUpdated(lamp, defaultRoom), .roomRemovedFromZone(room, zones[0]),
                .roomRemovedFromZone(room, zones[1]), .roomRemoved(room),
            ])
        #expect(commit.result == .accessories([lamp]))
        let other = try hub.room("Bath", in: home)
        try hub.perform(.addRoomToZone(zones[0], other))
        let removal = try hub.perform(.removeZone(home, zones[0]))
        #expect(removal.transaction?.changes.map(\.event) == [.zoneRemoved(zones[0])])
        #expect(hub.graph.home(home)?.rooms.map(\.id) == [other])
        #expect(code(&hub, .removeRoomFromZone(zones[1], other)) == 2)
    }

    @Test("refuses unknown objects and objects of another home")
    func belonging() throws {
        var hub = TestHub()
        let home = try hub.home("One")
        let other = try hub.home("Two")
        let zone = try hub.zone("Zone", in: home)
        let room = try hub.room("Room", in: other)
        let lamp = try hub.add([Devices.lamp("Lamp")], to: other)[0]
        let noPeer = Room.ID(using: &hub.random)
        let nothing = Accessory.ID(using: &hub.random)
        #expect(code(&hub, .addRoomToZone(zone, room)) == 11)
        #expect(code(&hub, .removeRoom(home, room)) == 11)
        #expect(code(&hub, .removeZone(other, zone)) == 11)
        #expect(code(&hub, .assignAccessory(other, lamp, hub.graph.homes[0].defaultRoomID)) == 11)
        #expect(code(&hub, .assignAccessory(home, lamp, hub.graph.homes[0].defaultRoomID)) == 11)
        #expect(code(&hub, .removeAccessory(home, lamp)) == 12)
        #expect(code(&hub, .addRoomToZone(zone, noPeer)) == 2)
        #expect(code(&hub, .renameRoom(noPeer, name: "!")) == 2)
        #expect(code(&hub, .assignAccessory(home, nothing, noPeer)) == 12)
        #expect(code(&hub, .assignAccessory(other, lamp, room)) == 0)
        #expect(code(&hub, .assignAccessory(other, lamp, room)) == 1)
    }

    @Test("limits the number of homes")
    func limits() throws {
        var hub = TestHub()
        for number in 1...HomeLimits.homes { _ = try hub.home("Home \(number)") }
        #expect(code(&hub, .addHome(name: "Another")) == 49)
    }

    @Test("limits the rooms, zones and scenes of a home and the values of a scene")
    func limitsOfHome() throws {
        var hub = TestHub()
        let home = try hub.home()
        for number in 1...HomeLimits.roomsInHome { _ = try hub.room("Room \(number)", in: home) }
        #expect(code(&hub, .addRoom(home, name: "Another")) == 49)
        for number in 1...HomeLimits.zonesInHome { _ = try hub.zone("Zone \(number)", in: home) }
        #expect(code(&hub, .addZone(home, name: "Another")) == 49)
        for number in 1...HomeLimits.actionSetsInHome { _ = try hub.scene("Scene \(number)", in: home) }
        #expect(code(&hub, .addActionSet(home, name: "Another", kind: .userDefined)) == 49)
        let actions = (0...HomeLimits.actionsInActionSet).map { _ in
            CharacteristicWriteAction(
                characteristic: Characteristic.ID(using: &hub.random), targetValue: .bool(true))
        }
        let scene = try #require(hub.graph.homes.first?.actionSets.first?.id)
        #expect(code(&hub, .setActions(scene, actions)) == 49)
    }

    @Test("limits the accessories of a home, including bridged ones")
    func limitOfAccessories() throws {
        var hub = TestHub()
        let home = try hub.home()
        var (count, device) = (0, 0)
        while count + 150 <= HomeLimits.accessoriesInHome {
            device += 1
            count += try hub.add(
                Devices.bridge("Bridge \(device)", lamps: (2...150).map { "Lamp \(device) \($0)" }), to: home,
                device: device, category: .bridge
            ).count
        }
        let before = hub.graph
        #expect(throws: HomeError.self) {
            try hub.add(
                Devices.bridge("Last", lamps: (2...150).map { "Last lamp \($0)" }), to: home, device: 999,
                category: .bridge)
        }
        #expect(hub.graph == before)
        try hub.add(Devices.bridge("Last", lamps: []), to: home, device: 999, category: .bridge)
        let more = (count + 1..<HomeLimits.accessoriesInHome).map { "Last lamp \($0)" }
        let full = Devices.bridge("Last", lamps: more)
        #expect(try hub.graph.update(Devices.id(999), with: full, using: &hub.random) != nil)
        #expect(hub.graph.homes.first?.accessories.count == HomeLimits.accessoriesInHome)
        do throws(HomeError) {
            _ = try hub.graph.update(
                Devices.id(999), with: Devices.bridge("Last", lamps: more + ["X"]), using: &hub.random)
            Issue.record("one more object was accepted")
        } catch {
            #expect(error.code == .maximumObjectLimitReached)
        }
        #expect(throws: HomeError.self) { try hub.add([Devices.lamp("One")], to: home, device: 1000) }
    }
}

@Suite("The home graph with accessories") struct HomeGraphAccessoryTests {
    @Test("adds a device to the default room with a speakable name")
    func adding() throws {
        var hub = TestHub()
        let home = try hub.home()
        _ = try hub.room("Kitchen", in: home)
        let lamp = try hub.add([Devices.lamp("Maker_M1-47A1")], to: home)[0]
        let accessory = try #require(hub.graph.accessory(lamp))
        #expect(accessory.name == "Light")
        #expect(accessory.configuredName == "Maker_M1-47A1")
        #expect(accessory.room == hub.graph.home(home)?.defaultRoomID)
        #expect(accessory.bridgedAccessories == nil && !accessory.isBridged && accessory.supportsIdentify)
        #expect(accessory.services.map(\.name) == ["Maker", "Light"])
        #expect(accessory.services.flatMap(\.characteristics).allSatisfy { $0.value == nil })
        let second = try hub.add([Devices.lamp("kitchen")], to: home, device: 2)[0]
        #expect(hub.graph.accessory(second)?.name == "Light 2")
        #expect(throws: HomeError(.objectAlreadyAssociatedToHome, accessory: lamp)) {
            try hub.add([Devices.lamp("Lamp")], to: home)
        }
        let other = try hub.home("Other")
        #expect(throws: HomeError(.objectAssociatedToAnotherHome, accessory: lamp)) {
            try hub.add([Devices.lamp("Lamp")], to: other)
        }
        let error = #expect(throws: HomeError.self) {
            try hub.add([Devices.lamp("Lamp")], to: home, device: 3, name: "Kitchen")
        }
        #expect(error?.code == .objectWithSimilarNameExistsInHome)
    }

    @Test("stores the strings of a device as single lines of limited length")
    func hostileTexts() throws {
        var hub = TestHub()
        let home = try hub.home()
        let hostile = "A\u{0}B\u{1B}[2J\r\n\u{2028}\u{202E}C"
        let endless = String(repeating: "e", count: 10) + String(repeating: "\u{301}", count: 1_000_000)
        let device = AccessoryObject(
            aid: AccessoryID(1),
            services: [
                Devices.information(name: hostile, manufacturer: endless, firmware: hostile),
                Devices.service(.lightbulb, iid: 10, name: endless, isPrimary: true),
            ])
        let place = CharacteristicID(AccessoryID(1), InstanceID(11))
        let id = try hub.graph.add(
            AccessoryAddition(
                home: home, deviceID: Devices.id(1), category: .lightbulb, accessories: [device],
                descriptions: [place: hostile]), using: &hub.random
        ).result
        guard case .accessories(let ids) = id, let lamp = hub.graph.accessory(ids[0]) else {
            throw HomeError(.unexpectedError)
        }
        #expect(lamp.configuredName == "AB[2JC" && lamp.firmwareVersion == "AB[2JC")
        #expect(lamp.manufacturer.utf8.count == 256 && lamp.manufacturer.hasPrefix("eeeeeeeee"))
        #expect(lamp.services[1].characteristics[0].manufacturerDescription == "AB[2JC")
        #expect(NameRules.isValid(lamp.name) && lamp.services.allSatisfy { NameRules.isValid($0.name) })
        let silent = try hub.graph.update(
            Devices.id(1), with: [device], descriptions: [place: "\u{0}\u{7}"], using: &hub.random)
        #expect(silent != nil)
        #expect(hub.graph.accessory(ids[0])?.services[1].characteristics[0].manufacturerDescription == nil)
    }

    @Test("adds a bridge before its accessories and removes it after them")
    func bridge() throws {
        var hub = TestHub()
        let home = try hub.home()
        let room = try hub.room("Hall", in: home)
        let addition = AccessoryAddition(
            home: home, deviceID: Devices.id(1), category: .bridge,
            accessories: Devices.bridge(lamps: ["A", "B", "C"]), name: "My bridge")
        let commit = try hub.graph.add(addition, using: &hub.random)
        let changes = try #require(commit.transaction?.changes)
        #expect(changes.map(\.event.name) == Array(repeating: "accessoryAdded", count: 4))
        #expect(changes.map(\.reachesInitiator) == [false, true, true, true])
        guard case .accessories(let ids) = commit.result else { return }
        #expect(ids.compactMap { hub.graph.accessory($0)?.name } == ["My bridge", "A", "B", "C"])
        #expect(hub.graph.accessory(ids[1])?.category == .lightbulb)
        try hub.perform(.assignAccessory(home, ids[0], room))
        #expect(hub.graph.accessory(ids[1])?.room == hub.graph.home(home)?.defaultRoomID)
        #expect(code(&hub, .removeAccessory(home, ids[1])) == 34)
        #expect(code(&hub, .unblockAccessory(home, ids[1])) == 81)
        let removal = try hub.perform(.removeAccessory(home, ids[0]))
        #expect(
            removal.transaction?.changes == [
                HomeChange(.accessoryRemoved(ids[1]), reachesInitiator: true),
                HomeChange(.accessoryRemoved(ids[2]), reachesInitiator: true),
                HomeChange(.accessoryRemoved(ids[3]), reachesInitiator: true), HomeChange(.accessoryRemoved(ids[0])),
            ])
        #expect(hub.graph.home(home)?.accessories == [])
    }

    @Test("removes, updates and adds bridged accessories when the bridge's database changes")
    func bridgeChanges() throws {
        var hub = TestHub()
        let home = try hub.home()
        let ids = try hub.add(Devices.bridge(lamps: ["A", "B"]), to: home, category: .bridge)
        let scene = try hub.scene("Evening", in: home)
        let powers = ids.dropFirst().compactMap { hub.graph.accessory($0)?.services[1].characteristic(.on)?.id }
        try hub.perform(
            .setActions(scene, powers.map { CharacteristicWriteAction(characteristic: $0, targetValue: .bool(true)) }))
        try hub.perform(.renameAccessory(ids[2], name: "Bee"))
        var devices = Devices.bridge(lamps: ["A", "B", "C"])
        devices.remove(at: 1)
        devices[1].services[0] = Devices.information(name: "B", firmware: "2.0")
        let transaction = try #require(try hub.graph.update(Devices.id(1), with: devices, using: &hub.random))
        #expect(
            transaction.changes.map(\.event.name) == ["accessoryRemoved", "firmwareVersionUpdated", "accessoryAdded"])
        #expect(!transaction.changes.map(\.reachesInitiator).contains(false))
        #expect(hub.graph.home(home)?.accessories.map(\.name) == ["Bridge", "Bee", "C"])
        #expect(hub.graph.home(home)?.actionSet(scene)?.actions.map(\.characteristic) == [powers[1]])
        #expect(try hub.graph.update(Devices.id(1), with: devices, using: &hub.random) == nil)
        #expect(hub.graph.breaches == [])
        // An empty bridge remains a bridge.
        _ = try hub.graph.update(Devices.id(1), with: [devices[0]], using: &hub.random)
        #expect(hub.graph.accessory(ids[0])?.bridgedAccessories == [])
        #expect(throws: HomeError(.accessoryOutOfCompliance, accessory: ids[0])) {
            try hub.graph.update(Devices.id(1), with: [], using: &hub.random)
        }
    }

    @Test("keeps the identity, name and settings of remaining services")
    func services() throws {
        var hub = TestHub()
        let home = try hub.home()
        let id = try hub.add([Devices.lamp("Plug", type: .outlet)], to: home)[0]
        let outlet = try #require(hub.graph.accessory(id)?.services[1])
        try hub.perform(.renameService(outlet.id, name: "Heater"))
        try hub.perform(.setAssociatedServiceType(outlet.id, .fan))
        try hub.perform(.setFavorite(outlet.id, true))
        var device = Devices.lamp("Plug", type: .outlet)
        device.services.append(Devices.service(.switch, iid: 80, name: "Heater"))
        let transaction = try #require(try hub.graph.update(Devices.id(1), with: [device], using: &hub.random))
        #expect(transaction.changes.map(\.event.name) == ["servicesUpdated"])
        let services = try #require(hub.graph.accessory(id)?.services)
        #expect(services[1].id == outlet.id)
        #expect(services[1].characteristics.map(\.id) == outlet.characteristics.map(\.id))
        #expect(services.map(\.name) == ["Plug", "Heater", "Heater 2"])
        #expect(services[1].associatedServiceType == .fan && services[1].isFavorite)
        #expect(code(&hub, .renameService(services[2].id, name: "heater")) == 95)
        #expect(code(&hub, .setAssociatedServiceType(outlet.id, .outlet)) == 62)
        #expect(code(&hub, .setAssociatedServiceType(outlet.id, .door)) == 62)
        #expect(code(&hub, .setAssociatedServiceType(outlet.id, nil)) == 0)
        // The names of information services don't conflict with other names.
        #expect(code(&hub, .renameService(services[2].id, name: "Plug")) == 0)
    }

    @Test("renames an unnamed main service with its accessory")
    func followingNames() throws {
        var hub = TestHub()
        let home = try hub.home()
        let id = try hub.add([Devices.lamp("Ceiling Light")], to: home)[0]
        for name in ["Desk Lamp", "Night Light"] {
            try hub.perform(.renameAccessory(id, name: name))
            #expect(hub.graph.accessory(id)?.primaryService?.name == name)
        }
        #expect(hub.graph.breaches == [])
    }

    @Test("keeps values across a database change, and replaces a service whose type changes")
    func replacedServices() throws {
        var hub = TestHub()
        let home = try hub.home()
        let id = try hub.add([Devices.lamp("Plug", type: .outlet)], to: home)[0]
        let outlet = try #require(hub.graph.accessory(id)?.services[1])
        let power = try #require(outlet.characteristic(.on)?.id)
        let isNew = hub.graph.apply(.valueUpdated(power, .bool(true), time: .init(millisecondsSince1970: 7)))
        #expect(isNew)
        var device = Devices.lamp("Plug", type: .outlet)
        device.services.append(Devices.service(.fan, iid: 80))
        device.services[1].linked = [InstanceID(80), InstanceID(99)]
        _ = try hub.graph.update(Devices.id(1), with: [device], using: &hub.random)
        let services = try #require(hub.graph.accessory(id)?.services)
        #expect(services[1].linkedServices == [services[2].id])
        #expect(services[1].characteristic(.on)?.value == .bool(true))
        #expect(services[1].characteristic(.on)?.valueTime == .init(millisecondsSince1970: 7))
        let scene = try hub.scene("Evening", in: home)
        try hub.perform(
            .setActions(scene, [CharacteristicWriteAction(characteristic: power, targetValue: .bool(true))]))
        _ = try hub.graph.update(
            Devices.id(1), with: [Devices.lamp("Plug", type: .switch)], using: &hub.random)
        let replaced = try #require(hub.graph.accessory(id)?.services)
        #expect(replaced.map(\.type) == [.accessoryInformation, .switch])
        #expect(replaced[1].id != outlet.id && hub.graph.characteristic(power) == nil)
        // The action of the outlet doesn't apply to the switch.
        #expect(hub.graph.home(home)?.actionSet(scene)?.actions == [])
    }

    @Test("creates no transaction for a write that changes nothing")
    func unchanged() throws {
        var hub = TestHub()
        let home = try hub.home()
        let id = try hub.add([Devices.lamp("Plug", type: .outlet)], to: home)[0]
        let outlet = try #require(hub.graph.accessory(id)?.services[1])
        let power = try #require(outlet.characteristic(.on)?.id)
        let scene = try hub.scene("Evening", in: home)
        for write in [
            HomeWrite.setFavorite(outlet.id, true), .setAssociatedServiceType(outlet.id, .fan),
            .setActions(scene, [CharacteristicWriteAction(characteristic: power, targetValue: .bool(true))]),
        ] {
            #expect(try hub.perform(write).transaction != nil)
            #expect(try hub.perform(write).transaction == nil)
        }
    }

    @Test("refuses a database without accessories, with a duplicate aid or of another shape")
    func incompliant() throws {
        var hub = TestHub()
        let home = try hub.home()
        let twins = [Devices.lamp("One"), Devices.lamp("Two", aid: 2), Devices.lamp("Three", aid: 2)]
        for devices in [[], twins] {
            #expect(throws: HomeError(.accessoryOutOfCompliance)) {
                try hub.add(devices, to: home, category: .bridge)
            }
        }
        #expect(hub.graph.home(home)?.accessories == [])
        let id = try hub.add([Devices.lamp("One")], to: home)[0]
        let before = hub.graph
        for devices in [[], twins, Array(twins.prefix(2)), Array(twins.suffix(1))] {
            #expect(throws: HomeError(.accessoryOutOfCompliance, accessory: id)) {
                try hub.graph.update(Devices.id(1), with: devices, using: &hub.random)
            }
        }
        #expect(hub.graph == before)
    }

    @Test("unblocks an accessory only once")
    func blocking() throws {
        var hub = TestHub()
        let home = try hub.home()
        let id = try hub.add([Devices.lamp("Lamp")], to: home)[0]
        #expect(hub.graph.block(id)?.changes.map(\.event) == [.accessoryError(id, .accessoryIsBlocked)])
        #expect(hub.graph.block(id) == nil)
        #expect(hub.graph.accessory(id)?.isBlocked == true)
        #expect(try hub.perform(.unblockAccessory(home, id)).transaction?.changes.count == 1)
        #expect(try hub.perform(.unblockAccessory(home, id)).transaction == nil)
    }

    @Test("validates the actions of a scene")
    func scenes() throws {
        var hub = TestHub()
        let home = try hub.home()
        let other = try hub.home("Other")
        let id = try hub.add([Devices.lamp("Lamp")], to: home)[0]
        let lamp = try #require(hub.graph.accessory(id))
        let power = try #require(lamp.services[1].characteristic(.on)?.id)
        let serial = try #require(lamp.services[0].characteristic(.serialNumber)?.id)
        let scene = try hub.scene("Evening", in: home)
        let elsewhere = try hub.scene("Evening", in: other)
        func actions(_ id: Characteristic.ID, _ value: CharacteristicValue) -> [CharacteristicWriteAction] {
            [CharacteristicWriteAction(characteristic: id, targetValue: value)]
        }
        #expect(code(&hub, .setActions(scene, actions(power, .integer(1)))) == 0)
        #expect(hub.graph.home(home)?.actionSet(scene)?.actions == actions(power, .bool(true)))
        #expect(code(&hub, .setActions(scene, actions(power, .bool(true)) + actions(power, .bool(false)))) == 3)
        #expect(code(&hub, .setActions(scene, actions(power, .string("on")))) == 43)
        #expect(code(&hub, .setActions(scene, actions(serial, .string("1")))) == 5)
        #expect(code(&hub, .setActions(elsewhere, actions(power, .bool(true)))) == 11)
        #expect(code(&hub, .setActions(scene, actions(Characteristic.ID(using: &hub.random), .bool(true)))) == 2)
        let sleep = try hub.scene("Good night", in: home, kind: .sleep)
        #expect(code(&hub, .addActionSet(home, name: "Night", kind: .sleep)) == 1)
        #expect(code(&hub, .removeActionSet(sleep)) == 83)
        #expect(code(&hub, .removeActionSet(scene)) == 0)
    }

    @Test("keeps a service in a group only once, and until its accessory is removed")
    func serviceGroups() throws {
        var hub = TestHub()
        let home = try hub.home()
        let other = try hub.home("Cabin")
        let ids = [
            try hub.add([Devices.lamp("One")], to: home)[0], try hub.add([Devices.lamp("Two")], to: home, device: 2)[0],
            try hub.add([Devices.lamp("Far")], to: other, device: 3)[0],
        ]
        let services = try ids.map { try #require(hub.graph.accessory($0)?.services.last).id }
        guard case .serviceGroup(let group) = try hub.perform(.addServiceGroup(home, name: "Reading")).result else {
            Issue.record("no group")
            return
        }
        #expect(code(&hub, .addServiceGroup(home, name: "one")) == 31)
        #expect(code(&hub, .addRoom(home, name: "reading")) == 31)
        #expect(code(&hub, .addServiceGroup(other, name: "Reading")) == 0)
        #expect(code(&hub, .addServiceToServiceGroup(group, services[0])) == 0)
        #expect(code(&hub, .addServiceToServiceGroup(group, services[0])) == 1)
        #expect(code(&hub, .addServiceToServiceGroup(group, services[1])) == 0)
        #expect(code(&hub, .addServiceToServiceGroup(group, services[2])) == 11)
        #expect(code(&hub, .addServiceToServiceGroup(group, Service.ID(using: &hub.random))) == 2)
        #expect(code(&hub, .renameServiceGroup(group, name: "Reading")) == 33)
        #expect(code(&hub, .renameServiceGroup(group, name: "Night")) == 0)
        #expect(code(&hub, .removeAccessory(home, ids[0])) == 0)
        #expect(hub.graph.home(home)?.serviceGroup(group)?.services == [services[1]])
        #expect(code(&hub, .removeServiceFromServiceGroup(group, services[0])) == 2)
        #expect(code(&hub, .removeServiceFromServiceGroup(group, services[1])) == 0)
        #expect(code(&hub, .removeServiceGroup(group)) == 0)
        #expect(code(&hub, .removeServiceGroup(group)) == 2)
        #expect(hub.graph.home(home)?.accessories.map(\.id) == [ids[1]])
    }

    @Test("reports changed values and each button press, and ends observations of an unreachable accessory")
    func live() throws {
        var hub = TestHub()
        let home = try hub.home()
        let device = Devices.lamp("Button", type: .statelessProgrammableSwitch)
        let ids = [
            try hub.add([device], to: home)[0], try hub.add([Devices.lamp("Lamp")], to: home, device: 2)[0],
        ]
        let button = try #require(hub.graph.accessory(ids[0]))
        let lamp = try #require(hub.graph.accessory(ids[1]))
        let event = try #require(button.services[1].characteristic(.programmableSwitchEvent)?.id)
        let power = try #require(lamp.services[1].characteristic(.on)?.id)
        let revision = hub.graph.home(home)?.revision
        func applies(_ event: LiveEvent) -> Bool { hub.graph.apply(event) }
        #expect(applies(.valueUpdated(event, .integer(0), time: .init(millisecondsSince1970: 1))))
        #expect(applies(.valueUpdated(event, .integer(0), time: .init(millisecondsSince1970: 2))))
        #expect(applies(.valueUpdated(power, .bool(true), time: .init(millisecondsSince1970: 1))))
        #expect(!applies(.valueUpdated(power, .bool(true), time: .init(millisecondsSince1970: 2))))
        #expect(hub.graph.characteristic(power)?.valueTime == .init(millisecondsSince1970: 2))
        // A failed read is news until a value arrives, even the same one.
        #expect(applies(.readFailed(power)) && !applies(.readFailed(power)))
        #expect(hub.graph.characteristic(power)?.isOutdated == true)
        #expect(applies(.valueUpdated(power, .bool(true), time: .init(millisecondsSince1970: 3))))
        #expect(hub.graph.characteristic(power)?.isOutdated == false)
        hub.graph.setNotification(true, for: power)
        #expect(applies(.reachabilityUpdated(lamp.id, false)))
        #expect(!applies(.reachabilityUpdated(lamp.id, false)))
        #expect(hub.graph.characteristic(power)?.isNotificationEnabled == false)
        let scene = try hub.scene("Evening", in: home)
        let withScene = hub.graph.home(home)?.revision
        #expect(applies(.actionSetExecutionUpdated(scene, isExecuting: true, last: nil)))
        #expect(!applies(.actionSetExecutionUpdated(scene, isExecuting: true, last: nil)))
        let last = Timestamp(millisecondsSince1970: 7)
        #expect(applies(.actionSetExecutionUpdated(scene, isExecuting: false, last: last)))
        #expect(hub.graph.home(home)?.actionSet(scene)?.lastExecutionTime == last)
        #expect(!applies(.actionSetExecutionUpdated(ActionSet.ID(using: &hub.random), isExecuting: true, last: nil)))
        #expect(hub.graph.home(home)?.revision == withScene)
        #expect(withScene == revision.map { $0 + 1 })
        #expect(
            !applies(
                .valueUpdated(Characteristic.ID(using: &hub.random), .bool(true), time: .init(millisecondsSince1970: 3))
            ))
    }
}
