import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Testing

@Suite("The display of a home") struct DescriptionTests {
    @Test("groups accessories by room and category in a stable order")
    func groups() throws {
        var hub = TestHub()
        let home = try hub.home("Zuhause")
        let rooms = [try hub.room("küche", in: home), try hub.room("Bad", in: home), try hub.room("Leer", in: home)]
        let names = ["Lamp 2", "lamp 10", "Fan", "LAMP", "Plug"]
        for (index, name) in names.enumerated() {
            let type: ServiceType = name == "Fan" ? .fan : .lightbulb
            let category: AccessoryCategory = name == "Fan" ? .fan : .lightbulb
            let device = index + 1
            let id = try hub.add([Devices.lamp(name, type: type)], to: home, device: device, category: category)[0]
            if index < 4 { try hub.perform(.assignAccessory(home, id, rooms[index % 2])) }
        }
        let snapshot = try #require(hub.graph.home(home))
        let byRoom = snapshot.grouped(by: .room)
        #expect(byRoom.map(\.name) == ["Bad", "küche", "No room"])
        #expect(byRoom.map { $0.accessories.map(\.name) } == [["LAMP", "lamp 10"], ["Fan", "Lamp 2"], ["Plug"]])
        let byCategory = snapshot.grouped(by: .category)
        #expect(byCategory.map(\.name) == ["Fan", "Lightbulb"])
        #expect(byCategory.last?.accessories.map(\.name) == ["LAMP", "lamp 10", "Lamp 2", "Plug"])
        let shuffled = Home(
            id: snapshot.id, name: snapshot.name, isPrimary: true, revision: snapshot.revision,
            defaultRoomID: snapshot.defaultRoomID, rooms: snapshot.rooms.reversed(),
            accessories: snapshot.accessories.reversed())
        #expect(shuffled.grouped(by: .room) == byRoom)
        #expect(shuffled.grouped(by: .category) == byCategory)
        #expect(snapshot.accessories.named("lamp2").map(\.name) == ["Lamp 2"])
    }

    @Test(
        "derives the category from the services",
        arguments: [
            (ServiceType.lightbulb, AccessoryCategory.lightbulb), (.switch, .switch), (.outlet, .outlet),
            (.fanv2, .fan),
            (.heaterCooler, .thermostat), (.lockMechanism, .doorLock), (.leakSensor, .sensor),
            (.statelessProgrammableSwitch, .programmableSwitch), (.doorbell, .videoDoorbell),
            (.cameraRTPStreamManagement, .ipCamera), (.irrigationSystem, .sprinkler), (.television, .television),
            (.battery, .other),
        ])
    func categories(type: ServiceType, category: AccessoryCategory) {
        let services = [Devices.information(name: "x"), Devices.service(type, iid: 10)]
        #expect(ServiceType.category(of: services) == category)
    }

    @Test("prefers the primary service, then the first visible one")
    func primary() {
        let lamp = Devices.service(.lightbulb, iid: 10)
        let fan = Devices.service(.fan, iid: 30)
        #expect(ServiceType.category(of: [lamp, fan]) == .lightbulb)
        #expect(ServiceType.category(of: [lamp, Devices.service(.fan, iid: 30, isPrimary: true)]) == .fan)
        var hidden = lamp
        hidden.isHidden = true
        #expect(ServiceType.category(of: [hidden, fan]) == .fan)
        let own = Devices.service(ServiceType(HAPType(apple: 0xF1234)), iid: 50, isPrimary: true)
        #expect(ServiceType.category(of: [own, fan]) == .fan)
        #expect(ServiceType.category(of: []) == .other)
    }

    @Test("describes types in words and unknown types by UUID")
    func words() {
        #expect(ServiceType.garageDoorOpener.localizedDescription == "Garage Door Opener")
        #expect(ServiceType.cameraRTPStreamManagement.localizedDescription == "Camera RTP Stream Management")
        #expect(ServiceType.wiFiRouter.localizedDescription == "Wi-Fi Router")
        #expect(CharacteristicType.on.localizedDescription == "Power State")
        #expect(CharacteristicType.pm2_5Density.localizedDescription == "PM2.5 Density")
        #expect(AccessoryCategory(rawValue: 33).localizedDescription == "Wi-Fi Router")
        #expect(AccessoryCategory(rawValue: 999).localizedDescription == "Other")
        let own = CharacteristicType(HAPType("5A3B0C2E-1111-2222-3333-444455556666")!)
        #expect(own.localizedDescription == "5A3B0C2E-1111-2222-3333-444455556666")
        var random = SeededNumbers(seed: 1)
        let characteristic = Characteristic(
            id: Characteristic.ID(using: &random), service: Service.ID(using: &random), iid: InstanceID(9), type: own,
            metadata: CharacteristicMetadata(format: .uint8, permissions: .pairedRead),
            manufacturerDescription: "Power-down decay rate")
        #expect(characteristic.localizedDescription == "Power-down decay rate")
    }

    @Test("associates a switch with devices that can be switched")
    func associable() {
        #expect(ServiceType.outlet.associableTypes.isSuperset(of: [.lightbulb, .fan]))
        #expect(ServiceType.switch.associableTypes.isDisjoint(with: [.outlet, .switch, .door]))
        #expect(ServiceType.contactSensor.associableTypes == [.door, .garageDoorOpener, .window, .windowCovering])
        #expect(ServiceType.lightbulb.associableTypes.isEmpty)
    }

    @Test("suggests better names")
    func hints() throws {
        var hub = TestHub()
        let home = try hub.home()
        let kitchen = try hub.room("Kitchen", in: home)
        let ids = try (1...3).map { number in
            try hub.add(
                [Devices.lamp(number == 1 ? "Kitchen lamp" : "Maker lamp \(number)")], to: home, device: number)[0]
        }
        try hub.perform(.renameAccessory(ids[2], name: "Light"))
        let snapshot = try #require(hub.graph.home(home))
        let place = NameLocation(name: "Kitchen", place: .room(kitchen))
        #expect(snapshot.nameHints(of: ids[0]) == [.containsLocation(place)])
        #expect(snapshot.nameHints(of: ids[1]) == [.containsMaker])
        #expect(snapshot.nameHints(of: ids[2]) == [.genericOnly])
        #expect(snapshot.suggestedNames(from: "Kitchen lamp", for: ids[0]) == ["lamp", "Light 2"])
        let services = ids.compactMap { snapshot.accessory($0)?.services.last }
        for (service, name) in zip(services, ["Desk", "Desk", "Floor"]) {
            try hub.perform(.renameService(service.id, name: name))
        }
        let renamed = try #require(hub.graph.home(home))
        #expect(services.map { renamed.nameHints(of: $0.id) } == [[.ambiguousForVoice], [.ambiguousForVoice], []])
        #expect(renamed.suggestedNames(from: "kitchen desk", for: services[0].id) == ["desk", "Light"])
    }
}
