import HAPModel
import HAPTesting
import HomeModel
import Testing

@Suite("The validation of names") struct NameTests {
    @Test(
        "accepts speakable names",
        arguments: [
            "Reading lamp", "2nd garage door", "My Home", "Living Room", "Upstairs", "Kid's Night Light",
            "Kid\u{2019}s Night Light", "Kid\u{2BC}s lamp", "Küche", "Ku\u{308}che", "居間", "हिन्दी", "R2D2", "a", "7",
            "Lamp  1", "می\u{200C}خواهم", "क्\u{200D}ष", "٣ lamps", String(repeating: "a", count: 64),
        ])
    func valid(name: String) {
        #expect(NameRules.violations(of: name) == [])
    }

    @Test(
        "reports every broken rule in order",
        arguments: [
            ("📚 lamp", [35, 36]), ("#2 garage door", [35, 36]), (" lamp", [36]), ("lamp ", [60]), ("'lamp", [36]),
            ("lamp'", [60]), ("lamp\u{2019}", [60]), ("Lamp - 1", [35]), ("Lamp_1", [35]), ("Lamp.1", [35]),
            ("Lamp/1", [35]), ("Tom & Jerry", [35]), ("½ lamp", [35, 36]), ("Zone ②", [35, 60]), ("Light™", [35, 60]),
            ("ℹ", [35, 36, 60]), ("🇫🇷", [35, 36, 60]), ("x🏻", [35, 60]), ("1\u{FE0F}\u{20E3}", [35, 60]),
            ("a\tb", [35]), ("a\u{A0}b", [35]), ("a\u{3000}b", [35]), ("", [51]),
            (String(repeating: "a", count: 65), [46]), (String(repeating: "居", count: 86), [46]),
            ("a" + String(repeating: "\u{301}", count: 200), [46]), ("\u{301}a", [36]), ("a\u{200D}", [35, 60]),
            ("a \u{200D}b", [35]), ("👩\u{200D}🚀", [35, 36, 60]), ("a\u{FE0F}b", [35]), ("a\u{E0101}b", [35]),
            (" ", [36, 60]), ("\u{0}", [35, 36, 60]),
            (" 📚" + String(repeating: "a", count: 70) + "!", [46, 35, 36, 60]),
        ])
    func violations(name: String, codes: [Int]) {
        #expect(NameRules.violations(of: name).map(\.code.rawValue) == codes)
        #expect(NameRules.isValid(name) == codes.isEmpty)
    }

    @Test(
        "gives names that sound alike the same key",
        arguments: [
            ("home1", "Home 1"), ("Kids Room", "Kid\u{2019}s Room"), ("Kid's Room", "Kid\u{2BC}s Room"),
            ("Straße", "STRASSE"), ("Ａ", "A"), ("Küche", "Ku\u{308}che"), ("ﬁle", "FILE"), ("ΟΔΟΣ", "Οδος"),
            ("４２", "42"), ("𝐋amp", "lamp"), ("ﾊﾟ", "パ"), ("می\u{200C}خواهم", "میخواهم"), ("Lamp  1", "lamp1"),
        ])
    func sameKey(a: String, b: String) {
        #expect(NameKey(a) == NameKey(b))
        #expect(Array(NameKey(a).description.utf8) == Array(NameKey(b).description.utf8))
    }

    @Test("gives different names different keys", arguments: [("Küche", "Kuche"), ("Lamp 1", "Lamp 2")])
    func differentKey(a: String, b: String) {
        #expect(NameKey(a) != NameKey(b))
    }

    @Test("converts names to composed form (NFC)")
    func composed() {
        #expect("Ku\u{308}che".nfc.unicodeScalars.map(\.value) == "Küche".unicodeScalars.map(\.value))
        #expect("Ku\u{308}che".nfc.utf8.count == 6)
    }
}

@Suite("The detection of places and manufacturers in names") struct NameHintTests {
    private static let locations = places(
        rooms: ["Kitchen", "Living Room", "Garage", "Kids Room", "Hall"], zones: ["Upstairs", "Downstairs"])

