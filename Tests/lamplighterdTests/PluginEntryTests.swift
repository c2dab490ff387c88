import BoundedJSON
import DeviceKit
import LightDrivers
import LightPlugins
import TestTimeouts
import Testing
import YAMLKit

@testable import lamplighterd

@Suite("A plugin entry", .timeout)
struct PluginEntryTests {
    private func plugin(_ text: String, state: String = "/var/lib/lamplighter") throws -> PluginDriverConfiguration? {
        let configuration = try StrictYAML.decode(
            BridgeConfiguration.self, from: Array("drivers:\n  - driver: plugin\n\(text)".utf8), file: "f",
            userInfo: [.lightDrivers: DriverCatalog.drivers, .stateDirectory: state])
        return configuration.drivers.first?.configuration as? PluginDriverConfiguration
    }

    @Test("passes `config` to the plugin unchanged")
    func config() throws {
        let text = """
                id: leds
                command: [/usr/bin/leds, --fast]
                environment: {LANG: C.UTF-8}
                working-directory: /srv
                config:
                  only: ["*:status", a]
                  nested: {flag: true, count: 3, share: 0.5, text: "3", nothing: , word: yes, code: 007, "odd key": []}
            """
        let config: JSONValue = [
            "nested": [
                "code": "007", "count": 3, "flag": true, "nothing": .null, "odd key": [], "share": 0.5, "text": "3",
                "word": "yes",
            ],
            "only": ["*:status", "a"],
        ]
        #expect(
            try plugin(text)
                == PluginDriverConfiguration(
                    id: "leds", command: ["/usr/bin/leds", "--fast"], config: config, environment: ["LANG": "C.UTF-8"],
                    workingDirectory: "/srv", stateDirectory: "/var/lib/lamplighter/plugins/leds"))
        #expect(
            try plugin("    command: [/a]", state: "") == PluginDriverConfiguration(id: "plugin", command: ["/a"]))
    }

    @Test(
        "reports each mistake on one line",
        arguments: [
            (
                "    command: [a]",
                "f:3:14: drivers[0].command: no program to run; use a list such as [/PATH/OF/PROGRAM, ARGUMENT, ...]"
            ),
            (
                "    command: []",
                "f:3:14: drivers[0].command: no program to run; use a list such as [/PATH/OF/PROGRAM, ARGUMENT, ...]"
            ),
            ("    comand: [/a]", "f:3:5: drivers[0].comand: unknown key; use command"),
            (
                "    command: [/a]\n    config: [1]",
                "f:4:13: drivers[0].config: not a valid configuration; use keys with values"
            ),
            (
                "    command: [/a]\n    environment: {A=B: x}",
                "f:4:18: drivers[0].environment: not a valid environment variable; use NAME: VALUE"
            ),
            (
                "    command: [/a]\n    working-directory: here",
                "f:4:24: drivers[0].working-directory: not an absolute path; use a path that starts with /"
            ),
        ])
    func mistakes(text: String, message: String) {
        do {
            _ = try plugin(text)
            Issue.record("the entry is accepted")
        } catch {
            #expect("\(error)" == message)
        }
    }
}
