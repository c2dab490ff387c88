import HAPModel
import HomeModel
import Testing

@testable import homehub

@Suite("What people mean")
struct AddressingTests {
    @Test(
        "case, spaces and apostrophes do not count, and an id is as good as a name",
        arguments: ["Reading Lamp", "readinglamp", "reading'LAMP", "00000000-0000-4000-8000-000000000100"])
    func names(typed: String) throws {
        #expect(try House.home.accessory(addressed: typed).id == House.lamp.id)
    }

    @Test("the home's own name means its default room")
    func defaultRoom() throws {
        #expect(try House.home.room(addressed: "my home").id == House.home.defaultRoomID)
    }

    @Test(
        "what is not there is told with names that are near, else with where to look",
        arguments: [
            ("Raeding Lamp", "there is no accessory \"Raeding Lamp\" in My Home; for instance \"Reading Lamp\""),
            ("Lamp", "there is no accessory \"Lamp\" in My Home; for instance \"Reading Lamp\""),
            (
                "Sofa\u{7}",
                "there is no accessory \"Sofa\\u{7}\" in My Home; \"homehub accessories\" shows what there is"
            ),
            ("", "there is no accessory \"\" in My Home; \"homehub accessories\" shows what there is"),
        ])
    func missing(typed: String, message: String) {
        let error = #expect(throws: HomeError.self) { try House.home.accessory(addressed: typed) }
        #expect(error?.code == .notFound)
        #expect(error?.message == message)
    }

    @Test("without a home the primary one is meant; without any it is said how to make one")
    func homes() throws {
        #expect(try [House.cottage, House.home].home(nil).name == "My Home")
        #expect(try [House.cottage, House.home].home("cottage").name == "Cottage")
        let error = #expect(throws: HomeError.self) { try [Home]().home(nil) }
        #expect(error?.message == "there is no home yet; make one with \"homehub homes add NAME\"")
    }

    // MARK: Anything with a name

    @Test(
        "a name means one thing, a part only by its own words",
        arguments: [
            ("reading lamp", nil, ObjectKind.accessory), ("Reading Lamp", .part, .part), ("Kitchen", nil, .room),
            ("Fan", nil, .part), ("Ceiling Fan/light", nil, .part), ("Movie Night", nil, .scene),
            ("Downstairs", nil, .zone), ("Cottage", nil, .home), ("My Home", nil, .home),
            ("00000000-0000-4000-8000-000000000320", nil, .part),
        ] as [(String, ObjectKind?, ObjectKind)])
    func objects(typed: String, kind: ObjectKind?, found: ObjectKind) throws {
        #expect(try [House.home, House.cottage].object(typed, kind: kind, in: House.home).kind == found)
    }

