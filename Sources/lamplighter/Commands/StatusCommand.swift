import ArgumentParser
import BoundedJSON
import BridgeControl
import SystemKit
import TerminalKit

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Show the status of the bridge.")

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let status = try await options.ask { try await $0.status() }
        Terminal.current.write(options.json ? status.json.text + "\n" : Self.text(of: status))
    }

    static func text(of status: BridgeStatus) -> String {
        var lines = [
            ("name", status.name),
            ("device id", status.deviceID),
            ("up since", LocalTime.text(of: status.since)),
            ("port", "\(status.port)"),
            ("configuration", "\(status.configurationNumber)"),
            ("paired", pairing(status.paired, status.controllers)),
            ("advertised", "\(status.advertisement.state.rawValue), as \"\(status.advertisement.name)\""),
            ("devices", "\(status.deviceCounts); \(status.lights.reachable) reachable"),
        ]
        if let hidden = status.hiddenKinds, !hidden.isEmpty {
            let counts = hidden.map(\.words).joined(separator: ", ")
            lines.append(("not shown", status.includeLine.map { "\(counts); to show them: \($0)" } ?? counts))
        }
        // The first bridge is already shown above.
        let further = (status.bridges ?? []).dropFirst()
        if !further.isEmpty, let first = status.bridges?.first {
            lines.append(("bridge 1", "\(first.name), \(first.lights.of("device"))"))
        }
        for bridge in further {
            lines += [
                ("bridge \(bridge.number)", "\(bridge.name), \(bridge.lights.of("device"))"),
                ("  device id", bridge.deviceID),
                ("  port", "\(bridge.port)"),
                ("  paired", pairing(bridge.paired, bridge.controllers)),
                ("  advertised", "\(bridge.advertisement.state.rawValue), as \"\(bridge.advertisement.name)\""),
            ]
        }
        lines += status.drivers.map { ("driver", Self.driver($0)) }
        lines += status.warningLines.map { ("warning", $0.text) }
        return lines.map { name, value in
            name + String(repeating: " ", count: 15 - name.count) + value.sanitized + "\n"
        }.joined()
    }

    private static func driver(_ driver: BridgeStatus.Driver) -> String {
        let name = driver.id == driver.driver ? driver.id : "\(driver.id) (\(driver.driver))"
        let dropped = driver.dropped.map { $0 > 0 ? ", \(Int(clamping: $0).of("message")) dropped" : "" } ?? ""
        return "\(name): \(driver.state)\(dropped)"
    }

    private static func pairing(_ isPaired: Bool, _ controllers: Int) -> String {
        guard isPaired else { return "no; \(ShellCommand.lamplighter) setup shows the code" }
        return "yes, \(controllers.of("controller")) connected"
    }
}
