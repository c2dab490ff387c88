import BoundedJSON
import Glibc
import HAPModel
import HomeModel
import HomePresentation
import HomeTesting
import HubControl
import TerminalKit
import TestTimeouts
import Testing

@testable import homehub

@Suite("The homehub command", .timeout)
struct CommandTests {
    private typealias Outcome = FakeHub.Outcome

    // MARK: Homes, rooms, zones

    @Test("adds, renames and removes rooms silently")
    func rooms() async throws {
        let hub = FakeHub()
        #expect(try await hub.run("rooms", "add", "Attic") == Outcome())
        #expect(try await hub.run("rooms", "rename", "attic", "Loft") == Outcome())
        #expect(hub.homes[0].rooms.map(\.name).contains("Loft"))
        #expect(
            try await hub.run("rooms", "remove", "Kitchen")
                == Outcome(output: "Ceiling Fan is in no room now.\n"))
        #expect(try await hub.run("rooms", "add", "Shed", "--home", "Cottage") == Outcome())
        #expect(hub.homes[1].rooms.map(\.name) == ["Shed"])
    }

    @Test("exits with 1 and prints the error's number, name and suggestions")
    func refusal() async throws {
        let hub = FakeHub()
        let sentence = "a room named \"Kitchen\" exists in this home"
        let outcome = try await hub.run("rooms", "add", "kitchen")
        #expect(outcome.code == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("homehub: \(sentence)"))
        let json = try await hub.run("--json", "rooms", "add", "kitchen").errors
        let error = try #require(try JSONValue(parsing: Array(json.utf8))["error"])
        #expect(error["code"] == 31)
        #expect(error["name"] == "objectWithSimilarNameExistsInHome")
        #expect(error["message"]?.string?.hasPrefix(sentence) == true)
        #expect(error["suggestions"]?.array?.isEmpty == false)
    }

    @Test(
        "reports progress on a terminal only",
        arguments: [
            ("values.read", ["read", "Front Door"], "reading values from the accessories"),
            ("values.write", ["write", "Front Door", "lock"], "sending values to the accessories"),
        ])
    func progress(method: String, words: [String], sentence: String) async throws {
        let hub = FakeHub { $0.silent = [method] }
        let outcome = try await hub.run(words, until: { $0.contains(sentence) }, isTerminal: true)
        #expect(outcome.errors.contains("\(sentence); press Ctrl-C to stop"))
        let answered = try await FakeHub().run(words)
        #expect(!answered.errors.contains(sentence))
    }

    @Test(
        "suggests the nearest command",
        arguments: [
            ("acessories", "did you mean \"homehub accessories\"?"), ("swtich", "see homehub --help"),
            ("raed", "did you mean \"homehub read\"?"), ("Rooms", "did you mean \"homehub rooms\"?"),
        ])
    func unknownCommand(word: String, advice: String) async throws {
        let outcome = try await FakeHub().run("--json", word, "kitchen")
        #expect(outcome.code == 64 && outcome.errors.contains("unknown command"))
        let plain = try await FakeHub().run(word, "kitchen")
        #expect(plain.errors == "homehub: unknown command \"\(word)\"; \(advice)\n")
        let within = try await FakeHub().run("rooms", "ad", "Attic")
        #expect(within.errors == "homehub: unknown command \"rooms ad\"; did you mean \"homehub rooms add\"?\n")
        let help = try await FakeHub().run("help", "romos")
        #expect(help.code == 64 && help.errors.contains("did you mean \"homehub rooms\"?"), "\(help)")
        #expect(try await FakeHub().run("help", "rooms").code == 0)
    }

    @Test("offers to rename the accessory that has a room's name")
    func roomNameTaken() async throws {
        let outcome = try await FakeHub().run("rooms", "add", "Front Door")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("homehub rename 'Front Door' 'Lock Mechanism' --kind accessory"))
        #expect(try await FakeHub().run("zones", "add", "front door").errors.contains("homehub rename 'Front Door'"))
        #expect(try await !FakeHub().run("zones", "add", "kitchen").errors.contains("homehub rename"))
    }

    @Test("adds rooms to zones and removes them")
    func zones() async throws {
        let hub = FakeHub()
        #expect(try await hub.run("zones", "add", "Sleeping") == Outcome())
        #expect(try await hub.run("zones", "add-room", "sleeping", "Kitchen") == Outcome())
        #expect(try await hub.run("zones", "remove-room", "Downstairs", "kitchen") == Outcome())
        #expect(
            try await hub.run("zones").output == """
                NAME        ROOMS
                Downstairs  Living Room
                Sleeping    Kitchen

                """)
        #expect(try await hub.run("zones", "rename", "Sleeping", "Quiet") == Outcome())
        #expect(try await hub.run("zones", "remove", "Quiet") == Outcome())
        let refused = try await hub.run("zones", "add-room", "Downstairs", "My Home")
        #expect(refused.errors == "homehub: the default room can't be part of a zone\n")
    }

    @Test("removes a home only after confirmation")
    func homes() async throws {
        let hub = FakeHub()
        let added = try await hub.run("homes", "add", "Boat", "--json")
        #expect(try JSONValue(parsing: Array(added.output.utf8))["name"] == "Boat")
        #expect(try await hub.run("homes", "rename", "boat", "Ship") == Outcome())
        #expect(try await hub.run("homes", "primary", "Cottage") == Outcome())
        #expect(try await hub.run("homes", "primary").output == "Cottage\n")
        let noPeer = try await hub.run("homes", "remove", "My Home")
        #expect(noPeer.code == 64 && noPeer.errors.contains("use --yes"))
        let no = try await hub.run(["homes", "remove", "My Home"], lines: ["no"])
        #expect(no.code == 75)
        #expect(no.errors.hasPrefix("This removes My Home with 2 rooms, 5 accessories, and all scenes and settings."))
        #expect(hub.homes.count == 3)
        #expect(try await hub.run(["homes", "remove", "My Home"], lines: ["yes"]).code == 0)
        #expect(try await hub.run("homes", "remove", "Ship", "--yes") == Outcome())
        #expect(hub.homes.map(\.name) == ["Cottage"])
    }

    // MARK: Accessories

    @Test("assigns, renames and identifies accessories, and marks favorites")
    func accessories() async throws {
        let hub = FakeHub()
        #expect(try await hub.run("assign", "reading lamp", "Kitchen") == Outcome())
        #expect(try await hub.run("rename", "Reading Lamp", "Table Lamp") == Outcome())
        #expect(try await hub.run("rename", "Ceiling Fan/Light", "Glow") == Outcome())
        #expect(try await hub.run("rename", "Movie Night", "Film", "--kind", "scene") == Outcome())
        #expect(try await hub.run("favorite", "Table Lamp") == Outcome())
        #expect(try await hub.run("service-type", "Kitchen Strip", "fan") == Outcome())
        #expect(hub.homes[0].accessory(House.strip.id)?.primaryService?.associatedServiceType != nil)
        #expect(try await hub.run("service-type", "Kitchen Strip", "Left", "lightbulb") == Outcome())
        #expect(try await hub.run("identify", "Table Lamp") == Outcome())
        let home = hub.homes[0]
        let lamp = try #require(home.accessory(House.lamp.id))
        #expect(lamp.name == "Table Lamp")
        #expect(lamp.room == House.id(3))
        #expect(lamp.primaryService?.isFavorite == true)
        #expect(home.accessory(House.fan.id)?.services[1].name == "Glow")
        #expect(home.accessory(House.strip.id)?.services[0].associatedServiceType == .lightbulb)
        #expect(home.actionSets[0].name == "Film")
        #expect(hub.calls == ["identify \(House.lamp.id)"])
        #expect(
            try await hub.run("favorites").output
                == "NAME        STATE\nTable Lamp  on, 40 %\n")
        #expect(try await hub.run("favorite", "Table Lamp", "--off") == Outcome())
        #expect(hub.homes[0].accessory(House.lamp.id)?.primaryService?.isFavorite == false)
    }

    @Test("assigns either all given accessories or none, and accepts prefixes except to remove")
    func several() async throws {
        let hub = FakeHub()
        #expect(try await hub.run("assign", "Read", "Ceiling Fan", "Nothing", "Kitchen").code == 1)
        #expect(hub.homes[0].accessory(House.lamp.id)?.room == House.lamp.room)
        #expect(try await hub.run("assign", "Read", "Front", "kitch") == Outcome())
        #expect(hub.homes[0].accessory(House.lamp.id)?.room == House.id(3))
        #expect(hub.homes[0].accessory(House.door.id)?.room == House.id(3))
        #expect(try await hub.run("assign", "Kitchen").code == 64)
        #expect(try await hub.run("remove", "Read").errors.contains("there's no accessory called \"Read\""))
        #expect(try await hub.run("rooms", "remove", "Kit").code == 1)
    }

    @Test("removes a bridge with its accessories after confirmation")
    func removal() async throws {
        let hub = FakeHub()
        let bridged = try await hub.run("remove", "Ceiling Fan")
        #expect(bridged.errors.contains("with its bridge"))
        #expect(try await hub.run("remove", "Hub").code == 64)
        #expect(try await hub.run("remove", "Hub", "--yes") == Outcome())
        #expect(hub.homes[0].accessories.map(\.name) == ["Reading Lamp", "Kitchen Strip"])
        #expect(try await hub.run("remove", "Reading Lamp") == Outcome())
    }

    @Test("doesn't ask questions with --json")
    func programs() async throws {
        let hub = FakeHub()
        let refused = try await hub.run("remove", "Hub", "--json")
        #expect(refused.code == 64 && refused.output == "" && refused.errors.contains("--yes"))
        let identified = try JSONValue(parsing: try await hub.run("identify", "Reading Lamp", "--json").output)
        #expect(identified["id"] == .string("\(House.lamp.id)"))
    }

    @Test("prints scene values and instance ids as JSON")
    func listings() async throws {
        let scene = ActionSet(
            id: House.id(900), home: House.home.id, kind: .userDefined, name: "Warm",
            actions: [CharacteristicWriteAction(characteristic: House.id(901), targetValue: .float(19))])
        #expect(scene.listing["actions"]?.array?.first?["value"]?.double == 19)
        let shown = try JSONValue(parsing: try await FakeHub().run("show", "Reading Lamp", "--json").output)
        let services = try #require(shown["services"]?.array)
        #expect(services.allSatisfy { $0["iid"]?.int != nil && $0["linked"]?.array != nil })
        #expect(services.flatMap { $0["characteristics"]?.array ?? [] }.allSatisfy { $0["iid"]?.int != nil })
    }

    @Test("explains what happens to a removed accessory that didn't respond")
    func staleRemoval() async throws {
        let hub = FakeHub { $0.stale = [House.strip.id, House.lamp.id] }
        let sentence =
            "didn't respond. The hub unpairs it when it responds again. To add it before then, reset it first.\n"
        #expect(
            try await hub.run("remove", "Kitchen Strip")
                == Outcome(output: "Kitchen Strip \(sentence)Reading Lamp \(sentence)"))
        let other = FakeHub { $0.stale = [House.lamp.id] }
        let json = try await other.run("remove", "Reading Lamp", "--json")
        let listing = try JSONValue(parsing: Array(json.output.utf8))
        #expect(listing["stale"] == [.string("\(House.lamp.id)")] && listing["stale"] == listing["removed"])
    }

    @Test("prints the state of the home in the words of the page, and each accessory that needs attention")
    func status() async throws {
        let hub = FakeHub()
        let text = try await hub.run("status").output
        #expect(text.hasPrefix("home             \(House.home.name)\n"))
        for status in House.home.status where status.topic != .attention {
            #expect(text.contains(status.topic.title.lowercased()) && text.contains("  \(status.words)\n"))
        }
        for issue in House.home.status(.attention)?.issues ?? [] {
            #expect(text.contains("needs attention  \(issue.name): \(issue.words)\n"))
        }
        let json = try JSONValue(parsing: Array(try await hub.run("status", "--json").output.utf8))
        #expect(json["status"]?.array?.compactMap { $0["text"]?.string } == House.home.status.map(\.words))
    }

    @Test("prints the state of the hub, with the time and the problem of each accessory without a connection")
    func hubStatus() {
        let report = HubStatusReport(
            version: "1.2", since: "2026-11-21T10:00:00.000Z", homes: 1, connected: 3,
            notConnected: [
                .init(name: "Lamp", home: "Villa", since: "2026-11-21T11:00:00Z", problem: "it is blocked"),
                .init(name: "Fan", home: "Villa"),
            ],
            apps: 2, databaseBytes: 5000, historyBytes: 20 << 20, lastCopy: nil, warnings: ["the disk is full"])
        let text = HomeStatusCommand.text(of: report)
        for line in [
            "accessories      3 of 5 connected", "  not connected  Fan (Villa), since the hub started",
            "apps             2 connected", "database         5 KiB, history 20 MiB", "last daily copy  none yet",
            "warning          the disk is full",
        ] { #expect(text.contains(line + "\n")) }
        #expect(text.contains("Lamp (Villa), since \(LocalTime.text(of: "2026-11-21T11:00:00Z")); it is blocked\n"))
    }

    @Test("prints lists in the same order as text and JSON")
    func lists() async throws {
        let hub = FakeHub()
        let first = try await hub.run("accessories")
        #expect(first.output == HomeListings.accessories(of: House.home, by: .room))
        #expect(try await hub.run("accessories", "--by", "room") == first)
        let json = try await hub.run("accessories", "--by", "category", "--json").output
        let names = try JSONValue(parsing: Array(json.utf8)).array?.compactMap { $0["name"]?.string }
        #expect(names == ["Hub", "Front Door", "Ceiling Fan", "Reading Lamp", "Kitchen Strip"])
        #expect(try await hub.run("show", "hub").output.hasPrefix("name           Hub\n"))
    }

    @Test("applies suggestions for names only with --fix")
    func namesDoctor() async throws {
        let hub = FakeHub()
        #expect(try await hub.run("names", "doctor").output == NamesReport(House.home).text)
        let rest = "2 names could still be better; see homehub names doctor\n"
        #expect(try await hub.run("names", "doctor", "--fix").output == "Kitchen Strip renamed to Strip\n" + rest)
        #expect(hub.homes[0].accessory(House.strip.id)?.name == "Strip")
        #expect(try await hub.run("names", "doctor", "--fix").output == rest)
        // An accessory in the default room moves to the room in its name.
        _ = try await hub.run("rename", "Strip", "Kitchen Strip")
        _ = try await hub.run("assign", "Kitchen Strip", "My Home")
        let moved = "Kitchen Strip renamed to Strip and moved to Kitchen\n"
        #expect(try await hub.run("names", "doctor", "--fix").output == moved + rest)
        let strip = try #require(hub.homes[0].accessory(House.strip.id))
        #expect(hub.homes[0].room(strip.room)?.name == "Kitchen")
    }

    // MARK: Values

    @Test("prints a single value alone, and several as a table")
    func reading() async throws {
        let hub = FakeHub { $0.values[House.id(122)] = .integer(41) }
        #expect(try await hub.run("read", "reading lamp", "brightness") == Outcome(output: "41 %\n"))
        #expect(
            try await hub.run("read", "Reading Lamp", "on", "brightness").output == """
                NAME        VALUE
                on          yes
                brightness  41 %

                """)
        let json = try await hub.run("read", "Ceiling Fan", "--json").output
        let value = try #require(try JSONValue(parsing: Array(json.utf8)).array?.first)
        #expect(value["name"] == "active")
        #expect(value["value"] == 1)
        #expect(value["valueName"] == "active")
    }

    @Test("prints past values in chronological order")
    func history() async throws {
        func entry(_ time: Int64, _ value: CharacteristicValue) -> HistoryEntry {
            HistoryEntry(time: Timestamp(millisecondsSince1970: time), value: value)
        }
        let hub = FakeHub {
            $0.history[House.id(122)] = [entry(1000, .integer(41)), entry(3000, .integer(7))]
            $0.history[House.id(121)] = [entry(2000, .bool(true))]
        }
        let lines = try await hub.run("history", "reading lamp", "on", "brightness").output.split(separator: "\n")
        #expect(
            lines.map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") } == [
                "VALUE", "brightness 41 %", "on yes", "brightness 7 %",
            ])
        let json = try await hub.run("history", "Reading Lamp", "brightness", "--since", "7d", "--json").output
        let values = try #require(try JSONValue(parsing: Array(json.utf8)).array)
        #expect(values.map { $0["time"] } == [1000, 3000] && values.map { $0["value"] } == [41, 7])
        let none = try await FakeHub().run("history", "Reading Lamp")
        #expect(none.output.isEmpty && none.errors == "homehub: no values of Reading Lamp are stored yet\n")
        #expect(try await hub.run("history", "Reading Lamp", "--since", "soon").code == 64)
    }

    @Test("prints failed values together with successful values")
    func unreachable() async throws {
        let hub = FakeHub()
        let one = try await hub.run("read", "Front Door", "lock-current-state")
        #expect(one.code == 1 && one.output.isEmpty)
        #expect(
            one.errors
                == "homehub: lock-current-state of Front Door: the bridge responds, but the accessory doesn't\n")
        let some = try await hub.run("read", "My Home")
        #expect(some.errors.contains("2 of 2 values failed"))
        let partly = try await hub.run("scenes", "set", "Movie Night", "Front Door", "lock-target-state=secured")
        #expect(partly == Outcome())
        let run = try await hub.run("scenes", "run", "Movie Night")
        #expect(run.code == 1 && run.errors.contains("1 of 3 values failed"))
        #expect(some.output.contains("lock-target-state   -\n"))
    }

    @Test("writes no values if one of them is invalid")
    func writing() async throws {
        let hub = FakeHub()
        let refused = try await hub.run("write", "Reading Lamp", "on=true", "brightness=400")
        #expect(refused.code == 1)
        #expect(
            refused.errors == "homehub: brightness: the value is too high; the maximum is 100\n")
        #expect(hub.calls.isEmpty)
        #expect(try await hub.run("write", "Reading Lamp", "on=true", "brightness=40%") == Outcome())
        #expect(hub.calls.count == 2)
        #expect(Set(hub.calls.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }).count == 2)
    }

    @Test("applies relative changes to the current values of an accessory or of a kind")
    func writingMany() async throws {
        let hub = FakeHub()
        func written() -> [String] {
            hub.calls.compactMap { $0.hasPrefix("write") ? String($0.dropFirst(6)) : nil }.sorted()
        }
        #expect(try await hub.run("write", "Reading Lamp", "brightness=+10") == Outcome())
        #expect(written() == ["\(House.lamp.services[1].characteristics[1].id) 50"], "\(hub.calls)")
        let some = try await FakeHub { $0.graph.apply(.reachabilityUpdated(House.fan.id, false)) }
            .run("write", "lights", "brightness=+10")
        #expect(some.code == 1 && some.errors.contains("brightness of Ceiling Fan/Light"))
        #expect(!some.errors.contains("Reading Lamp"), "\(some.errors)")
    }

    @Test("adds, fills, runs and empties scenes")
    func scenes() async throws {
        let hub = FakeHub()
        #expect(try await hub.run("scenes", "add", "Dinner") == Outcome())
        #expect(try await hub.run("scenes", "set", "dinner", "Reading Lamp", "on=yes", "brightness=70") == Outcome())
        #expect(try await hub.run("scenes", "set", "Dinner", "Ceiling Fan/Light", "on=no") == Outcome())
        #expect(
            try await hub.run("scenes").output.hasPrefix(
                "NAME         ACTIONS\n"
                    + "Dinner       Ceiling Fan/Light off; Reading Lamp brightness 70 %; Reading Lamp on\n"))
        #expect(try await hub.run("scenes", "run", "Dinner") == Outcome())
        #expect(try await hub.run("scenes", "clear", "Dinner", "Reading Lamp") == Outcome())
        #expect(hub.homes[0].actionSets[1].actions.count == 1)
        #expect(try await hub.run("scenes", "remove", "Dinner") == Outcome())
    }

    @Test("adds, fills, renames and empties groups")
    func groups() async throws {
        let hub = FakeHub()
        #expect(try await hub.run("groups").output.hasPrefix("My Home has no groups yet."))
        #expect(try await hub.run("groups", "add", "Reading") == Outcome())
        #expect(try await hub.run("groups", "put", "reading", "Reading Lamp") == Outcome())
        #expect(try await hub.run("groups", "put", "Reading", "Ceiling Fan/Light") == Outcome())
        #expect(
            try await hub.run("groups").output == "NAME     PARTS\nReading  Ceiling Fan/Light, Reading Lamp\n")
        let twice = try await hub.run("groups", "put", "Reading", "Reading Lamp")
        #expect(twice.code == 1 && twice.errors.contains("already"))
        #expect(try await hub.run("rename", "Reading", "Night", "--kind", "group") == Outcome())
        #expect(try await hub.run("groups", "take", "Night", "Reading Lamp") == Outcome())
        #expect(hub.homes[0].serviceGroups.map(\.services.count) == [1])
        #expect(try await hub.run("groups", "remove", "Night") == Outcome())
        #expect(try await hub.run("groups", "remove", "Night").code == 1)
    }

    @Test("prints changes until it is interrupted")
    func watching() async throws {
        let change = { (state: inout FakeHub.State) in
            state.events = [.live(.valueUpdated(House.id(122), .integer(7), time: .init(millisecondsSince1970: 1000)))]
        }
        let text = try await FakeHub(change).run(["watch", "Reading Lamp"]) { $0.contains("7 %") }
        #expect(text.code == 0)
        // The printed time is in the local time zone, so only the rest of the line is compared.
        #expect(text.output.hasSuffix("  Living Room  Reading Lamp  brightness 7 %\n"))
        #expect(!text.output.contains("T") && !text.output.contains("Z"))
        let json = try await FakeHub(change).run(["watch", "--json"]) { $0.contains("\n") }
        let event = try JSONValue(parsing: Array(json.output.utf8))
        #expect(event["event"] == "valueUpdated")
        #expect(event["time"] == 1000)
        let refused = try await FakeHub().run("watch", "Hub")
        #expect(refused.errors.hasPrefix("homehub: Hub doesn't report changes"))
    }

    @Test("prints changes while other accessories don't answer")
    func watchingBesideSilentAccessories() async throws {
        let hub = FakeHub {
            $0.events = [.live(.valueUpdated(House.id(122), .integer(7), time: .init(millisecondsSince1970: 1000)))]
            $0.silent = ["values.notify"]
        }
        #expect(try await hub.run(["watch"]) { $0.contains("7 %") }.code == 0)
    }

    @Test("reports that an accessory responds again only after an outage")
    func watchingReturns() async throws {
        let hub = FakeHub {
            $0.events = [
                .live(.reachabilityUpdated(House.lamp.id, false)), .live(.reachabilityUpdated(House.lamp.id, true)),
                .live(.reachabilityUpdated(House.door.id, true)), .live(.faultUpdated(House.door.id, .forgotten)),
                .live(.reachabilityUpdated(House.door.id, false)),
            ]
        }
        let text = try await hub.run(["watch"]) { $0.contains("Front Door  isn't responding") }
        #expect(
            text.output.split(separator: "\n").map { $0.split(separator: "  ").suffix(2).joined(separator: " ") }
                == [
                    "Reading Lamp isn't responding", "Reading Lamp is responding again",
                    "Front Door is responding again", "Front Door isn't responding",
                ])
    }

    // MARK: Adding

    @Test("prints devices that can be added")
    func discover() async throws {
        let hub = FakeHub { $0.found = [House.found] }
        let outcome = try await hub.run(["discover"]) { $0.contains("New Lamp") }
        #expect(outcome == Outcome(output: "found  New Lamp (Lightbulb, LX, AA:BB:CC:DD:EE:02)\n"))
    }

    @Test("doesn't ask questions if all options are given")
    func addSilently() async throws {
        let hub = FakeHub { $0.found = [House.found, House.secondFound] }
        let outcome = try await hub.run(
            "add", "--code", "51808582", "--device", "new lamp", "--name", "Desk", "--room", "kitchen", "--yes")
        #expect(outcome == Outcome(output: "Desk is in Kitchen.\n"))
        #expect(hub.calls == ["add AA:BB:CC:DD:EE:02 518-08-582"])
    }

    @Test("adds the only device before the search times out")
    func addOnlyOne() async throws {
        let hub = FakeHub { $0.found = [House.found] }
        let outcome = try await hub.run(
            ["add", "--code", "51808582", "--yes"], searchTimeout: .seconds(100_000))
        #expect(outcome.code == 0, "\(outcome)")
        #expect(hub.calls == ["add AA:BB:CC:DD:EE:02 518-08-582"])
    }

    @Test("explains after a while why no device is listed")
    func addWithoutDevices() async throws {
        let outcome = try await FakeHub().run(
            ["add"], lines: ["518-08-582", "1"], after: ["1": "No devices yet"], searchTimeout: .milliseconds(10))
        #expect(outcome.code != 0 && outcome.errors.contains("must be removed from that app first"), "\(outcome)")
    }

    @Test("reads missing values for a list, and all values with --ask")
    func glance() async throws {
        let strip = House.strip.services[1].characteristics[0].id
        let hub = FakeHub {
            $0.values = [strip: .bool(true), House.lamp.services[1].characteristics[0].id: .bool(false)]
        }
        #expect(try await hub.run("accessories").output.contains("Light        on\n"))
        #expect(try await hub.run("accessories").output.contains("Reading Lamp   on, 40 %\n"))
        #expect(try await hub.run("accessories", "--ask").output.contains("Reading Lamp   off\n"))
    }

    @Test("doesn't choose between several devices with --yes")
    func addOneOfSeveral() async throws {
        let hub = FakeHub { $0.found = [House.found, House.secondFound] }
        let outcome = try await hub.run(["add", "--code", "51808582", "--yes"], searchTimeout: .seconds(1))
        #expect(outcome.code == 64 && outcome.output.isEmpty)
        #expect(
            outcome.errors.contains("use --device with one of these: New Lamp (")
                && outcome.errors.contains("; Plug\\u{1B} ("))
        #expect(hub.calls.isEmpty)
    }

    @Test("requires the id to choose between devices with the same name")
    func addAmbiguous() async throws {
        var twin = House.found
        twin = DiscoveredAccessory(id: House.secondFound.id, name: "new lamp", category: .lightbulb, model: "LX")
        let both = [House.found, twin]
        let error = #expect(throws: HomeError.self) { try DiscoveryList.one("New Lamp", among: both) }
        #expect(error?.code == .invalidParameter)
        #expect(error?.message.contains("AA:BB:CC:DD:EE:02") == true && error?.message.contains("EE:03") == true)
        #expect(try DiscoveryList.one("AA:BB:CC:DD:EE:03", among: both) == twin)
        let hub = FakeHub { $0.found = both }
        let outcome = try await hub.run("add", "--code", "51808582", "--device", "AA:BB:CC:DD:EE:03", "--yes")
        #expect(outcome.code == 0)
        #expect(hub.calls == ["add AA:BB:CC:DD:EE:03 518-08-582"])
    }

    @Test("reports a failed room assignment after the addition")
    func addUnplaced() async throws {
        let hub = FakeHub {
            $0.found = [House.found]
            $0.refusedWrites = ["accessories.assign"]
        }
        let outcome = try await hub.run("add", "--code", "51808582", "--room", "kitchen", "--yes")
        #expect(outcome.code == 0 && outcome.output == "New Lamp is in no room yet.\n")
        #expect(outcome.errors.hasPrefix("homehub: New Lamp: "))
    }

    @Test("refuses a taken name and an invalid code before pairing")
    func addRefused() async throws {
        let hub = FakeHub { $0.found = [House.found] }
        let taken = try await hub.run("add", "--code", "518-08-582", "--name", "kitchen", "--yes")
        #expect(taken.errors.contains("exists in this home"))
        let code = try await hub.run("add", "--code", "1234", "--yes")
        #expect(code.code == 64 && !code.errors.contains("1234"))
        let missing = try await hub.run("add", "--yes")
        #expect(missing.code == 64 && missing.errors.contains("--code"))
        #expect(hub.calls.isEmpty)
        let wrong = try await hub.run("add", "--code", "111-22-333", "--device", "New Lamp", "--yes")
        #expect(wrong.code == 1 && wrong.errors.contains("the setup code is wrong"))
        #expect(!wrong.errors.contains("111"))
    }

    @Test("asks for code, device, name, room, kind and favorite")
    func addInteractively() async throws {
        let hub = FakeHub { $0.found = [House.found] }
        let outcome = try await hub.run(
            ["add"], lines: ["12", "518-08-582", "New Lamp", "Reading Lamp", "Desk", "Sauna", "yes", "fan", "yes"],
            after: ["New Lamp": "1  New Lamp"])
        #expect(outcome.code == 0)
        #expect(outcome.output == "Desk is in Sauna.\n")
        let desk = try #require(hub.homes[0].accessories.named("Desk").first)
        #expect(desk.primaryService?.isFavorite == true)
        #expect(desk.primaryService?.associatedServiceType != nil)
        #expect(outcome.errors.contains("An accessory named \"Reading Lamp\" exists in this home"))
        #expect(outcome.errors.contains("There's no room called \"Sauna\" yet."))
        #expect(!outcome.errors.contains("518"))
    }

    @Test("asks one question about all accessories of a bridge", arguments: ["", "yes", "no"])
    func addBridge(answer: String) async throws {
        let hub = FakeHub {
            $0.found = [House.found]
            $0.additions = Devices.bridge("New Bridge", lamps: ["Spot", "Downlight"])
        }
        let outcome = try await hub.run(
            ["add", "--code", "518-08-582", "--device", "New Lamp"], lines: [answer, "Hallway Bridge"])
        #expect(outcome.code == 0 && outcome.errors.contains("Keep these names, and choose rooms later?"))
        let isKept =
            outcome.output == "New Bridge is in no room yet.\nSpot is in no room yet.\nDownlight is in no room yet.\n"
        #expect(isKept == (answer != "no"))
        #expect(outcome.output.contains("Hallway Bridge") == (answer == "no"))
    }

    @Test("asks again for a refused code and adds a new room only after confirmation")
    func wrongCode() async throws {
        let hub = FakeHub { $0.found = [House.found] }
        let outcome = try await hub.run(
            ["add"],
            lines: ["111-22-333", "New Lamp", "12", "518-08-582", "Desk", "Sauna", "", "Kitchen", "", "no"],
            after: ["New Lamp": "1  New Lamp"])
        #expect(outcome == Outcome(output: "Desk is in Kitchen.\n", errors: outcome.errors))
        #expect(hub.homes[0].rooms.map(\.name).sorted() == ["Kitchen", "Living Room"])
        #expect(outcome.errors.contains("The setup code is wrong; check the digits."))
        #expect(outcome.errors.contains("Enter the eight digits (2 tries left): "))
        let alone = try await hub.run("add", "--code", "111-22-333", "--device", "New Lamp")
        #expect(alone.code == 1 && alone.errors.contains("the setup code is wrong"))
    }

    // MARK: Permission

    /// A user ID other than that of the test process.
    private static let other: UInt32 = getuid() == 1000 ? 1001 : 1000

    private static func pending(_ app: String) -> AppPermission {
        AppPermission(
            app: AppIdentity(app: app, uid: other, executable: "/usr/bin/a"), status: [], usageDescription: "To dim.",
            isPending: true)
    }

    @Test("allows, denies and forgets an app by its ID")
    func privacy() async throws {
        let hub = FakeHub { $0.permissions = [Self.pending("org.example.a"), Self.pending("org.example.b")] }
        #expect(try await hub.run("privacy").output.hasPrefix("APP            USER"))
        #expect(
            try await hub.run("privacy", "allow", "org.example.a", "--user", "\(Self.other)")
                == Outcome(output: "Allowed for /usr/bin/a, run by user \(UserName(Self.other).name).\n"))
        #expect(try await hub.run("privacy", "deny", "org.example.b") == Outcome())
        #expect(try await hub.run("privacy", "reset", "org.example.a") == Outcome())
        let unknown = try await hub.run("privacy", "allow", "org.other")
        #expect(unknown.code == 1 && unknown.errors.contains("no app called \"org.other\" has asked for access"))
        #expect(
            hub.calls == [
                "allow org.example.a \(Self.other)", "deny org.example.b \(Self.other)",
                "forget org.example.a \(Self.other)",
            ])
    }

    @Test("asks for confirmation before it allows another user's program")
    func privacyOfOthers() async throws {
        let hub = FakeHub { $0.permissions = [Self.pending("org.example.a")] }
        let no = try await hub.run(["privacy", "allow", "org.example.a"], lines: ["no"])
        #expect(no.code == 75 && no.errors.contains("/usr/bin/a, run by user \(UserName(Self.other).name)."))
        #expect(hub.calls == [])
        #expect(try await hub.run("privacy", "allow", "org.example.a").code == 64)
        #expect(try await hub.run(["privacy", "allow", "org.example.a"], lines: ["yes"]).code == 0)
        #expect(try await hub.run("privacy", "allow", "org.example.a", "--yes").code == 0)
        #expect(hub.calls == ["allow org.example.a \(Self.other)", "allow org.example.a \(Self.other)"])
        #expect(UserName(argument: "root")?.uid == 0 && UserName(argument: "no such user") == nil)
    }

    @Test("repairs an accessory with the chosen device")
    func repair() async throws {
        let hub = FakeHub { $0.found = [House.found] }
        let silent = try await hub.run("repair", "Reading Lamp", "--code", "51808582", "--yes")
        #expect(silent.code == 1 && silent.errors.contains("--device"))
        let outcome = try await hub.run(
            ["repair", "Reading Lamp"], lines: ["518-08-582", "1"], after: ["1": "  1  New Lamp"])
        #expect(outcome.code == 0 && outcome.output == "Reading Lamp is paired again.\n", "\(outcome)")
        let id = House.lamp.id
        #expect(
            hub.calls == [
                "repair \(id) with the same", "repair \(id) with the same", "repair \(id) with AA:BB:CC:DD:EE:02",
            ])
    }

    @Test("forgets all decisions of the user after confirmation")
    func privacyReset() async throws {
        let decided = { (app: String, status: AuthorizationStatus) in
            AppPermission(
                app: AppIdentity(app: app, uid: 1000, executable: "/usr/bin/a"), status: status,
                usageDescription: "To dim.", isPending: false)
        }
        let hub = FakeHub {
            $0.permissions = [
                decided("org.example.a", [.determined, .authorized]), decided("org.example.b", .determined),
                decided("org.example.c", [.determined, .restricted]), Self.pending("org.example.d"),
            ]
        }
        let noPeer = try await hub.run("privacy", "reset")
        #expect(noPeer.code == 64 && noPeer.errors.hasPrefix("2 apps will have to ask again."))
        #expect(try await hub.run(["privacy", "reset"], lines: ["no"]).code == 75)
        #expect(hub.calls.isEmpty)
        #expect(try await hub.run("privacy", "reset", "--yes") == Outcome())
        #expect(hub.calls == ["forget org.example.a 1000", "forget org.example.b 1000"])
    }

    @Test("asks about each app, and repeats the question after an invalid answer")
    func agent() async throws {
        let hub = FakeHub { $0.permissions = [Self.pending("org.example.a"), Self.pending("org.example.b")] }
        let outcome = try await hub.run(["privacy", "agent"], lines: ["ok", "allow", ""]) {
            $0.contains("Allow org.example.b to see")
        }
        #expect(outcome.code == 0)
        #expect(outcome.errors.contains("Allow org.example.a to see and control your homes?"))
        #expect(hub.calls == ["allow org.example.a \(Self.other)"])
    }

    @Test("asks about additions and vendors")
    func agentForConsents() async throws {
        let app = AppIdentity(app: "org.example.a", uid: 1000, executable: "")
        // Each question is asked once. The last question shows that the previous answer has arrived.
        let subjects = [
            ("Lamp", ConsentQuestion.Subject.addition), ("", .addition), ("kilgo", .vendor), ("end", .vendor),
        ]
        let questions = subjects.enumerated()
            .map { number, asked in
                ConsentQuestion(
                    id: House.id(number + 900), app: app, usageDescription: "To dim.", subject: asked.1,
                    name: asked.0)
            }
        let hub = FakeHub { $0.questions = questions }
        let outcome = try await hub.run(["privacy", "agent"], lines: ["deny", "allow", "allow", ""]) {
            $0.contains("accessories made by \"end\"")
        }
        #expect(outcome.errors.contains("Allow org.example.a to add the accessory \"Lamp\" to your homes this time?"))
        #expect(outcome.errors.contains("Allow org.example.a to add an accessory to your homes this time?"))
        #expect(outcome.errors.contains("accessories made by \"kilgo\""))
        #expect(outcome.errors.contains("any program that user \(UserName(1000).name) runs under this ID"))
        #expect(
            hub.calls == [
                "answer \(questions[0].id) false", "answer \(questions[1].id) true", "answer \(questions[2].id) true",
            ])
    }

    @Test("allows, denies and forgets an app for a vendor")
    func vendors() async throws {
        let hub = FakeHub { $0.permissions = [Self.pending("org.example.a")] }
        #expect(
            try await hub.run("privacy", "allow", "org.example.a", "--user", "\(Self.other)", "--vendor", "kilgo").code
                == 0)
        #expect(try await hub.run("privacy", "deny", "org.example.a", "--vendor", "kilgo") == Outcome())
        #expect(try await hub.run("privacy", "reset", "org.example.a", "--vendor", "kilgo") == Outcome())
        #expect(try await hub.run("privacy", "reset", "--vendor", "kilgo").code == 64)
        #expect(
            hub.calls == [
                "allow org.example.a \(Self.other) kilgo", "deny org.example.a \(Self.other) kilgo",
                "forget org.example.a \(Self.other) kilgo",
            ])
    }

    @Test("explains who can give permission")
    func permission() async throws {
        let denied = try await FakeHub { $0.status = .determined }.run("homes")
        #expect(denied.code == 77)
        #expect(
            denied.errors == "homehub: org.lamplighter.homehub isn't allowed to access the home; root or a member of "
                + "the homehub group can allow it with homehub privacy allow org.lamplighter.homehub --user "
                + "\(UserName(getuid()).name)\n")
        let restricted = try await FakeHub { $0.status = [.determined, .restricted] }.run("homes")
        #expect(
            restricted.errors == "homehub: org.lamplighter.homehub isn't allowed to access the home; remove the app "
                + "or user from restrict in homehub.yaml\n")
        let open = try await FakeHub { $0.status = [] }.run(["homes", "--app", "org.example.a"]) {
            $0.contains("waiting for permission")
        }
        #expect(open.errors.contains("homehub privacy allow org.example.a --user \(UserName(getuid()).name)"))
    }

    // MARK: Usage

    @Test(
        "prints one line about a usage error, which refers to the command's help",
        arguments: [
            (["homse"], "homse", "homehub homes"), (["xyzzy"], "xyzzy", "homehub --help"),
            (["rooms", "add"], "name", "homehub rooms add --help"), (["show", "a", "b"], "b", "homehub show --help"),
            (["rename", "a", "b", "--kind", "thing"], "kind", "homehub rename --help"),
            (["write"], "name an accessory and a change", "homehub write --help"),
            (["assign"], "name at least one accessory", "homehub assign --help"),
            (["homes", "--app", "a b"], "letters, digits", "homehub"),
            (["accessories", "--by", "maker"], "by", "homehub accessories --help"),
            (["write", "Reading Lamp"], "a change", "homehub write --help"),
            (["scenes", "set", "--x"], "x", "homehub scenes set --help"),
            (["add", "--payload", "http://x"], "x-hm", "homehub add --help"),
        ])
    func usage(words: [String], part: String, help: String) async throws {
        let outcome = try await FakeHub().run(words)
        #expect(outcome.code == 64 && outcome.errors.hasPrefix("homehub: "))
        #expect(outcome.errors.lowercased().contains(part) && outcome.errors.contains(help), "\(outcome.errors)")
        #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
        let json = try await FakeHub().run(words + ["--json"])
        #expect(try JSONValue(parsing: Array(json.errors.utf8))["error"]?["message"] != nil)
    }

    @Test("prints help and version to standard output")
    func help() async throws {
        #expect(try await FakeHub().run("version").output.hasPrefix("homehub "))
        let commands = [
            [], ["rooms"], ["privacy", "allow"], ["read"], ["write"], ["show"], ["rename"], ["scenes", "set"],
            ["watch"],
            ["favorite"], ["add"], ["names", "doctor"], ["service-type"],
        ]
        for words in commands {
            let outcome = try await FakeHub().run(words + ["--help"])
            #expect(outcome.code == 0)
            #expect(outcome.output.contains("USAGE: homehub"))
            // The name of one command contains a word that help must not contain otherwise.
            let text = outcome.output.lowercased().replacing("service-type", with: "")
            for word in ["service", "characteristic", "action set"] { #expect(!text.contains(word), "\(text)") }
        }
    }
}
