import BoundedJSON
import ConfigurationKit
import TestTimeouts
import Testing
import YAMLKit

private func edited(_ text: String, _ edits: YAMLEdit...) throws -> String {
    try StrictYAML.edited(text, edits, file: "f")
}

/// The path `drivers`.
private let drivers: [YAMLEdit.Step] = [.key("drivers")]

private let hue: JSONValue = ["driver": "hue", "hosts": ["10.0.0.5"]]

private func named(_ light: String, _ name: String) -> YAMLEdit {
    .set([.key("lights"), .key(light), .key("name")], .string(name))
}

@Suite("YAMLEdit", .timeout)
struct YAMLEditTests {
    @Test(
        "adds an element in the style of the list",
        arguments: [
            // A block, indented or not, with comments, blank lines and Windows line breaks.
            (
                "drivers:\n  - driver: lifx # lamps\n    discover: true\n",
                "drivers:\n  - driver: lifx # lamps\n    discover: true\n  - driver: hue\n    hosts: [10.0.0.5]\n"
            ),
            (
                "drivers:\n- driver: lifx\ninclude: all",
                "drivers:\n- driver: lifx\n- driver: hue\n  hosts: [10.0.0.5]\ninclude: all"
            ),
            (
                "drivers:\r\n    - driver: lifx\r\n\r\ninclude: all\r\n",
                "drivers:\r\n    - driver: lifx\r\n    - driver: hue\r\n      hosts: [10.0.0.5]\r\n\r\ninclude: all\r\n"
            ),
            (
                "drivers:\n  - driver: lifx\n\n  # strips\n  - driver: wled",
                "drivers:\n  - driver: lifx\n\n  # strips\n  - driver: wled\n\n  - driver: hue\n    hosts: [10.0.0.5]\n"
            ),
            (
                "drivers:\n  -\n    driver: lifx\n",
                "drivers:\n  -\n    driver: lifx\n  - driver: hue\n    hosts: [10.0.0.5]\n"
            ),
            // Comments after the list belong to it, unless they precede the next key.
            (
                "drivers:\n  - driver: lifx\n#   hosts: []\n\ninclude: all\n",
                "drivers:\n  - driver: lifx\n#   hosts: []\n  - driver: hue\n    hosts: [10.0.0.5]\n\ninclude: all\n"
            ),
            (
                "drivers:\n  - driver: lifx\n  # its end\n# kinds\ninclude: all\n",
                "drivers:\n  - driver: lifx\n  # its end\n  - driver: hue\n    hosts: [10.0.0.5]\n# kinds\ninclude: all\n"
            ),
            (
                "drivers:\n  - driver: plugin\n    config:\n      text: |\n        a\n\n        b\n\nx: 1\n",
                "drivers:\n  - driver: plugin\n    config:\n      text: |\n        a\n\n        b\n  - driver: hue\n    hosts: [10.0.0.5]\n\nx: 1\n"
            ),
            // An empty list, an empty value and a missing key.
            (
                "drivers: [] # none\ninclude: all\n",
                "drivers: # none\n  - driver: hue\n    hosts: [10.0.0.5]\ninclude: all\n"
            ),
            ("drivers:\n", "drivers:\n  - driver: hue\n    hosts: [10.0.0.5]\n"),
            ("drivers:", "drivers:\n  - driver: hue\n    hosts: [10.0.0.5]\n"),
            ("drivers: ~ # none\nx: 1", "drivers: # none\n  - driver: hue\n    hosts: [10.0.0.5]\nx: 1"),
            ("# nothing\n", "# nothing\ndrivers:\n  - driver: hue\n    hosts: [10.0.0.5]\n"),
            ("", "drivers:\n  - driver: hue\n    hosts: [10.0.0.5]\n"),
            (
                "bridge:\n    name: A\n# end\n",
                "bridge:\n    name: A\n# end\ndrivers:\n    - driver: hue\n      hosts: [10.0.0.5]\n"
            ),
            (
                "---\nbridge: {}\n...\n", "---\nbridge: {}\ndrivers:\n  - driver: hue\n    hosts: [10.0.0.5]\n...\n"
            ),
            // Brackets, in one line, in several lines, and in JSON.
            (
                "drivers: [{driver: lifx}] # one\n",
                "drivers: [{driver: lifx}, {driver: hue, hosts: [10.0.0.5]}] # one\n"
            ),
            (
                "drivers: [\n  {driver: lifx}, # one\n]\n",
                "drivers: [\n  {driver: lifx}, # one\n  {driver: hue, hosts: [10.0.0.5]},\n]\n"
            ),
            (
                "drivers: [\n  {driver: lifx}\n]\n",
                "drivers: [\n  {driver: lifx},\n  {driver: hue, hosts: [10.0.0.5]}\n]\n"
            ),
            (
                "drivers: [\n  {driver: lifx} # one\n]\n",
                "drivers: [\n  {driver: lifx}, # one\n  {driver: hue, hosts: [10.0.0.5]}\n]\n"
            ),
            ("{\"drivers\": []}", "{\"drivers\": [{\"driver\":\"hue\",\"hosts\":[\"10.0.0.5\"]}]}"),
            ("{}", "{drivers: [{driver: hue, hosts: [10.0.0.5]}]}"),
            (
                "\u{FEFF}drivers:\n  - driver: lifx\t# tab\n",
                "\u{FEFF}drivers:\n  - driver: lifx\t# tab\n  - driver: hue\n    hosts: [10.0.0.5]\n"
            ),
        ])
    func appended(text: String, result: String) throws {
        #expect(try edited(text, .append(drivers, hue)) == result)
    }