    @Test(
        "finds a place in a name and suggests the name without it",
        arguments: [
            ("kitchen light", ["Kitchen"], ["light"]), ("Living Room Lamp", ["Living Room"], ["Lamp", "Light"]),
            ("Lamp in the kitchen", ["Kitchen"], ["Lamp", "Light"]), ("Kitchen", ["Kitchen"], ["Light"]),
            ("Upstairs hall lamp", ["Hall", "Upstairs"], ["lamp", "Light"]),
            ("Kid's Room lamp", ["Kids Room"], ["lamp", "Light"]),
            ("living-room lamp", ["Living Room"], ["lamp", "Light"]), ("Garage light", ["Garage"], ["light"]),
            ("Kitchen's lamp", ["Kitchen"], ["lamp", "Light"]),
            ("Livingroom lamp", ["Living Room"], ["lamp", "Light"]),
        ])
    func locations(name: String, hits: [String], suggestions: [String]) {
        let detector = LocationDetector(Self.locations, serviceType: .lightbulb)
        #expect(detector.hits(in: name).locations.map(\.name) == hits)
        let context = NameContext(serviceType: .lightbulb, locations: Self.locations)
        #expect(context.suggestions(for: name) == suggestions)
    }

    @Test("finds the longer of two places in any order", arguments: [false, true])
    func longest(isReversed: Bool) {
        let rooms = ["Kids", "Kids Room", "Room"]
        let detector = LocationDetector(
            places(rooms: isReversed ? rooms.reversed() : rooms, zones: []), serviceType: .lightbulb)
        #expect(detector.hits(in: "Kids Room lamp").locations.map(\.name) == ["Kids Room"])
    }

    @Test("doesn't mistake a garage door for the garage", arguments: ["2nd garage door", "Kid's Night Light"])
    func shielded(name: String) {
        let detector = LocationDetector(Self.locations, serviceType: .garageDoorOpener)
        #expect(detector.hits(in: name).locations.isEmpty)
        #expect(detector.hits(in: name).rest == name)
    }

    @Test("finds a garage next to a garage door, but not in it")
    func shieldedAndHit() {
        let detector = LocationDetector(Self.locations, serviceType: .garageDoorOpener)
        #expect(detector.hits(in: "Garage door in the garage").rest == "Garage door")
    }

    @Test("finds manufacturer, model and serial number, split or joined")
    func maker() {
        let maker = NameMaker(manufacturer: "Kilgo Devices, Inc.", model: "LX-200", serialNumber: "1A2B3C")
        for name in ["Kilgo lamp", "LX 200", "LX200 lamp", "Lamp lx-200", "Lamp 1A2B3C", "kilgo"] {
            #expect(maker.occurs(in: name), "\(name)")
        }
        for name in ["Lamp", "LX 20", "Devices", "Inc lamp"] { #expect(!maker.occurs(in: name), "\(name)") }
        #expect(!NameMaker(serialNumber: "porch").occurs(in: "Porch Light"), "the owner's own word")
    }

    @Test("allows common nouns that are also a manufacturer's name")
    func nounOfMaker() {
        let maker = NameMaker(manufacturer: "Bulb Lamp Kilgo", model: "Light")
        #expect(!maker.occurs(in: "Reading lamp") && !maker.occurs(in: "Light 2"))
        #expect(maker.occurs(in: "Kilgo lamp"))
    }

    @Test("allows words that are also a serial number")
    func serialNumberWithoutDigits() {
        #expect(!NameMaker(serialNumber: "reading").occurs(in: "Reading Lamp"))
        #expect(NameMaker(serialNumber: "reading1").occurs(in: "Reading 1 Lamp"))
    }
}

@Suite("The suggestion of names") struct NameSuggestionTests {
    @Test(
        "turns invalid text into a name",
        arguments: [
            ("📚 lamp", ["lamp", "Light"]), ("#2 garage door", ["2nd garage door", "Light"]),
            ("Tom & Jerry lamp", ["Tom and Jerry lamp", "Light"]), ("!!!", ["Light"]),
            ("Lamp #2", ["Lamp 2", "Light"]),
            ("#11 x", ["11th x", "Light"]), ("#103 x", ["103rd x", "Light"]), ("", ["Light"]),
            ("  (Desk)_lamp.. ", ["Desk lamp", "Light"]), ("'lamp'", ["lamp", "Light"]),
            ("#99999999999999999999 x", ["99999999999999999999 x", "Light"]),
            ("a\u{200D}📚b", ["ab", "Light"]),
            (String(repeating: "x", count: 70), [String(repeating: "x", count: 64), "Light"]),
            (String(repeating: "word ", count: 20), [String(repeating: "word ", count: 12) + "word", "Light"]),
        ])
    func table(raw: String, expected: [String]) {
        #expect(NameContext(serviceType: .lightbulb).suggestions(for: raw) == expected)
    }

