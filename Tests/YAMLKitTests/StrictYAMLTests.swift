import ConfigurationKit
import SystemKit
import TestTimeouts
import Testing
import YAMLKit

private struct House: Decodable, Equatable {
    var name: String
    var floors: Int?
    var height: Double?
    var lit: Bool?
    var rooms: [Room]?
    var labels: [String: String]?
    var password: String?
    var door: Door?

    enum CodingKeys: String, CodingKey, CaseIterable { case name, floors, height, lit, rooms, labels, password, door }
}

/// A type that doesn't declare its keys before it requests them.
private struct Room: Decodable, Equatable {
    var name: String
    var lamps: UInt8?
}

private struct Door: Decodable, Equatable {
    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        throw ConfigurationProblem("\"\(text)\" isn't a door", remedy: "use open; or shut", at: decoder.codingPath)
    }
}

private func decode(_ text: String) throws -> House {
    try StrictYAML.decode(House.self, from: Array(text.utf8), file: "f")
}

@Suite("StrictYAML", .timeout)
struct StrictYAMLTests {
    @Test("interprets a word by the requested type")
    func words() throws {
        let house = try decode(
            """
            name: 415-27-893
            floors: -3
            height: 2.5e1
            lit: true
            rooms:
              - {name: 012, lamps: 0}
              - name: on   # a comment
              - name: "quoted: {}"
            labels: {a: yes, b: 1}
            password:
            """)
        #expect(house.name == "415-27-893")
        #expect(house.floors == -3)
        #expect(house.height == 25)
        #expect(house.lit == true)
        #expect(house.rooms?.map(\.name) == ["012", "on", "quoted: {}"])
        #expect(house.labels == ["a": "yes", "b": "1"])
        #expect(house.password == nil)
    }

    @Test("accepts aliases, a byte order mark and Windows line ends")
    func tolerated() throws {
        #expect(try decode("name: &n Anna\nlabels: {a: *n}\n").labels == ["a": "Anna"])
        #expect(try decode("\u{FEFF}name: Anna\r\nfloors: 1\r\n").floors == 1)
        #expect(try decode("---\nname: Anna\n...\n").name == "Anna")
    }