    @Test(
        "removes an element with its lines, and no comment of another",
        arguments: [
            (
                "drivers:\n  - driver: lifx\n    hosts: [a] # x\n  # strips\n  - driver: wled\n",
                "drivers:\n  # strips\n  - driver: wled\n"
            ),
            ("drivers:\n\n  - driver: lifx\n\n  - driver: wled\n", "drivers:\n\n  - driver: wled\n"),
            ("drivers:  # mine\n- driver: lifx\nx: 1", "drivers: []  # mine\nx: 1"),
            ("drivers: [{driver: lifx}]", "drivers: []"),
            ("drivers: [{driver: lifx}, {driver: wled}]", "drivers: [{driver: wled}]"),
        ])
    func removed(text: String, result: String) throws {
        #expect(try edited(text, .remove(drivers + [.index(0)])) == result)
    }

    @Test(
        "sets a key of a section, which may be missing",
        arguments: [
            ("x: 1\n", "x: 1\nlights:\n  a/b: {name: Desk}\n"),
            ("x: 1\n\ny: 2\n", "x: 1\n\ny: 2\n\nlights:\n  a/b: {name: Desk}\n"),
            ("lights:\nx: 1\n", "lights:\n  a/b: {name: Desk}\nx: 1\n"),
            ("lights: {}\n", "lights:\n  a/b: {name: Desk}\n"),
            (
                "lights:\n  a/b: {name: \"Old\", hidden: true} # k\n",
                "lights:\n  a/b: {name: \"Desk\", hidden: true} # k\n"
            ),
            ("lights:\n  a/b: {hidden: true}\n", "lights:\n  a/b: {hidden: true, name: Desk}\n"),
            (
                "lights:\n  a/b:\n    hidden: true\n  c/d: {}\n",
                "lights:\n  a/b:\n    hidden: true\n    name: Desk\n  c/d: {}\n"
            ),
            ("lights:\n  a/b:\n  c/d: {}\n", "lights:\n  a/b:\n    name: Desk\n  c/d: {}\n"),
            ("lights:\n    c/d: {}\n\n# end\n", "lights:\n    c/d: {}\n    a/b: {name: Desk}\n\n# end\n"),
            ("lights: {c/d: {}}\n", "lights: {c/d: {}, a/b: {name: Desk}}\n"),
            ("lights:\n  \"a/b\":\n    name: 'it''s' # k\n", "lights:\n  \"a/b\":\n    name: \"Desk\" # k\n"),
        ])
    func set(text: String, result: String) throws {
        #expect(try edited(text, named("a/b", "Desk")) == result)
    }

    @Test("replaces a list of several lines, and quotes text that YAML would otherwise read as something else")
    func replaced() throws {
        let text = "include:\n  - lights\n  - fans\nx: 1\n"
        #expect(try edited(text, .set([.key("include")], ["all"])) == "include: [all]\nx: 1\n")
        #expect(try edited("x: 1\n", named("a/b", "Küche: 1")) == "x: 1\nlights:\n  a/b: {name: \"Küche: 1\"}\n")
    }

    @Test(
        "refuses an edit that would affect other values, or a text it doesn't understand",
        arguments: [
            ("drivers: &d\n  - driver: lifx\nx: *d\n", "anchor"), ("x: &d []\ndrivers: *d\n", "anchor"),
            ("drivers: nothing\n", "list"), ("drivers: {a: 1}\n", "list"), ("? drivers\n: - driver: lifx\n- 1\n", ""),
            ("drivers:\n\t- driver: lifx\n", "tab"), ("drivers:\n - a\n - |+\n  b\n\n", ""),
        ])
    func refused(text: String, word: String) {
        do {
            let result = try edited(text, .append(drivers, hue))
            Issue.record("\(result)")
        } catch {
            #expect("\(error)".contains(word))
        }
    }

    @Test("refuses to remove an element with an anchor that is used elsewhere, but not one next to it")
    func anchors() throws {
        let text = "drivers:\n  - driver: lifx\n    hosts: &h [a]\n  - driver: wiz\n    hosts: *h\n  - driver: hue\n"
        #expect(throws: YAMLEditError.self) { try edited(text, .remove(drivers + [.index(0)])) }
        #expect(throws: YAMLEditError.self) { try edited(text, .remove(drivers + [.index(1)])) }
        #expect(try edited(text, .remove(drivers + [.index(2)])).hasSuffix("hosts: *h\n"))
        #expect(try edited(text, .append(drivers, "x")).hasSuffix("hue\n  - x\n"))
    }

