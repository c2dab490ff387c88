import Glibc
import HAPModel
import HomeModel
import HomePresentation
import Logging
import Testing

@testable import homeweb

@Suite("The order, the sizes and the visibility of tiles") struct HomeDisplayTests {
    /// A home with the rooms A, B and C, and five lamps in room A.
    private let home: Home = {
        func id<Entity>(_ number: Int) -> Identifier<Entity> { AutomationHome.id(number) }
        guard let device = DeviceID("AA:BB:CC:DD:EE:01") else { preconditionFailure("six octets are an ID") }
        let lamps = (1...5).map { number in
            let service = Service(
                id: id(number * 100 + 10), accessory: id(number * 100), iid: InstanceID(10), type: .lightbulb,
                name: "Lamp \(number)", characteristics: [])
            return Accessory(
                id: id(number * 100), home: id(1), name: "Lamp \(number)", configuredName: "", room: id(11),
                category: .lightbulb, deviceID: device, aid: AccessoryID(UInt64(number)), services: [service])
        }
        return Home(
            id: id(1), name: "Home", isPrimary: true, defaultRoomID: id(2),
            rooms: [(11, "A"), (12, "B"), (13, "C")].map { Room(id: id($0.0), home: id(1), name: $0.1) },
            accessories: lamps)
    }()

    private func rooms(_ order: HomeDisplay, _ home: Home? = nil) -> String {
        order.rooms(of: home ?? self.home).map(\.name).prefix(3).joined()
    }

    private func tiles(_ order: HomeDisplay) -> String {
        order.tiles(in: AutomationHome.id(11), of: home).map { String($0.name.suffix(1)) }.joined()
    }

    @Test(
        "moves a room, within the limits of the list",
        arguments: [(13, 0, "CAB"), (11, 1, "BAC"), (11, 99, "BCA"), (12, -7, "BAC"), (12, 1, "ABC"), (99, 0, "ABC")])
    func movesRooms(room: Int, position: Int, expected: String) {
        var order = HomeDisplay()
        order.move(AutomationHome.id(room) as Room.ID, to: position, in: home)
        #expect(rooms(order) == expected)
        #expect(order.rooms(of: home).last?.id == home.defaultRoomID)
    }

    @Test("moves tiles, and shows new ones last") func movesTiles() {
        var order = HomeDisplay()
        #expect(tiles(order) == "12345")
        order.move(AutomationHome.id(510), to: 0, in: AutomationHome.id(11), of: home)
        order.move(AutomationHome.id(110), to: 2, in: AutomationHome.id(11), of: home)
        #expect(tiles(order) == "52134")
        order.tiles.removeAll { $0 == AutomationHome.id(210) }
        #expect(tiles(order) == "51342")
    }

    @Test("ignores removed objects, and forgets them with the next change") func removedObjects() {
        var order = HomeDisplay(
            rooms: [AutomationHome.id(77), AutomationHome.id(13), AutomationHome.id(13)],
            tiles: [AutomationHome.id(78), AutomationHome.id(310)])
        #expect(rooms(order) == "CAB" && tiles(order) == "31245")
        order.move(AutomationHome.id(12) as Room.ID, to: 0, in: home)
        order.move(AutomationHome.id(110), to: 4, in: AutomationHome.id(11), of: home)
        #expect(order.rooms.count == 3 && order.tiles.count == 5)
        #expect(rooms(order) == "BCA" && tiles(order) == "32451")
    }

    @Test("moves favorites independently of their rooms") func movesFavorites() {
        var home = home
        for number in [0, 2, 3] {
            home.accessories[number].services[0].isFavorite = true
        }
        var display = HomeDisplay()
        func favorites() -> String { display.favorites(of: home).map { String($0.name.suffix(1)) }.joined() }
        #expect(favorites() == "134")
        display.moveFavorite(AutomationHome.id(410), to: 0, in: home)
        display.moveFavorite(AutomationHome.id(210), to: 0, in: home)
        #expect(favorites() == "413")
    }

    @Test("makes tiles wide and hides them, and forgets removed services with the next change")
    func widthAndVisibility() {
        let removed: HomeModel.Service.ID = AutomationHome.id(78)
        var display = HomeDisplay(wide: [removed], hidden: [removed])
        display.setWide(true, AutomationHome.id(110), of: home)
        display.setHidden(true, [AutomationHome.id(210), AutomationHome.id(310)], of: home)
        display.setHidden(false, [AutomationHome.id(310)], of: home)
        #expect(display.wide == [AutomationHome.id(110)] && display.hidden == [AutomationHome.id(210)])
        display.setWide(false, AutomationHome.id(110), of: home)
        #expect(display.wide.isEmpty)
    }

    // MARK: The file

    private func displays(_ directory: String) -> HomeDisplays {
        HomeDisplays(directory: directory, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func withDirectory(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/order-XXXXXX".utf8CString)
        let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer {
            unlink(directory + "/order.json")
            rmdir(directory)
        }
        try body(directory)
    }

    @Test("keeps the order over a restart, and drops removed homes") func restart() throws {
        try withDirectory { directory in
            let displays = self.displays(directory)
            let other: Home.ID = AutomationHome.id(9)
            try displays.change(other, among: [other, home.id]) { $0.rooms = [AutomationHome.id(13)] }
            try displays.change(home.id, among: [home.id]) {
                $0.move(AutomationHome.id(13) as Room.ID, to: 0, in: home)
                $0.favorites = [AutomationHome.id(110), AutomationHome.id(210)]
                $0.setWide(true, AutomationHome.id(110), of: home)
                $0.setHidden(true, [AutomationHome.id(210), AutomationHome.id(310)], of: home)
            }
            #expect(self.displays(directory).display(of: home.id) == displays.display(of: home.id))
            #expect(rooms(self.displays(directory).display(of: home.id)) == "CAB")
            #expect(self.displays(directory).display(of: other) == HomeDisplay())
        }
    }

    @Test(
        "uses the usual order if the file is damaged",
        arguments: ["", "{", "[]", "{\"homes\": 1}", "{\"homes\": {\"x\": {}, \"y\": 3}}"])
    func damagedFile(text: String) throws {
        try withDirectory { directory in
            let file = try #require(fopen(directory + "/order.json", "w"))
            fputs(text, file)
            fclose(file)
            let displays = self.displays(directory)
            #expect(displays.display(of: home.id) == HomeDisplay())
            try displays.change(home.id, among: [home.id]) {
                $0.move(AutomationHome.id(13) as Room.ID, to: 0, in: home)
            }
            #expect(rooms(self.displays(directory).display(of: home.id)) == "CAB")
        }
    }
}