    @Test(
        "reports a mistake on one line with its position, key, problem and remedy",
        arguments: [
            ("", "f:1:1: the file is empty; start with the example configuration of the program"),
            ("# nothing\n\n", "f:1:1: the file is empty; start with the example configuration of the program"),
            ("name: a\nflors: 1", "f:2:1: flors: unknown key; use floors"),
            ("nmae: a", "f:1:1: nmae: unknown key; use name"),
            (
                "name: a\nzzz: 1",
                "f:2:1: zzz: unknown key; use one of door, floors, height, labels, lit, name, password, rooms"
            ),
            ("rooms: []", "f:1:1: name: name is required; add it"),
            (
                "name: a\nrooms:\n  - name: b\n    lmaps: 2",
                "f:4:5: rooms[0].lmaps: unknown key; use lamps"
            ),
            ("name: a\nrooms:\n  - nam: b", "f:3:5: rooms[0].nam: unknown key; use name"),
            ("name: a\nrooms:\n  - lamps: 1", "f:3:5: rooms[0].name: name is required; add it"),
            ("name: a\nrooms: b", "f:2:8: rooms: expected a list, found a single value; use a list"),
            (
                "name: a\nrooms: [b]",
                "f:2:9: rooms[0]: expected keys with values, found a single value; use keys with values"
            ),
            (
                "name: a\nrooms: {name: b}",
                "f:2:8: rooms: expected a list, found keys with values; begin each item with \"- \""
            ),
            ("name:a", "f:1:1: a space is missing after a colon; use name: VALUE"),
            ("name: a\nrooms:\n  - name:b", "f:3:5: rooms[0]: a space is missing after a colon; use name: VALUE"),
            ("name: [a]", "f:1:7: name: expected text, found a list; use text"),
            (
                "name: \"a\\0b\"", "f:1:7: name: text can't contain NUL characters; remove \\0 from it"
            ),
            ("name: {a: b}", "f:1:7: name: expected text, found keys with values; use text"),
            ("name:", "f:1:6: name: the value is missing; add text, or remove the key"),
            ("name: ~", "f:1:7: name: ~ is an empty value in YAML; put the text in quotes, or remove the key"),
            ("- name", "f:1:1: expected keys with values, found a list; use keys with values"),
            (
                "name: a\nfloors: two",
                "f:2:9: floors: expected a whole number, found \"two\"; use a whole number"
            ),
            ("name: a\nfloors: 2.0", "f:2:9: floors: expected a whole number, found \"2.0\"; use a whole number"),
            (
                "name: a\nfloors: \"2\"",
                "f:2:9: floors: expected a whole number, found text in quotes; use a whole number without quotes"
            ),
            ("name: a\nfloors: 012", "f:2:9: floors: leading zeros aren't allowed; use 12"),
            (
                "name: a\nfloors: 0x1F",
                "f:2:9: floors: expected a whole number, found \"0x1F\"; use a whole number"
            ),
            (
                "name: a\nfloors: 99999999999999999999",
                "f:2:9: floors: the number is out of range; use -9223372036854775808 to 9223372036854775807"
            ),
            (
                "name: a\nrooms: [{name: b, lamps: 256}]",
                "f:2:26: rooms[0].lamps: the number is out of range; use 0 to 255"
            ),
            ("name: a\nheight: nan", "f:2:9: height: expected a number, found \"nan\"; use a number"),
            ("name: a\nheight: 1e999", "f:2:9: height: the number is out of range; use a smaller number"),
            ("name: a\nlit: yes", "f:2:6: lit: expected true or false, found \"yes\"; use true"),
            ("name: a\nlit: Off", "f:2:6: lit: expected true or false, found \"Off\"; use false"),
            ("name: a\nlit: maybe", "f:2:6: lit: expected true or false, found \"maybe\"; use true or false"),
            (
                "name: a\nlit: \"true\"",
                "f:2:6: lit: expected true or false, found text in quotes; use true or false without quotes"
            ),
            ("name: a\ndoor: ajar", "f:2:7: door: \"ajar\" isn't a door; use open; or shut"),
            ("name: a\nfloors: 1\nname: b", "f:3:1: name: set twice, first on line 1; keep only one"),
            ("{name: a, name: b}", "f:1:11: name: set twice, first on line 1; keep only one"),
            (
                "name: a\nrooms:\n- name: b\n  lamps: 1\n  name: c",
                "f:5:3: name: set twice, first on line 3; keep only one"
            ),
            ("name: a\n---\nname: b", "f:2:1: a second document begins here; keep only one"),
            ("name: *x", "f:1:7: undefined alias; replace it with the value"),
            ("name: !!int 5", "f:1:7: name: a YAML tag (!...) isn't supported here; remove it"),
            ("name: a\n<<: {floors: 1}", "f:2:1: merging (<<) isn't supported; list the keys instead"),
            ("? [a]\n: b", "f:1:3: a key must be a word; use KEY: VALUE"),
            (
                "name: a\n\tfloors: 1",
                "f:2:1: not valid YAML: a tab in the indentation; use spaces"
            ),
            (
                "name: \"a",
                "f:1:9: not valid YAML: found unexpected end of stream; "
                    + "check indentation, colons and quotes here and just above"
            ),
            ("name: a\nx: \u{1}", "f:2:4: a control character that YAML doesn't allow; remove it"),
            (
                "name: a\n\"x\\e[2J\\n\": b",
                "f:2:1: x\\u{1B}[2J\\n: unknown key; "
                    + "use one of door, floors, height, labels, lit, name, password, rooms"
            ),
        ])
    func mistakes(text: String, message: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try decode(text) }
        #expect(error.description == message)
        #expect(error.exitCode.rawValue == 78)
    }

    @Test(
        "never shows a secret in an error",
        arguments: [
            "name: a\npassword: [hunter2]", "name: a\npassword: {hunter2: 1}", "name: a\npassword: !x hunter2",
            "{name: a, password:hunter2}", "{name: a, password=hunter2: 1}", "name: a\nfloors: password:hunter2",
            "name: a\nfloors: 1\n  password:hunter2", "name: a\npassword: \"hunter2", "name: a\npasword: hunter2",
            "name: a\npassword: hunter2\npassword: hunter2", "name: a\npassword: hunter2: b",
        ])
    func secrets(text: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try decode(text) }
        #expect(!error.description.contains("hunter2"))
    }

    @Test(
        "doesn't quote a secret in the error about an expected number",
        arguments: [
            (
                "password: hunter2",
                "f:1:11: password: expected a whole number, found something else; use a whole number"
            ),
            ("token: hunter2", "f:1:8: token: expected a whole number, found something else; use a whole number"),
            (
                "setup-code: hunter2",
                "f:1:13: setup-code: expected a whole number, found something else; use a whole number"
            ),
            ("password: 0123", "f:1:11: password: leading zeros aren't allowed; remove them"),
        ])
    func secretNumbers(text: String, message: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try StrictYAML.decode([String: Int].self, from: Array(text.utf8), file: "f")
        }
        #expect(error.description == message)
    }

    @Test("hides a secret in an error that its type throws")
    func refusedSecret() throws {
        struct Code: Decodable {
            init(from decoder: any Decoder) throws {
                let text = try decoder.singleValueContainer().decode(String.self)
                throw ConfigurationProblem("\(text) is bad", remedy: "no \(text)", at: decoder.codingPath)
            }
        }
        let error = try #require(throws: ConfigurationError.self) {
            try StrictYAML.decode([String: Code].self, from: Array("setup-code: 123".utf8), file: "f")
        }
        #expect(error.description == "f:1:13: setup-code: (hidden) is bad; no (hidden)")
    }

    @Test("adds the position to an error that a type throws, and separates problem and remedy")
    func configurationProblem() {
        struct Keys: Decodable {
            enum CodingKeys: String, CodingKey, CaseIterable { case kind, time }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                _ = try container.decodeIfPresent(DurationText.self, forKey: .time)
                throw ConfigurationProblem("no kind; none", remedy: "use lamp", forKey: .kind, in: container)
            }
        }
        func error(_ text: String) -> ConfigurationError? {
            #expect(throws: ConfigurationError.self) {
                try StrictYAML.decode([Keys].self, from: Array(text.utf8), file: "f")
            }
        }
        let kind = error("- kind: lmap")
        #expect(kind?.description == "f:1:9: [0].kind: no kind; none; use lamp")
        #expect(kind?.finding == "f:1:9: [0].kind: no kind; none" && kind?.remedy == "use lamp")
        // The position of a missing key is that of its siblings.
        #expect(error("- {}")?.finding == "f:1:3: [0].kind: no kind; none")
        #expect(
            error("- time: 5")?.description
                == "f:1:9: [0].time: not a valid duration; use a number with its unit, such as 150ms or 2s")
    }

    @Test("names the position of invalid UTF-8")
    func notUTF8() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try StrictYAML.decode(House.self, from: Array("name: a\nx: ".utf8) + [0xFF], file: "f")
        }
        #expect(error.description == "f:2:4: the file isn't UTF-8; save it as UTF-8")
    }

    @Test("rejects a file of more than 1 MiB")
    func tooLarge() throws {
        let text = "name: a\n#" + String(repeating: "x", count: StrictYAML.maximumLength)
        let error = try #require(throws: ConfigurationError.self) { try decode(text) }
        #expect(error.description == "f:1:1: the file is larger than 1 MiB; shorten it")
    }

    @Test("rejects aliases that would expand to too many nodes, without expanding them")
    func aliasBomb() throws {
        var text = "a0: &a0 [x, x]\n"
        for level in 1...60 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        text += "? *a60\n: b\n"
        let error = try #require(throws: ConfigurationError.self) { try decode(text) }
        #expect(error.description == "f:2:1: the aliases (*) expand to too many nodes; replace them with the values")
    }

    @Test(
        "rejects endless nesting",
        arguments: ["[", "{a: ", "- ", "? ", "[{", "- - ? "])
    func deep(opening: String) throws {
        let text = "name: a\nrooms:\n  " + String(repeating: opening, count: 1_000_000 / opening.utf8.count)
        #expect(throws: ConfigurationError.self) { try decode(text) }
        let shallower = "name: a\nrooms:\n  " + String(repeating: opening, count: 990)
        #expect(throws: ConfigurationError.self) { try decode(shallower) }
    }

    @Test("reports a missing or unreadable file with its exit code")
    func files() {
        #expect(throws: ConfigurationFileError.missing(file: "/nowhere/f")) {
            try StrictYAML.decode(House.self, fromFile: "/nowhere/f")
        }
        #expect(throws: ConfigurationFileError.unreadable(file: "/", reason: "Is a directory")) {
            try StrictYAML.decode(House.self, fromFile: "/")
        }
        #expect(ConfigurationFileError.missing(file: "f").exitCode.rawValue == 66)
        #expect(ConfigurationFileError.unreadable(file: "f", reason: "").exitCode.rawValue == 74)
        #expect(ConfigurationFileError.noPermission(file: "f").exitCode.rawValue == 77)
    }
}