    @Test("changes only the intended value, and keeps all comments, in random documents", arguments: 0..<400)
    func random(seed: UInt64) throws {
        var document = RandomDocument(SeededGenerator(state: seed))
        let text = document.text()
        var random = document.random
        var object = document.value
        let list = object["drivers"]?.array ?? []
        let edit: YAMLEdit
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where !list.isEmpty:
            let index = Int.random(in: list.indices, using: &random)
            edit = .remove(drivers + [.index(index)])
            var rest = list
            rest.remove(at: index)
            object["drivers"] = .array(rest)
        case 1:
            edit = named("a/b", "Desk")
            var lights = object["lights"]?.object ?? [:]
            var light = lights["a/b"]?.object ?? [:]
            light["name"] = "Desk"
            lights["a/b"] = .object(light)
            object["lights"] = .object(lights)
        default:
            edit = .append(drivers, hue)
            object["drivers"] = .array(list + [hue])
        }
        let result = try edited(text, edit)
        let values = try StrictYAML.decode(Loose.self, from: Array(result.utf8), file: "f").value.object ?? [:]
        func sorted(_ object: JSONObject) -> [JSONObject.Member] { object.members.sorted { $0.name < $1.name } }
        #expect(sorted(values).map(\.name) == sorted(object).map(\.name), "\(text)")
        #expect(values["drivers"] == object["drivers"], "\(text)")
        #expect(values["lights"]?["a/b"]?["name"] == object["lights"]?["a/b"]?["name"], "\(text)")
        if case .remove = edit { return }
        func comments(_ text: String) -> [String] {
            text.split(whereSeparator: \.isNewline).compactMap { line in
                line.firstIndex(of: "#").map { String(line[$0...]) }
            }
        }
        #expect(comments(result) == comments(text), "\(text)")
    }
}

/// Any value.
private struct Loose: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
}

private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A configuration in a random style.
private struct RandomDocument {
    var random: SeededGenerator
    private var lines: [String] = []
    private(set) var value: JSONObject = [:]
    private let margin: String
    private let lineBreak: String

    init(_ random: SeededGenerator) {
        self.random = random
        margin = Bool.random(using: &self.random) ? "  " : "    "
        lineBreak = Bool.random(using: &self.random) ? "\n" : "\r\n"
        addGap()
        for part in [0, 1, 2].shuffled(using: &self.random).prefix(Int.random(in: 1...3, using: &self.random)) {
            switch part {
            case 0: addDrivers()
            case 1: addLights()
            default:
                value["bridge"] = ["name": "A"]
                add("bridge:", "\(margin)name: A")
            }
            addGap()
        }
    }

    mutating func text() -> String {
        lines.joined(separator: lineBreak) + (Bool.random(using: &random) ? lineBreak : "")
    }

    /// Adds lines, some of which end in comments.
    private mutating func add(_ text: String...) {
        for line in text {
            lines.append(line + (Bool.random(using: &random) ? "" : " # c\(Int.random(in: 0..<100, using: &random))"))
        }
    }

    private mutating func addGap() {
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
            lines.append(["", "# c", "#   - {x: 1}", margin + "# c", "  "].randomElement(using: &random) ?? "")
        }
    }

    private mutating func addDrivers() {
        let list = 0..<Int.random(in: 0..<4, using: &random)
        value["drivers"] = .array(list.map { ["driver": .string("d\($0)"), "hosts": [.string("h\($0)")]] })
        if list.isEmpty || Int.random(in: 0..<3, using: &random) == 0 {
            let items = list.map { "{driver: d\($0), hosts: [h\($0)]}" }
            return add("drivers: [\(items.joined(separator: ", "))]")
        }
        let dash = Bool.random(using: &random) ? "" : margin
        add("drivers:")
        for one in list {
            addGap()
            add("\(dash)- driver: 'd\(one)'")
            if Bool.random(using: &random) {
                add("\(dash)  hosts: [\"h\(one)\"]")
            } else {
                add("\(dash)  hosts:", "\(dash)    - h\(one)")
            }
        }
    }

    private mutating func addLights() {
        value["lights"] = ["c/d": ["hidden": "x"], "a/b": ["tap": "full"]]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: add("lights: {c/d: {hidden: x}, a/b: {tap: full}}")
        case 1: add("lights:", "\(margin)c/d: {hidden: x}", "\(margin)a/b: {tap: full}")
        default:
            add("lights:", "\(margin)c/d:", "\(margin)\(margin)hidden: x", "\(margin)a/b:")
            addGap()
            add("\(margin)\(margin)tap: full")
        }
    }
}