    @Test("a name of several things is refused with words for each of them")
    func ambiguous() {
        let error = #expect(throws: HomeError.self) {
            try [House.home].object("Light", kind: nil, in: House.home)
        }
        let both = "\"Ceiling Fan/Light\" (the part) or \"Kitchen Strip/Light\" (the part)"
        #expect(error?.message == "\"Light\" can mean 2 things; write \(both)")
        let target = #expect(throws: HomeError.self) { try House.home.valueTarget("light") }
        #expect(
            target?.message
                == "\"light\" can mean 2 things; write \"Ceiling Fan/Light\" (part of Ceiling Fan) or "
                + "\"Kitchen Strip/Light\" (part of Kitchen Strip)")
    }

    @Test(
        "a beginning that only an accessory and its own parts have means the accessory; one that a room has, too, nothing"
    )
    func sharedBeginning() throws {
        let bulb = House.service(720, .lightbulb, "Nanoleaf Bulb", of: House.id(700), [(.on, nil)])
        let light = Accessory(
            id: House.id(700), home: House.id(1), name: "Nanoleaf A19", configuredName: "", room: House.id(2),
            category: .lightbulb, deviceID: House.device, aid: AccessoryID(7), services: [bulb])
        func home(_ rooms: [Room]) -> Home {
            Home(
                id: House.id(1), name: "My Home", isPrimary: true, defaultRoomID: House.id(2), rooms: rooms,
                accessories: [light, House.lamp])
        }
        #expect(try home([]).valueTarget("nano") == .accessory(light))
        let nanny = Room(id: House.id(9), home: House.id(1), name: "Nanoleaf Room")
        #expect(throws: HomeError.self) { try home([nanny]).valueTarget("nano") }
    }

    // MARK: Values

    @Test(
        "without words the main part's values are meant",
        arguments: [
            ("Reading Lamp", ["on", "brightness", "color-temperature"]), ("Ceiling Fan", ["active"]),
            ("Ceiling Fan/Light", ["on", "brightness"]), ("fan", ["active"]), ("Kitchen", ["active"]),
            ("Downstairs", ["active", "on", "outlet-in-use", "on", "brightness", "color-temperature"]), ("Hub", []),
        ])
    func readable(typed: String, words: [String]) throws {
        let places = try House.home.valueTarget(typed).places(allowing: .pairedRead)
        #expect(places.map(\.characteristic.word) == words)
    }

    @Test("a word means the main part's value, else that of the only part that has it")
    func words() throws {
        let fan = try House.home.valueTarget("Ceiling Fan")
        #expect(try fan.place("brightness").service.name == "Light")
        #expect(try fan.place("Active").service.name == "Fan")
        let strip = try House.home.valueTarget("Kitchen Strip")
        #expect(try strip.place("power-state").service.name == "Left")
        #expect(try strip.place("00000000-0000-4000-8000-000000000521").service.name == "Light")
        let value = try House.home.valueTarget("00000000-0000-4000-8000-000000000122")
        #expect(value.places(allowing: .pairedRead).map(\.characteristic.word) == ["brightness"])
    }

    @Test(
        "a word that means nothing is refused with those that do",
        arguments: [
            ("Reading Lamp", "brigthness", "Reading Lamp has no \"brigthness\"; for instance \"brightness\""),
            ("Ceiling Fan/Light", "hue", "Ceiling Fan/Light has no \"hue\"; for instance \"on\", \"brightness\""),
            ("Kitchen", "on", "Kitchen is a place; name one accessory to change its values"),
        ])
    func noWord(typed: String, word: String, message: String) throws {
        let target = try House.home.valueTarget(typed)
        let error = #expect(throws: HomeError.self) { try target.place(word) }
        #expect(error?.message == message)
    }

    @Test("changes are checked all together, before any of them is made")
    func changes() throws {
        let changes = try House.home.writeOrder(typed: ["Reading Lamp", "on", "brightness=40"]).sceneChanges
        #expect(changes.map(\.value) == [.bool(true), .integer(40)])
        for typed in [["on=1", "power-state=0"], ["on=1", "brightness=101"], ["=1"], ["toggle"], ["brightness=+1"]] {
            #expect(throws: HomeError.self) { try House.home.writeOrder(typed: ["Reading Lamp"] + typed).sceneChanges }
        }
    }

    @Test("a scene gets new values beside those it has, each once")
    func sceneActions() throws {
        let scene = try House.home.scene(addressed: "movie night")
        let changes = try House.home.writeOrder(typed: ["Reading Lamp", "brightness=20"]).sceneChanges
        #expect(scene.actions(with: changes, only: false).map(\.targetValue) == [.bool(true), .integer(20)])
        #expect(scene.actions(with: changes, only: true).map(\.targetValue) == [.integer(20)])
    }

    @Test("an outlet is shown as what is typed, and as nothing that it cannot be")
    func associatedTypes() throws {
        let outlet = try House.strip.part(addressed: "left")
        #expect(try outlet.associatedType(typed: "fan") == .fan || outlet.associatedType(typed: "fan") == .fanv2)
        #expect(try outlet.associatedType(typed: "none") == nil)
        let error = #expect(throws: HomeError.self) { try outlet.associatedType(typed: "lightbulp") }
        #expect(error?.message == "Left cannot be shown as \"lightbulp\"; for instance \"lightbulb\"")
        let lamp = try House.lamp.part(addressed: nil)
        #expect(throws: HomeError.self) { try lamp.associatedType(typed: "fan") }
    }
}
