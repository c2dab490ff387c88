import HAPModel
import HomeModel
import HomePresentation
import Testing

@testable import homehub

@Suite("The addressing of objects")
struct AddressingTests {
    @Test(
        "ignores case, spaces and apostrophes, and accepts an id",
        arguments: ["Reading Lamp", "readinglamp", "reading'LAMP", "00000000-0000-4000-8000-000000000100"])
    func names(typed: String) throws {
        #expect(try House.home.accessory(addressed: typed).id == House.lamp.id)
    }

    @Test("resolves the home's name to its default room")
    func defaultRoom() throws {
        #expect(try House.home.room(addressed: "my home").id == House.home.defaultRoomID)
    }

    @Test(
        "suggests similar names, or the command that lists them",
        arguments: [
            (
                "Raeding Lamp",
                "there's no accessory called \"Raeding Lamp\" in My Home; did you mean \"Reading Lamp\"?"
            ),
            ("Lamp", "there's no accessory called \"Lamp\" in My Home; did you mean \"Reading Lamp\"?"),
            (
                "Sofa\u{7}",
                "there's no accessory called \"Sofa\\u{7}\" in My Home; list them with homehub accessories"
            ),
            ("", "there's no accessory called \"\" in My Home; list them with homehub accessories"),
        ])
    func missing(typed: String, message: String) {
        let error = #expect(throws: HomeError.self) { try House.home.accessory(addressed: typed) }
        #expect(error?.code == .notFound)
        #expect(error?.text == message)
    }

    @Test("uses the primary home by default, and explains how to add a home")
    func homes() throws {
        #expect(try [House.cottage, House.home].home(nil).name == "My Home")
        #expect(try [House.cottage, House.home].home("cottage").name == "Cottage")
        let error = #expect(throws: HomeError.self) { try [Home]().home(nil) }
        #expect(error?.message == "you have no homes yet; add one with homehub homes add NAME")
    }

    // MARK: Objects with names

    @Test(
        "finds any object by its name, but a part only by its own name",
        arguments: [
            ("reading lamp", nil, ObjectKind.accessory), ("Reading Lamp", .part, .part), ("Kitchen", nil, .room),
            ("Fan", nil, .part), ("Ceiling Fan/light", nil, .part), ("Movie Night", nil, .scene),
            ("Downstairs", nil, .zone), ("Cottage", nil, .home), ("My Home", nil, .home),
            ("00000000-0000-4000-8000-000000000320", nil, .part),
        ] as [(String, ObjectKind?, ObjectKind)])
    func objects(typed: String, kind: ObjectKind?, found: ObjectKind) throws {
        #expect(try [House.home, House.cottage].object(typed, kind: kind, in: House.home).kind == found)
    }

    @Test("refuses an ambiguous name, and shows an unambiguous name for each match")
    func ambiguous() {
        let error = #expect(throws: HomeError.self) {
            try [House.home].object("Light", kind: nil, in: House.home)
        }
        let both = "\"Ceiling Fan/Light\" (the part) or \"Kitchen Strip/Light\" (the part)"
        #expect(error?.message == "\"Light\" is ambiguous; use \(both)")
        let target = #expect(throws: HomeError.self) { try House.home.valueTarget("light") }
        #expect(
            target?.message
                == "\"light\" is ambiguous; use \"Ceiling Fan/Light\" (part of Ceiling Fan) or "
                + "\"Kitchen Strip/Light\" (part of Kitchen Strip)")
    }

    @Test("resolves a prefix that only an accessory and its parts share to the accessory")
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
        "reads the values of the main part by default",
        arguments: [
            ("Reading Lamp", ["on", "brightness", "color-temperature"]), ("Ceiling Fan", ["active"]),
            ("Ceiling Fan/Light", ["on", "brightness"]), ("fan", ["active"]), ("Kitchen", ["active"]),
            ("Downstairs", ["active", "on", "outlet-in-use", "on", "brightness", "color-temperature"]), ("Hub", []),
        ])
    func readable(typed: String, words: [String]) throws {
        let places = try House.home.valueTarget(typed).places(allowing: .pairedRead)
        #expect(places.map(\.characteristic.word) == words)
    }

    @Test("finds a value in the main part, or else in the only other part that has it")
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
        "suggests similar names of the target's values",
        arguments: [
            ("Reading Lamp", "brigthness", "Reading Lamp has no \"brigthness\"; did you mean \"brightness\"?"),
            ("Ceiling Fan/Light", "hue", "Ceiling Fan/Light has no \"hue\"; it has on, brightness"),
            ("Kitchen", "on", "Kitchen is a room or zone; name a single accessory instead"),
        ])
    func noWord(typed: String, word: String, message: String) throws {
        let target = try House.home.valueTarget(typed)
        let error = #expect(throws: HomeError.self) { try target.place(word) }
        #expect(error?.text == message)
    }

    @Test("adds values to a scene or replaces them")
    func sceneActions() throws {
        let scene = try House.home.scene(addressed: "movie night")
        let changes = try House.home.writeOrder(typed: ["Reading Lamp", "brightness=20"]).fixedChanges(for: "a scene")
        #expect(scene.actions(with: changes, only: false).map(\.targetValue) == [.bool(true), .integer(20)])
        #expect(scene.actions(with: changes, only: true).map(\.targetValue) == [.integer(20)])
    }

    @Test("validates the type that an outlet is shown as")
    func associatedTypes() throws {
        let outlet = try House.strip.part(addressed: "left")
        #expect(try outlet.associatedType(typed: "fan") == .fan || outlet.associatedType(typed: "fan") == .fanv2)
        #expect(try outlet.associatedType(typed: "none") == nil)
        let error = #expect(throws: HomeError.self) { try outlet.associatedType(typed: "lightbulp") }
        #expect(error?.text == "Left can't be shown as \"lightbulp\"; did you mean \"lightbulb\"?")
        let lamp = try House.lamp.part(addressed: nil)
        #expect(throws: HomeError.self) { try lamp.associatedType(typed: "fan") }
    }
}
