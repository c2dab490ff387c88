import HAPModel
import HomeModel
import HomePresentation
import Testing

@testable import homehub

@Suite("The write command") struct WriteOrderTests {
    /// Returns the changes as `PART word value`, based on the last known values.
    private func written(_ words: [String]) throws(HomeError) -> [String] {
        let order = try House.home.writeOrder(typed: words)
        var present: [Characteristic.ID: CharacteristicValue] = [:]
        for place in order.unread { present[place.characteristic.id] = place.characteristic.value }
        return try order.changes(given: present).map {
            "\($0.place.shownName) \($0.place.characteristic.word) \($0.place.characteristic.text(of: $0.value))"
        }.sorted()
    }

    @Test(
        "parses an accessory, place or kind and its change",
        arguments: [
            (["Reading Lamp", "on=yes", "brightness=40"], ["Reading Lamp brightness 40 %", "Reading Lamp on yes"]),
            (["Reading Lamp", "off"], ["Reading Lamp on no"]),
            (["reading", "lamp", "off"], ["Reading Lamp on no"]),
            (["Reading Lamp", "toggle"], ["Reading Lamp on no"]),
            (["Ceiling Fan", "toggle"], ["Ceiling Fan active off"]),
            (["Ceiling Fan/Light", "on"], ["Ceiling Fan/Light on yes"]),
            (["Reading Lamp", "on=toggle"], ["Reading Lamp on no"]),
            (["Reading Lamp", "brightness=+10"], ["Reading Lamp brightness 50 %"]),
            (["Reading Lamp", "brightness=-10"], ["Reading Lamp brightness 30 %"]),
            (["Reading Lamp", "brightness+=5%"], ["Reading Lamp brightness 45 %"]),
            (["Reading Lamp", "brightness=+90"], ["Reading Lamp brightness 100 %"]),
            (["Reading Lamp", "brightness-=90"], ["Reading Lamp brightness 0 %"]),
            (["Reading Lamp", "brightness=+0.2"], ["Reading Lamp brightness 41 %"]),
            (["Kitchen", "off"], ["Ceiling Fan active off", "Ceiling Fan/Light on no"]),
            (["kitchen", "lights", "off"], ["Ceiling Fan/Light on no"]),
            (["living", "room", "lamps", "on"], ["Reading Lamp on yes"]),
            (
                ["Downstairs", "lights", "brightness=7"],
                ["Ceiling Fan/Light brightness 7 %", "Reading Lamp brightness 7 %"]
            ),
            (["lights", "toggle"], ["Ceiling Fan/Light on no", "Reading Lamp on no"]),
            (["locks", "unlock"], ["Front Door lock-target-state unlocked"]),
            (["Front Door", "lock"], ["Front Door lock-target-state locked"]),
        ])
    func orders(words: [String], expected: [String]) throws {
        #expect(try written(words) == expected)
    }