    @Test("drops the manufacturer and factory codes")
    func maker() {
        let maker = NameMaker(manufacturer: "Kilgo Devices, Inc.", model: "LX-200")
        var context = NameContext(serviceType: .lightbulb, maker: maker)
        #expect(context.suggestions(for: "Kilgo LX-200 Bulb") == ["Bulb", "Light"])
        context.isFromDevice = true
        #expect(context.suggestions(for: "KILGO-LX-200-1A2B3C") == ["Light"])
        #expect(context.suggestions(for: "2nd 5W lamp") == ["2nd lamp", "Light"])
    }

    @Test("adds a number to a name in use")
    func taken() {
        let taken = Set(["Lamp", "Light", "Light 2"].map { NameKey($0) })
        #expect(NameContext(serviceType: .lightbulb, taken: taken).suggestions(for: "Lamp!") == ["Lamp 2", "Light 3"])
    }

    @Test("shortens a long name in use to make room for a number")
    func takenAndLong() {
        let long = String(repeating: "x", count: 64)
        let suggestions = NameContext(serviceType: .lightbulb, taken: [NameKey(long)]).suggestions(for: long)
        #expect(suggestions == [String(repeating: "x", count: 62) + " 2", "Light"])
    }

    @Test("finds a name in a home whose rooms are named after common nouns")
    func hostileRooms() {
        let rooms = ["Light", "Accessory", "Device", "Thing", "Item", "1", "2"]
        let context = NameContext(serviceType: .lightbulb, locations: places(rooms: rooms, zones: []))
        #expect(context.suggestions(for: "Light") == ["3"])
    }

    @Test("suggests only valid, unused names without a place in random homes", arguments: 1...10)
    func property(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let words = [
            "kitchen", "Küche", "lamp", "Light", "garage", "door", "Kid's", "Room", "living", "Kilgo", "LX-200", "2nd",
            "#3", "&", "📚", "in", "the", "Hall", "居間", "½", "'", "-", "1A2B", "2", "Accessory", "Sensor", "ﬁ",
            "\u{301}",
            "\u{200D}", "👩\u{200D}🚀", "\u{1F1EB}", "a\u{FE0F}", "\t", "\u{0}", "ℹ", "हिन्दी", "Upstairs", "inc",
        ]
        let makers = [
            NameMaker(), NameMaker(manufacturer: "Kilgo Devices, Inc.", model: "LX-200", serialNumber: "1A2B"),
            NameMaker(manufacturer: "Light & Lamp", model: "Accessory 2"),
        ]
        let types: [ServiceType?] = [.lightbulb, .garageDoorOpener, .switch, .contactSensor, nil]
        func phrase(_ count: Int) -> String {
            (0..<count).map { _ in
                if Int.random(in: 0..<6, using: &random) == 0 {
                    let scalar = Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &random)) ?? "x"
                    return String(Character(scalar))
                }
                return words[Int.random(in: 0..<words.count, using: &random)]
            }.joined(separator: Bool.random(using: &random) ? " " : "")
        }
        for number in 0..<100 {
            let rooms = (0..<4).map { _ in phrase(2) }.filter(NameRules.isValid)
            let zones = (0..<2).map { _ in phrase(1) }.filter(NameRules.isValid)
            let context = NameContext(
                serviceType: types[number % types.count], maker: makers[number % makers.count],
                locations: places(rooms: rooms, zones: zones),
                taken: Set((0..<12).map { _ in NameKey(phrase(1)) }), isFromDevice: number % 2 == 0)
            let detector = LocationDetector(context.locations, serviceType: context.serviceType)
            // Each suggestion is checked once, because most names get the same noun.
            var sound: Set<String> = []
            for raw in Set((0..<32).map { 1 + $0 % 5 }.map(phrase) + [""]) {
                let suggestions = context.suggestions(for: raw)
                let faults = suggestions.filter { name in
                    guard sound.insert(name).inserted else { return false }
                    return !NameRules.isValid(name) || context.taken.contains(NameKey(name))
                        || !detector.hits(in: name).locations.isEmpty || context.maker.occurs(in: name)
                }
                let isRight =
                    (1...3).contains(suggestions.count) && faults.isEmpty
                    && Set(suggestions.map { NameKey($0) }).count == suggestions.count
                if !isRight { Issue.record("\(raw.debugDescription) gives \(suggestions)") }
            }
        }
    }
}

private func places(rooms: [String], zones: [String]) -> [NameLocation] {
    var random = SeededNumbers(seed: 1)
    return rooms.map { NameLocation(name: $0, place: .room(Room.ID(using: &random))) }
        + zones.map { NameLocation(name: $0, place: .zone(Zone.ID(using: &random))) }
}
