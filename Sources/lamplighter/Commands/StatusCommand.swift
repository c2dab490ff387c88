import ArgumentParser
import BoundedJSON
import BridgeControl
import TerminalKit

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Show how the bridge is doing.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let status = try await options.ask { try await $0.status() }
        Terminal.current.write(options.json ? status.json.text + "\n" : Self.text(of: status))
    }

    static func text(of status: BridgeStatus) -> String {
        let connected = "\(status.controllers) \(status.controllers == 1 ? "controller" : "controllers") connected"
        var lines = [
            ("name", status.name),
            ("device id", status.deviceID),
            ("up since", status.since),
            ("port", "\(status.port)"),
            ("configuration", "\(status.configurationNumber)"),
            ("paired", status.paired ? "yes, \(connected)" : "no; lamplighter setup shows the code"),
            ("advertised", "\(status.advertisement.state.rawValue), as \"\(status.advertisement.name)\""),
            ("lights", "\(status.lights.count), \(status.lights.reachable) reachable"),
        ]
        lines += status.drivers.map {
            ("driver", $0.id == $0.driver ? "\($0.id): \($0.state)" : "\($0.id) (\($0.driver)): \($0.state)")
        }
        lines += status.warnings.map { ("warning", $0) }
        return lines.map { name, value in
            name + String(repeating: " ", count: 15 - name.count) + value.sanitized + "\n"
        }.joined()
    }
}
