import HAPModel
import HomeModel
import HomePresentation
import HomeTesting
import Testing

@testable import homeweb

@Suite("The table of added accessories")
struct ArrangementTests {
    private var hub = TestHub()
    private let id: Home.ID
    private let bridge: Accessory.ID

    init() throws {
        id = try hub.home("Villa")
        _ = try hub.room("Kitchen", in: id)
        bridge = try hub.add(
            Devices.bridge(lamps: ["Maker Spot", "Kitchen Lamp", "Desk Lamp", "Maker Spot"]), to: id)[0]
    }

    private var home: Home {
        get throws { try #require(hub.graph.home(id)) }
    }

    private func accessory(_ name: String) throws -> Accessory { try #require(try home.accessories.named(name).first) }

    private func row(_ name: String) throws -> ArrangementRow {
        ArrangementRow(try accessory(name), in: try home, HomeDisplay())
    }

    /// Sends a table with the given names and rooms, by the accessories' current names.
    private func sent(_ rows: [(present: String, name: String, room: String)]) throws -> Arrangement {
        Arrangement(
            Query(
                try rows.map { row in
                    let shown = try self.row(row.present)
                    return
                        "row=\(shown.accessory).\(shown.mark)&name=\(row.name.formEncoded)&room=\(row.room.formEncoded)"
                }.joined(separator: "&")))
    }

    private func changes(
        _ arrangement: inout Arrangement, _ display: HomeDisplay = HomeDisplay()
    ) throws -> [Arrangement.Change] {
        arrangement.changes(of: try #require(try home.accessory(bridge)), in: try home, display)
    }

    @Test("suggests unique names without the manufacturer and the room that a name contains")
    func suggestions() throws {
        let rows = Arrangement(of: try #require(try home.accessory(bridge)), in: try home, HomeDisplay()).rows
        #expect(rows.map(\.name).sorted() == ["Desk Lamp", "Lamp", "Spot", "Spot 2"])
        #expect(rows.first { $0.name == "Lamp" }?.room == "Kitchen")
        #expect(rows.filter { !$0.room.isEmpty }.map(\.name) == ["Lamp"])
    }

    @Test("makes no changes if nothing was edited")
    func unchanged() throws {
        var arrangement = try sent([("Desk Lamp", "Desk Lamp", ""), ("Kitchen Lamp", "Kitchen Lamp", "No room")])
        let made = try changes(&arrangement)
        #expect(made.isEmpty && !arrangement.isRefused)
    }

    @Test("adds a new room once, matches known rooms in any spelling, and takes names that others give up")
    func order() throws {
        let (desk, lamp) = (try accessory("Desk Lamp").id, try accessory("Kitchen Lamp").id)
        var arrangement = try sent([
            ("Desk Lamp", "Kitchen Lamp", "study"), ("Kitchen Lamp", "Ceiling", "Study"),
            ("Maker Spot", "Maker Spot", "KITCHEN"),
        ])
        let spot = try accessory("Maker Spot").id
        let made = try changes(&arrangement)
        #expect(
            made == [
                .addRoom(name: "study"), .rename(lamp, name: "Ceiling"), .rename(desk, name: "Kitchen Lamp"),
                .move(desk, room: "study"), .move(lamp, room: "Study"), .move(spot, room: "KITCHEN"),
            ])
        #expect(!arrangement.isRefused)
    }

    @Test("hides and shows all tiles of accessories with one change each")
    func hidden() throws {
        let ids = try ["Desk Lamp", "Kitchen Lamp"].map { try accessory($0).id }
        let tiles = try ids.map { Set(try #require(try home.accessory($0)).tiles.map(\.id)) }
        var display = HomeDisplay()
        display.setHidden(true, tiles[1], of: try home)
        var arrangement = Arrangement(try ids.compactMap(home.accessory), in: try home, display)
        #expect(arrangement.rows.map(\.isHidden) == [false, true])
        var made = try changes(&arrangement, display)
        #expect(made.isEmpty)
        arrangement.edit { _, row in row.isHidden.toggle() }
        made = try changes(&arrangement, display)
        #expect(made.count == 2)
        #expect(made.contains(.setHidden([ids[0]: tiles[0]], true)))
        #expect(made.contains(.setHidden([ids[1]: tiles[1]], false)))
    }

    @Test(
        "shows the hidden tiles of an accessory that has others only if a bulk edit wants that",
        arguments: [false, true])
    mutating func partlyHidden(isBulkEdit: Bool) throws {
        var device = Devices.lamp("Strip", type: .outlet)
        device.services.append(Devices.service(.outlet, iid: 80, name: "Second"))
        let added = try hub.add([device], to: id, device: 2)
        let strip = try #require(try home.accessory(added[0]))
        try #require(strip.tiles.count == 2)
        let hidden: Set = [strip.tiles[1].id]
        var display = HomeDisplay()
        display.setHidden(true, hidden, of: try home)
        var arrangement = Arrangement([strip], in: try home, display)
        if isBulkEdit { BulkEdit(Query("set-hidden=0")).apply(to: &arrangement) }
        let made = arrangement.changes(among: [strip], in: try home, display)
        #expect(made == (isBulkEdit ? [.setHidden([strip.id: hidden], false)] : []))
    }

    @Test(
        "shows the reason at each name or room that breaks a rule, and keeps all other fields",
        arguments: [
            ("Lamp_1", "", true), ("", "", true), ("Villa", "", true), ("Lamp", "Bad!", false), ("Kitchen", "", true),
        ])
    func refused(name: String, room: String, isName: Bool) throws {
        var arrangement = try sent([("Desk Lamp", name, room), ("Kitchen Lamp", "Ceiling", "Hall")])
        _ = try changes(&arrangement)
        #expect(arrangement.rows[0].nameRefusal.isEmpty != isName && arrangement.rows[0].roomRefusal.isEmpty == isName)
        #expect(arrangement.rows[1].name == "Ceiling" && arrangement.rows[1].room == "Hall")
        #expect(!arrangement.rows[1].isRefused)
    }

    @Test("refuses the same name twice at the second accessory")
    func twice() throws {
        var arrangement = try sent([("Desk Lamp", "Ceiling", ""), ("Kitchen Lamp", "ceiling", "")])
        _ = try changes(&arrangement)
        #expect(arrangement.rows.map(\.isRefused) == [false, true])
    }

    @Test("saves nothing if an accessory was removed or changed since the table was shown")
    mutating func outdated() throws {
        let desk = try accessory("Desk Lamp").id
        var arrangement = try sent([("Desk Lamp", "Mine", ""), ("Kitchen Lamp", "Ceiling", "")])
        try hub.perform(.renameAccessory(desk, name: "Theirs"))
        _ = try changes(&arrangement)
        #expect(arrangement.isRefused && arrangement.notice.contains("Theirs was changed in the meantime"))
        #expect(arrangement.rows.map(\.name) == ["Theirs", "Ceiling"])
        // The visitor has seen the change.
        _ = try changes(&arrangement)
        #expect(!arrangement.isRefused)
        let unknown = try #require(Accessory.ID("00000000-0000-4000-8000-000000000009"))
        arrangement = Arrangement(Query("row=\(unknown).x&name=Gone&room="))
        _ = try changes(&arrangement)
        #expect(arrangement.rows.isEmpty && arrangement.notice.contains("Gone was removed in the meantime"))
    }

    @Test("ignores invalid forms and limits the number of rows", arguments: ["row=x", "row=1.2.3", "name=a&room=b"])
    func invalid(form: String) throws {
        #expect(Arrangement(Query(form)).rows.isEmpty)
        let row = "row=00000000-0000-4000-8000-000000000009.a"
        let many = Arrangement(Query(Array(repeating: row, count: 1000).joined(separator: "&"), limit: 10_000))
        #expect(many.rows.count == Arrangement.rowLimit && many.isRefused)
    }
}
