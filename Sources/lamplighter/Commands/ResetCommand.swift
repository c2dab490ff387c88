import ArgumentParser
import BoundedJSON
import BridgeControl
import SystemKit
import TerminalKit

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Give the bridge a new identity and a new setup code.",
        discussion: """
            All controllers lose the bridge with its rooms and scenes, and must add it again. If a controller has \
            forgotten the bridge, lamplighter pairings remove --all is enough. The former identity is kept in the state \
            directory, in bridge.sqlite.replaced.
            """)

    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let former = try await options.ask { try await $0.status() }
        try await options.confirm("All controllers lose the bridge \(former.name).", yes: yes)
        try await options.change(check: "\(ShellCommand.lamplighter) status") { try await $0.reset() }
        let status = try await options.untilBack(after: former, "the bridge was reset")
        guard status.deviceID != former.deviceID else {
            throw BridgeControlError(
                code: 70, message: "the bridge wasn't reset: it is still \(former.deviceID)",
                remedy: "check the log of lamplighterd")
        }
        let terminal = Terminal.current
        guard !options.json else {
            terminal.write(status.json.text + "\n")
            return
        }
        terminal.write(
            "The bridge is now \(status.deviceID) and isn't paired. \(ShellCommand.lamplighter) setup shows its setup code.\n"
        )
    }
}
