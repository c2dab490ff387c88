import HAPModel
import HomeModel
import HomeTesting
import Testing

@testable import homeweb

@Suite("The bulk edit of accessories")
struct BulkEditTests {
    @Test(
        "numbers names and replaces text in names",
        arguments: [
            ("pattern=Lamp+{n}", ["Lamp 1", "Lamp 2", "Lamp 3"]),
            ("pattern=Lamp+{n}&start=7", ["Lamp 7", "Lamp 8", "Lamp 9"]),
            ("pattern={n}+{name}&start=0", ["0 Hue Spot", "1 hue spot left", "2 Desk"]),
            ("find=hue", ["Spot", "spot left", "Desk"]),
            ("find=SPOT&replacement=Lamp", ["Hue Lamp", "hue Lamp left", "Desk"]),
            ("pattern={name}+{n}&find=Hue&replacement=Wall", ["Wall Spot 1", "Wall spot left 2", "Desk 3"]),
            ("start=x&find=", ["Hue Spot", "hue spot left", "Desk"]),
            ("find=Hue+Spot+very+long", ["Hue Spot", "hue spot left", "Desk"]),
        ])
    func names(form: String, expected: [String]) {
        let edit = BulkEdit(Query(form))
        let names = ["Hue Spot", "hue spot left", "Desk"]
        #expect(names.enumerated().map { edit.name(from: $1, $0) } == expected)
        #expect(edit.refusal(count: 3) == nil)
    }

    @Test("refuses one name for several accessories") func sameName() {
        let edit = BulkEdit(Query("pattern=Lamp"))
        #expect(edit.refusal(count: 2)?.contains("Lamp {n}") == true && edit.refusal(count: 1) == nil)
    }

    @Test("refuses texts that no name can contain, and doesn't change a name that is too long")
    func tooLong() {
        let long = String(repeating: "x", count: NameRules.maximumBytes + 1)
        for field in ["pattern", "find", "replacement"] {
            #expect(BulkEdit(Query([field: long])).refusal(count: 1)?.contains("Shorten it") == true, "\(field)")
        }
        #expect(BulkEdit(Query("pattern={name}{name}")).name(from: long, 0) == long)
    }

    @Test("shows all conflicts at once, and keeps the rows without conflicts")
    func conflicts() throws {
        var hub = TestHub()
        let id = try hub.home("Villa")
        try hub.add(Devices.bridge(lamps: ["A", "B", "C", "Lamp 2"]), to: id)
        try hub.perform(.addRoom(id, name: "Lamp 3"))
        let home = try #require(hub.graph.home(id))
        let chosen = ["A", "B", "C"].flatMap { home.accessories.named($0) }
        var arrangement = Arrangement(chosen, in: home, HomeDisplay())
        BulkEdit(Query("pattern=Lamp+{n}&set-room=Attic&set-favorite=1&set-hidden=1")).apply(to: &arrangement)
        _ = arrangement.changes(among: home.accessories, in: home, HomeDisplay())
        #expect(arrangement.rows.map { !$0.nameRefusal.isEmpty } == [false, true, true])
        #expect(arrangement.rows.map(\.name) == ["Lamp 1", "Lamp 2", "Lamp 3"])
        #expect(
            arrangement.rows.allSatisfy { $0.room == "Attic" && $0.isFavorite && $0.isHidden && $0.roomRefusal.isEmpty }
        )
    }
}