    @Test(
        "refuses unknown words",
        arguments: [
            (["Reading Lamp"], HomeError.Code.invalidParameter), (["Reading Lamp", "brightness"], .invalidParameter),
            (["Reading Lamp", "open"], .notFound), (["Kitchen", "open"], .notFound),
            (["Sofa", "off"], .notFound), (["Kitchen", "sofas", "off"], .notFound),
            (["Kitchen", "hue=3"], .notFound), (["Reading Lamp", "brightness=400"], .valueHigherThanMaximum),
            (["Front Door", "lock-target-state=-1"], .valueLowerThanMinimum),
            (["Front Door", "lock-target-state+=1"], .invalidValueType),
            (["Reading Lamp", "brightness=+many"], .invalidValueType), (["Reading Lamp", "on+=1"], .invalidValueType),
            (["Reading Lamp", "on", "on=yes"], .invalidParameter), (["Light", "off"], .invalidParameter),
            ([], .invalidParameter), (["off"], .invalidParameter),
        ])
    func refusals(words: [String], code: HomeError.Code) {
        let error = #expect(throws: HomeError.self) { try written(words) }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test("includes outlets by their associated type, and groups as a whole")
    func kindsAndGroups() throws {
        var home = House.home
        home.accessories[4].services[0].associatedServiceType = .lightbulb
        let order = try home.writeOrder(typed: ["living room lights", "off"])
        #expect(order.items.count == 2)
        let services = [House.lamp.services[1].id, House.door.services[0].id]
        home.serviceGroups = [ServiceGroup(id: House.id(9), home: home.id, name: "Night", services: services)]
        #expect(try home.writeOrder(typed: ["night", "lock"]).items.count == 1)
        #expect(try home.writeOrder(typed: ["Night", "off"]).items.count == 1)
    }

    @Test("applies a relative change to the other values if one value couldn't be read")
    func unknown() throws {
        #expect(try written(["Reading Lamp", "color-temperature=+10"]).isEmpty)
        let order = try House.home.writeOrder(typed: ["lights", "brightness=+10"])
        #expect(order.unread.count == 2)
        let lamp = House.lamp.services[1].characteristics[1].id
        #expect(try order.changes(given: [lamp: .integer(40)]).map(\.value) == [.integer(50)])
    }

    @Test("prefers kinds to prefixes, but not to full names")
    func kindsBeforeBeginnings() throws {
        var home = House.home
        home.accessories[0].name = "Lights Of The Desk"
        home.rooms.append(Room(id: House.id(99), home: home.id, name: "My Door"))
        #expect(try home.writeOrder(typed: ["lights", "on"]).items.count == 2)
        #expect(try home.writeOrder(typed: ["lights of", "on"]).items.count == 1)
        home.accessories[0].room = House.id(99)
        #expect(try home.writeOrder(typed: ["my", "door", "lights", "on"]).items.count == 1)
    }

    @Test("doesn't switch off locks and purifiers with their room")
    func protected() throws {
        var home = House.home
        let purifier = House.service(
            610, .airPurifier, "Air", of: House.id(600), isPrimary: true, [(.active, .integer(1))])
        home.accessories.append(
            Accessory(
                id: House.id(600), home: home.id, name: "Air", configuredName: "Air", room: House.id(2),
                category: .airPurifier, deviceID: House.device, aid: AccessoryID(9), services: [purifier]))
        #expect(throws: HomeError.self) { try home.writeOrder(typed: ["My Home", "off"]) }
        #expect(try home.writeOrder(typed: ["Air", "off"]).items.count == 1)
        #expect(try home.writeOrder(typed: ["air purifiers", "off"]).items.count == 1)
    }

    @Test("treats a minus as a sign where values may be negative")
    func negative() throws {
        var home = House.home
        let outside = House.service(
            610, .thermostat, "Frost", of: House.id(600), isPrimary: true,
            [(.targetTemperature, .float(4)), (.currentTemperature, .float(3))])
        home.accessories.append(
            Accessory(
                id: House.id(600), home: home.id, name: "Frost", configuredName: "Frost", room: House.id(2),
                category: .thermostat, deviceID: House.device, aid: AccessoryID(9), services: [outside]))
        let index = home.accessories.count - 1
        home.accessories[index].services[0].characteristics[0].metadata.minimum = -10
        let absolute = try home.writeOrder(typed: ["Frost", "target-temperature=-5"])
        #expect(absolute.unread.isEmpty)
        let step = try home.writeOrder(typed: ["Frost", "target-temperature-=5"])
        let place = try #require(step.unread.first)
        #expect(try step.changes(given: [place.characteristic.id: .float(4)]).map(\.value) == [.float(-1)])
        // The names Frost and Front Door both start with these letters.
        #expect(throws: HomeError.self) { try home.writeOrder(typed: ["Fro", "target-temperature=5"]) }
        #expect(throws: HomeError.self) { try home.accessory(addressed: "Fro") }
        #expect(try home.accessory(addressed: "Fron").name == "Front Door")
        #expect(throws: HomeError.self) { try home.accessory(addressed: "Fron", isWhole: true) }
    }
}
