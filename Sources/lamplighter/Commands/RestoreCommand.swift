import ArgumentParser
import BoundedJSON
import BridgeControl
import Glibc
import SystemKit
import TerminalKit

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a backup.",
        discussion: """
            Replaces the bridge with the saved one, including its pairings. A running daemon restarts automatically. The \
            former state is kept in the state directory, in bridge.sqlite.replaced. Never run the same bridge on two hosts.
            """)

    @Argument(help: "A file from lamplighter backup, or the daily copy bridge.sqlite.backup.")
    var file: String

    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var place: StateDirectoryOption
    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let input = try InputFile(file)
        try input.checkHasNoJournal()
        guard place.stateDirectory == nil else { return try await restoreOffline(input) }
        do {
            let bytes = try input.read()
            let former = try await options.ask { try await $0.status() }
            try await options.confirm(
                "The backup replaces the bridge \(former.name), its pairings and its lights.", yes: yes)
            let listing = try await options.change(check: "\(ShellCommand.lamplighter) status") {
                try await $0.restore(bytes)
            }
            _ = try await options.untilBack(after: former, "the backup was restored")
            Terminal.current.write(options.json ? listing.json.text + "\n" : listing.sentence.sanitized + "\n")
        } catch let error as BridgeControlError where error.isDaemonAway {
            try input.rewind()
            try await restoreOffline(input)
        }
    }

    private func restoreOffline(_ input: borrowing InputFile) async throws {
        let directory = try place.directory(options)
        try await options.confirm("The backup replaces the bridge in \(directory).", yes: yes)
        try InstalledProgram(of: .bridge).run(
            ["--restore", "--state-directory", directory] + (options.json ? ["--json"] : []),
            standardInput: input.descriptor)
        guard !options.json else { return }
        let start = DaemonPlaces(socket: options.socket)?.startCommand
        Terminal.current.write("lamplighterd isn't running; start it\(start.map { ": \($0)" } ?? "").\n")
    }
}
