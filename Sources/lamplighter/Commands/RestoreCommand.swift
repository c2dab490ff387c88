import ArgumentParser
import BoundedJSON
import BridgeControl
import Glibc
import TerminalKit

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring back what a backup holds.",
        discussion: """
            The bridge becomes the one that was saved, with its pairings; a running daemon starts anew by itself. What it \
            knew before is kept in the state directory, in bridge.sqlite.replaced. Two hosts must never run the same bridge.
            """)

    @Argument(help: "A file that lamplighter backup has written, or the daily copy bridge.sqlite.backup.")
    var file: String

    @OptionGroup var place: StateDirectoryOption
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let input = try InputFile(file)
        do {
            let bytes = try input.read()
            let former = try await options.ask { try await $0.status() }
            let listing = try await options.ask { try await $0.restore(bytes) }
            _ = try await options.untilBack(after: former)
            Terminal.current.write(options.json ? listing.json.text + "\n" : listing.sentence.sanitized + "\n")
        } catch let error as BridgeControlError where error.isDaemonAway {
            try input.rewind()
            let words = try ["--restore"] + (options.json ? ["--json"] : []) + place.arguments(options)
            try DaemonProgram.run(words, standardInput: input.descriptor)
        }
    }
}
