import TestTimeouts
import Testing
import YAMLKit

@Suite("HiddenSecrets", .timeout)
struct HiddenSecretsTests {
    @Test(
        "hides values that may be secret wherever they are",
        arguments: [
            ("setup-code: 415-27-893 # desk", "setup-code: (hidden) # desk"),
            ("{a: 1, password: x1, b: 2}", "{a: 1, password: (hidden), b: 2}"),
            ("a:\n  - {\"apiToken\" : \"x1\"}\n", "a:\n  - {\"apiToken\" : (hidden)}\n"),
            ("config: {api-key: x1}", "config: {api-key: (hidden)}"),
            // The value is on the line after its key, or on several lines.
            ("password:\n  hunter2\nname: Desk\n", "password:\n  (hidden)\nname: Desk\n"),
            ("{password:\n  \"hun\n  ter2\", b: 2}", "{password:\n  (hidden)\n(hidden), b: 2}"),
            ("tokens:\n  - a1\n  - b1\nname: Desk\n", "tokens:\n  - (hidden)\n  - (hidden)\nname: Desk\n"),
            ("keys: {door: 1234}\n", "keys: {door: (hidden)}\n"),
            // The same value elsewhere, through an alias or in a comment.
            ("a: &x hunter2\npassword: *x\n", "a: (hidden)\npassword: (hidden)\n"),
            ("password: new1 # was hunter2, new1 since May\n", "password: (hidden) # (hidden)\n"),
            ("# password: hunter2\na: 1\n", "# (hidden)\na: 1\n"),
            ("a: [password=hunter2, b]\n", "a: [(hidden), b]\n"),
            ("url: mqtt://ada:hunter2@10.0.0.5\n", "url: (hidden)\n"),
            // The settings of a program.
            (
                "a:\n  - driver: plugin\n    id: desk\n    command: [/x, hunter2]\n  - driver: hue\n",
                "a:\n  - driver: plugin\n    id: desk\n    command: [(hidden), (hidden)]\n  - driver: hue\n"
            ),
            (
                "a:\n  - driver: plugin\n    config: {n: 1, token: x1}\nb: [1, x1]\n",
                "a:\n  - driver: plugin\n    config: {n: (hidden), token: (hidden)}\nb: [1, (hidden)]\n"
            ),
            // These aren't secret.
            ("password-file: /etc/x", "password-file: /etc/x"), ("tokens:", "tokens:"), ("name: Desk", "name: Desk"),
            ("lights: {mqtt/door-key: {name: Door}}", "lights: {mqtt/door-key: {name: Door}}"),
            ("\u{FEFF}password: x1\r\nname: Desk\r\n", "\u{FEFF}password: (hidden)\r\nname: Desk\r\n"),
        ])
    func secrets(text: String, shown: String) throws {
        #expect(try StrictYAML.withoutSecrets(text, file: "f", opaque: ("driver", "plugin")) == shown)
    }

    @Test("hides a value of several lines, and keeps the number of lines")
    func block() throws {
        let text = "password: |\n  hun\n  ter2\n\nname: Desk\n"
        let shown = try StrictYAML.withoutSecrets(text, file: "f")
        #expect(!shown.contains("hun") && !shown.contains("ter2") && shown.hasSuffix("name: Desk\n"))
        #expect(shown.count { $0 == "\n" } == text.count { $0 == "\n" })
    }
}
