import ArgumentParser
import BoundedJSON
import BridgeControl
import TerminalKit

struct WatchLightsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print changes of the devices until you press Ctrl-C.")

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let isJSON = options.json
        let terminal = Terminal.current
        try await options.ask { bridge in
            if terminal.isTerminal(), !isJSON { terminal.writeError("watching; press Ctrl-C to stop\n") }
            try await bridge.watch { event in
                terminal.write(isJSON ? event.json.text + "\n" : Self.text(of: event))
            }
        }
        throw BridgeControlError.unavailable("lamplighterd stopped")
    }

    static func text(of event: LightEvent) -> String {
        "\(LocalTime.text(of: event.time))  \(event.key)  \(DeviceTable.text(of: event.changes))  (\(event.origin))"
            .sanitized + "\n"
    }
}
