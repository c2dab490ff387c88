import BoundedJSON
import CommandKit
import HAPModel
import HomeClient
import HomePresentation
import Testing

@testable import homehub

@Suite("Listings, questions and errors")
struct ListingTests {
    @Test("sort homes, rooms, zones and scenes by name")
    func homes() {
        #expect(
            HomeListings.homes([House.home, House.cottage]) == """
                NAME     ROOMS  ACCESSORIES
                Cottage  0      0
                My Home  2      5            primary

                """)
        #expect(
            HomeListings.rooms(of: House.home) == """
                NAME         ACCESSORIES  ZONES       STATE
                Kitchen      1            Downstairs  1 fan on
                Living Room  2            Downstairs  1 light on
                No room      2                        1 isn't responding

                """)
        #expect(
            HomeListings.zones(of: House.home) == """
                NAME        ROOMS
                Downstairs  Kitchen, Living Room

                """)
        #expect(
            HomeListings.scenes(of: House.home) == """
                NAME         ACTIONS
                Movie Night  Reading Lamp brightness 10 %; Reading Lamp on

                """)
        #expect(HomeListings.rooms(of: House.cottage).hasPrefix("Cottage has no rooms yet."))
        #expect(HomeListings.homes([]).contains("homehub homes add NAME"))
    }

    @Test("group accessories by room, category and kind")
    func accessories() {
        let byRoom = """
            Kitchen
              Ceiling Fan
                Fan        on
                Light      off

            Living Room
              Kitchen Strip
                Left         unknown
                Light        unknown
              Reading Lamp   on, 40 %

            No room
              Front Door  locked       isn't responding
              Hub         bridge of 2

            """
        #expect(HomeListings.accessories(of: House.home, by: .room) == byRoom)
        let byCategory = HomeListings.accessories(of: House.home, by: .category)
        #expect(byCategory.hasPrefix("Bridge\n  Hub   bridge of 2\n\nDoor Lock\n"))
        let byKind = HomeListings.accessories(of: House.home, by: .kind)
        #expect(byKind.hasPrefix("Fans\n  Ceiling Fan/Fan  on\n\nLights\n  Ceiling Fan/Light  off\n  Reading Lamp"))
        var lights = ProductFilter()
        lights.kinds = [.lightbulb]
        #expect(House.home.accessories(by: .room, lights).map(\.name) == ["Ceiling Fan", "Reading Lamp"])
        #expect(
            HomeListings.accessories(of: House.home, by: .room, lights)
                == "Kitchen\n  Ceiling Fan/Light  off\n\nLiving Room\n  Reading Lamp  on, 40 %\n")
        lights.makers = ["Acme"]
        #expect(HomeListings.accessories(of: House.home, by: .room, lights) == "Nothing in My Home matches.\n")
        let painted = HomeListings.accessories(of: House.home, by: .room, isPainted: true)
        #expect(painted.contains("\u{1B}[1m  Reading Lamp   on, 40 %\u{1B}[0m\n"))
        #expect(painted.contains("\u{1B}[2m  Front Door"))
    }

    @Test("show the only part of a renamed accessory by its new name")
    func renamed() {
        var lamp = House.lamp
        lamp.name = "Desk Lamp"
        let text = AccessoryDetails(accessory: lamp, home: House.home, isComplete: false).text
        #expect(text.contains("\nDesk Lamp (Light, main): on, 40 %\n") && !text.contains("Reading Lamp"))
        #expect(
            AccessoryDetails(accessory: lamp, home: House.home, isComplete: true).text
                .contains("  43  own name: Reading Lamp\n"))
        var fan = House.fan
        fan.services[0].name = "ceiling fan"
        fan.name = "Breeze"
        #expect(fan.shownName(of: fan.services[0]) == "Breeze")
        #expect(fan.shownName(of: fan.services[1]) == "Light")
        #expect(House.strip.shownName(of: House.strip.services[0]) == "Left")
    }

    @Test("show the controls of an accessory, and ids on request")
    func details() {
        let text = AccessoryDetails(accessory: House.lamp, home: House.home, isComplete: false).text
        #expect(
            text == """
                name           Reading Lamp
                home           My Home
                room           Living Room
                category       Lightbulb
                manufacturer   Kilgo
                model          LX
                status         OK

                Reading Lamp (Light, main): on, 40 %
                  NAME               LAST VALUE  ACCESS              RANGE
                  on                 yes         read, write, watch  yes or no
                  brightness         40 %        read, write, watch  0 to 100 %
                  color-temperature  unknown     read, write, watch  50 to 400 mired

                """)
        let all = AccessoryDetails(accessory: House.lamp, home: House.home, isComplete: true).text
        for part in [
            "serial number  7", "firmware       1.2", "\(House.lamp.id)", "identify", "own name       KILGO-1",
        ] {
            #expect(all.contains(part))
        }
        let bridge = AccessoryDetails(accessory: House.bridge, home: House.home, isComplete: false).text
        #expect(bridge.contains("bridge of      Ceiling Fan, Front Door\n"))
        let door = AccessoryDetails(accessory: House.door, home: House.home, isComplete: false).text
        #expect(door.contains("bridge         Hub\n"))
        #expect(
            door.contains("status         it isn't responding; check that it has power and is near; if it was reset, "))
    }

    @Test("name custom characteristics by their description")
    func custom() throws {
        let type = CharacteristicType(try #require(HAPType("E863F10D-079E-48FF-8F27-9C2605A29F52")))
        var lamp = House.lamp
        lamp.services[1].characteristics = [
            Characteristic(
                id: House.id(130), service: lamp.services[1].id, iid: InstanceID(130), type: type,
                metadata: CharacteristicMetadata(format: .float, permissions: .pairedRead),
                manufacturerDescription: "Power Used\u{1B}", value: .float(4.5))
        ]
        let text = AccessoryDetails(accessory: lamp, home: House.home, isComplete: false).text
        #expect(text.contains("  power-used  4.5"), "\(text)")
        let listing = lamp.services[1].listing["characteristics"]?.array?.first
        #expect(listing?["description"] == "Power Used\u{1B}")
    }

    @Test("avoid the words service, characteristic and action set")
    func plainWords() {
        let texts = [
            AccessoryDetails(accessory: House.fan, home: House.home, isComplete: false).text,
            HomeListings.scenes(of: House.home), HomeListings.accessories(of: House.home, by: .room),
            NamesReport(House.home).text,
        ]
        for text in texts {
            for word in ["service", "characteristic", "action set"] {
                #expect(!text.lowercased().contains(word), "\(text)")
            }
        }
    }

    @Test("contain the IDs of related objects, and typed values")
    func json() throws {
        let lamp = House.lamp.listing
        #expect(lamp["id"] == .string("\(House.lamp.id)"))
        #expect(lamp["room"] == .string("\(House.lamp.room)"))
        #expect(lamp["home"] == .string("\(House.home.id)"))
        #expect(lamp["categoryName"] == "Lightbulb")
        #expect(lamp["services"] == nil)
        #expect(House.fan.listing["bridge"] == .string("\(House.bridge.id)"))
        let service = try #require(House.lamp.fullListing["services"]?.array?.last)
        let brightness = try #require(service["characteristics"]?.array?[1])
        #expect(brightness["name"] == "brightness")
        #expect(brightness["value"] == 40)
        #expect(brightness["unit"] == "percentage")
        #expect(brightness["maximum"] == .integer(100))
        #expect(House.home.listing["rooms"] == 2)
    }

    @Test("suggest better names and rooms")
    func names() throws {
        let report = NamesReport(House.home)
        #expect(
            report.text == """
                Ceiling Fan/Light
                  another object in the home has the same name
                  suggestions: "Ceiling Fan Light", "Light 2", "Light 3"

                Kitchen Strip
                  it repeats the location: Kitchen
                  suggestions: "Strip", "Outlet"
                  could be moved to Kitchen

                Kitchen Strip/Light
                  another object in the home has the same name
                  suggestions: "Strip Light", "Light 2", "Light 3"

                """)
        let entry = try #require(report.listing.array?[1])
        #expect(entry["hints"] == ["containsLocation"])
        #expect(entry["suggestions"] == ["Strip", "Outlet"])
        #expect(entry["kind"] == "accessory")
        #expect(entry["room"] == .string("00000000-0000-4000-8000-000000000003"))
        #expect(NamesReport(House.cottage).text == "All names in Cottage are fine.\n")
    }

    @Test("quote the app's words in a question")
    func question() throws {
        let app = AppIdentity(app: "org.example.lights", uid: 0, executable: "/usr/bin/lights")
        let permission = AppPermission(
            app: app, status: [], usageDescription: "Mood.\nLet it \u{1B}[2Jin", isPending: true)
        #expect(
            PermissionAgent.question(about: .permission(permission)) == """
                Allow org.example.lights to see and control your homes?
                  program  /usr/bin/lights, run by user root
                  reason   "Mood.\\nLet it \\u{1B}[2Jin"
                Type allow or deny, or press Enter to decide later: \

                """)
        #expect(
            PermissionListing.text(of: [permission]) == """
                APP                 USER  ACCESS   PROGRAM          REASON
                org.example.lights  root  pending  /usr/bin/lights  Mood.\\nLet it \\u{1B}[2Jin

                """)
    }

    @Test("explain that a program is invisible to the daemon")
    func unseenProgram() {
        let app = AppIdentity(app: "org.example.lights", uid: 0, executable: "")
        let permission = AppPermission(
            app: app, status: [], usageDescription: "Mood.", isPending: true,
            vendors: [VendorClaim(vendor: "kilgo", isAllowed: true), VendorClaim(vendor: "other", isAllowed: nil)])
        #expect(
            PermissionAgent.question(about: .permission(permission)).contains(
                "\n  program  any program that user root runs under this ID; homehubd can't tell them apart\n"))
        #expect(
            PermissionListing.text(of: [permission]) == """
                APP                 USER  ACCESS   PROGRAM  REASON
                org.example.lights  root  pending  any      Mood.
                org.example.lights  root  yes      any      to set up accessories made by kilgo
                org.example.lights  root  pending  any      to set up accessories made by other
                PROGRAM any: homehubd can't identify the program, so the decision applies to all programs of this user.

                """)
        #expect(permission.listing["covers"] == "id")
    }

    /// The ID of a user without a name.
    private static let nameless: UInt32 = 4_000_000_000

    @Test("find an app by its id, and distinguish apps with the same id by user or program")
    func apps() throws {
        let permission = { (uid: UInt32, program: String) in
            AppPermission(
                app: AppIdentity(app: "org.example.lights", uid: uid, executable: program), status: [.determined],
                usageDescription: "Mood.", isPending: false)
        }
        let apps = [permission(0, "/a"), permission(Self.nameless, "/a")]
        #expect(try apps.app("Org.Example.Lights", user: Self.nameless, program: nil).uid == Self.nameless)
        let several = #expect(throws: HomeError.self) { try apps.app("org.example.lights", user: nil, program: nil) }
        #expect(
            several?.message == "several programs use the ID org.example.lights; add --user root --program /a or "
                + "--user \(Self.nameless) --program /a")
        let programs = [permission(0, "/a"), permission(0, "/b")]
        #expect(try programs.app("org.example.lights", user: nil, program: "/b").executable == "/b")
        #expect(throws: HomeError.self) { try programs.app("org.example.lights", user: nil, program: "/c") }
        #expect(throws: HomeError.self) { try programs.app("org.example.lights", user: 0, program: nil) }
        let unseen = #expect(throws: HomeError.self) {
            try [permission(0, ""), permission(Self.nameless, "")].app("org.example.lights", user: nil, program: nil)
        }
        #expect(
            unseen?.message
                == "several programs use the ID org.example.lights; add --user root or --user \(Self.nameless)")
        let none = #expect(throws: HomeError.self) { try apps.app("org.example.light", user: nil, program: nil) }
        #expect(
            none?.text
                == "no app called \"org.example.light\" has asked for access; did you mean \"org.example.lights\"?")
    }

    // MARK: Events

    @Test("describe a change and its location")
    func events() throws {
        let light = House.fan.services[1]
        let value = Accessory.Event(.valueUpdated(light, light.characteristics[1]), to: House.fan, revision: 1)
        let line = EventLine(value, in: House.home)
        #expect(line.text(at: "18:00:00") == "18:00:00  Kitchen  Ceiling Fan/Light  brightness 5 %\n")
        let json = line.listing(name: value.change.name, time: .init(millisecondsSince1970: 12))
        #expect(json["event"] == "valueUpdated")
        #expect(json["time"] == 12)
        #expect(json["value"] == 5)
        #expect(json["name"] == "brightness")
        #expect(json["accessory"] == .string("\(House.fan.id)"))
        #expect(json["characteristic"] == .string("\(light.characteristics[1].id)"))
        let on = Accessory.Event(
            .valueUpdated(House.lamp.services[1], House.lamp.services[1].characteristics[0]), to: House.lamp,
            revision: 1)
        #expect(EventLine(on, in: House.home).text(at: "0") == "0  Living Room  Reading Lamp  on\n")
        let gone = Accessory.Event(.reachabilityUpdated, to: House.door, revision: 1)
        #expect(
            EventLine(gone, in: House.home).text(at: "0") == "0  No room  Front Door  isn't responding\n"
        )
        let moved = Home.Event(.accessoryRoomUpdated(House.home.rooms[1], House.lamp), in: House.home)
        #expect(EventLine(moved).text(at: "0") == "0  Kitchen  Reading Lamp  was moved here\n")
        let zone = Home.Event(.roomAddedToZone(House.home.rooms[1], House.home.zones[0]), in: House.home)
        #expect(EventLine(zone).text(at: "0") == "0  Kitchen  was added to Downstairs\n")
        #expect(EventLine(.homeRemoved(House.cottage)).text(at: "0") == "0  a home was removed: Cottage\n")
        let scene = Home.Event(.actionSetAdded(House.home.actionSets[0]), in: House.home)
        #expect(
            EventLine(scene).listing(name: scene.change.name, time: .init(millisecondsSince1970: 1)).text
                == #"{"event":"actionSetAdded","time":1,"home":"00000000-0000-4000-8000-000000000001","#
                + #""homeName":"My Home","scene":"00000000-0000-4000-8000-000000000006","name":"Movie Night"}"#)
    }

    @Test("contain only the watched changes")
    func watch() throws {
        let places = try House.home.valueTarget("Reading Lamp").places(allowing: .notify)
        let watch = Watch(places)
        #expect(watch.observed == .characteristics(Set(places.map(\.characteristic.id))))
        let event = { (change: Accessory.Event.Change, accessory: Accessory) in
            HomeClientEvent.accessory(Accessory.Event(change, to: accessory, revision: 1))
        }
        let lamp = House.lamp.services[1]
        #expect(watch.isWatched(event(.valueUpdated(lamp, lamp.characteristics[0]), House.lamp)))
        #expect(watch.isWatched(event(.reachabilityUpdated, House.lamp)))
        let light = House.fan.services[1]
        #expect(!watch.isWatched(event(.valueUpdated(light, light.characteristics[0]), House.fan)))
        #expect(!watch.isWatched(.manager(.homeAdded(House.cottage))))
        let all = Watch(everythingIn: nil)
        #expect(all.isWatched(.manager(.homeAdded(House.cottage))))
        #expect(all.observed == .everything)
        let cottage = Watch(everythingIn: House.cottage.id)
        #expect(!cottage.isWatched(event(.reachabilityUpdated, House.lamp)))
        #expect(cottage.observed == .home(House.cottage.id))
    }

    @Test("contain each found and lost accessory once")
    func discovery() {
        var list = DiscoveryList()
        #expect(list.lines(for: .found(House.found)).map(\.isFound) == [true])
        let lines = list.lines(for: .reset([House.secondFound]))
        #expect(lines.map(\.isFound) == [false, true])
        #expect(lines[1].text == "found  Plug\\u{1B} (Outlet, P1, AA:BB:CC:DD:EE:03)\n")
        #expect(lines[0].listing["event"] == "removed")
        #expect(list.accessories == [House.secondFound])
        #expect(throws: HomeError.self) { try DiscoveryList.one("New Lamp", among: list.accessories) }
    }

    @Test("escape control characters in errors, except in JSON")
    func sanitizedErrors() throws {
        let failure = try #require(
            Homehub.failure(for: HomeError(.genericError, detail: "Lamp\u{1B}[2J\u{9B}2J\nroot:")))
        let text = failure.text(of: "homehub", isJSON: false)
        #expect(text == "homehub: Lamp\\u{1B}[2J\\u{9B}2J\\nroot:\n")
        let json = try JSONValue(parsing: Array(failure.text(of: "homehub", isJSON: true).utf8))
        #expect(json["error"]?["message"] == "Lamp\u{1B}[2J\u{9B}2J\nroot:")
    }

    @Test(
        "map errors to sysexits codes",
        arguments: [
            (.homeAccessNotAuthorized, 77), (.insufficientPrivileges, 77), (.daemonUnavailable, 69),
            (.missingParameter, 64), (.storageFailed, 74), (.notFound, 1), (.accessoryNotReachable, 1),
        ] as [(HomeError.Code, Int32)])
    func exitCodes(code: HomeError.Code, exitCode: Int32) {
        #expect(Homehub.failure(for: HomeError(code))?.exitCode == exitCode)
    }
}
