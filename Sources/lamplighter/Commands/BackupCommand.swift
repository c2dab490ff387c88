import ArgumentParser
import BridgeControl

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Save everything the bridge has learnt in a file.",
        discussion: """
            Identity, pairings, and the numbers by which controllers know the lights; the configuration file is not part \
            of it. The file holds the keys of the home: keep it where nobody else reads it.
            """)

    @Argument(help: "The file to write; one that is there is replaced.")
    var file: String

    @OptionGroup var place: StateDirectoryOption
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        do {
            let bytes = try await options.ask { try await $0.backup() }
            try OutputFile.write(bytes, to: file)
        } catch let error as BridgeControlError where error.isDaemonAway {
            try OutputFile.make(file) { output throws(BridgeControlError) in
                try DaemonProgram.run(["--backup"] + place.arguments(options), standardOutput: output)
            }
        }
    }
}

/// Where the bridge's memory is, for commands that also work while the daemon does not run.
struct StateDirectoryOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The state directory of a bridge that is not running.", valueName: "dir"))
    var stateDirectory: String?

    func arguments(_ options: GlobalOptions) -> [String] {
        ["--state-directory", stateDirectory ?? options.stateDirectory]
    }
}
