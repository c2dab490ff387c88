import Glibc
import HAPModel
import HomeModel
import HomePresentation
import Logging
import Testing

@testable import homeweb

@Suite("The order of rooms and tiles") struct DisplayOrderTests {
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

    private func rooms(_ order: DisplayOrder, _ home: Home? = nil) -> String {
        order.rooms(of: home ?? self.home).map(\.name).prefix(3).joined()
    }

    private func tiles(_ order: DisplayOrder) -> String {
        order.tiles(in: AutomationHome.id(11), of: home).map { String($0.name.suffix(1)) }.joined()
    }

    @Test(
        "moves a room, within the limits of the list",
        arguments: [(13, 0, "CAB"), (11, 1, "BAC"), (11, 99, "BCA"), (12, -7, "BAC"), (12, 1, "ABC"), (99, 0, "ABC")])
    func movesRooms(room: Int, position: Int, expected: String) {
        var order = DisplayOrder()
        order.move(AutomationHome.id(room) as Room.ID, to: position, in: home)
        #expect(rooms(order) == expected)
        #expect(order.rooms(of: home).last?.id == home.defaultRoomID)
    }

    @Test("moves tiles, and shows new ones last") func movesTiles() {
        var order = DisplayOrder()
        #expect(tiles(order) == "12345")
        order.move(AutomationHome.id(510), to: 0, in: AutomationHome.id(11), of: home)
        order.move(AutomationHome.id(110), to: 2, in: AutomationHome.id(11), of: home)
        #expect(tiles(order) == "52134")
        order.tiles.removeAll { $0 == AutomationHome.id(210) }
        #expect(tiles(order) == "51342")
    }

    @Test("ignores removed objects, and forgets them with the next change") func removedObjects() {
        var order = DisplayOrder(
            rooms: [AutomationHome.id(77), AutomationHome.id(13), AutomationHome.id(13)],
            tiles: [AutomationHome.id(78), AutomationHome.id(310)])
        #expect(rooms(order) == "CAB" && tiles(order) == "31245")
        order.move(AutomationHome.id(12) as Room.ID, to: 0, in: home)
        order.move(AutomationHome.id(110), to: 4, in: AutomationHome.id(11), of: home)
        #expect(order.rooms.count == 3 && order.tiles.count == 5)
        #expect(rooms(order) == "BCA" && tiles(order) == "32451")
    }

    // MARK: The file

    private func orders(_ directory: String) -> DisplayOrders {
        DisplayOrders(directory: directory, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
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
            let orders = orders(directory)
            let other: Home.ID = AutomationHome.id(9)
            try orders.change(other, among: [other, home.id]) { $0.rooms = [AutomationHome.id(13)] }
            try orders.change(home.id, among: [home.id]) { $0.move(AutomationHome.id(13) as Room.ID, to: 0, in: home) }
            #expect(self.orders(directory).order(of: home.id) == orders.order(of: home.id))
            #expect(rooms(self.orders(directory).order(of: home.id)) == "CAB")
            #expect(self.orders(directory).order(of: other) == DisplayOrder())
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
            let orders = orders(directory)
            #expect(orders.order(of: home.id) == DisplayOrder())
            try orders.change(home.id, among: [home.id]) { $0.move(AutomationHome.id(13) as Room.ID, to: 0, in: home) }
            #expect(rooms(self.orders(directory).order(of: home.id)) == "CAB")
        }
    }
}
