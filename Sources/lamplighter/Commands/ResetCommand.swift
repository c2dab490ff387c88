import ArgumentParser
import BoundedJSON
import BridgeControl
import TerminalKit

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Give the bridge a new identity and a new setup code.",
        discussion: """
            Every controller loses the bridge, and with it its rooms and scenes; it has to be added again. To free a \
            bridge that a controller has forgotten, lamplighter pairings remove --all is enough. The former identity is \
            kept in the state directory, in bridge.sqlite.replaced.
            """)

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let former = try await options.ask { try await $0.status() }
        try await options.confirm("Every controller loses the bridge \(former.name).", yes: yes)
        try await options.change(check: "lamplighter status") { try await $0.reset() }
        let status = try await options.untilBack(after: former, "the bridge was reset")
        guard status.deviceID != former.deviceID else {
            throw BridgeControlError(
                code: 70, message: "nothing was reset: the bridge is still \(former.deviceID)", remedy: "see its log")
        }
        let terminal = Terminal.current
        guard !options.json else {
            terminal.write(status.json.text + "\n")
            return
        }
        terminal.write(
            "The bridge is \(status.deviceID) now, and not paired. lamplighter setup shows its setup code.\n")
    }
}
