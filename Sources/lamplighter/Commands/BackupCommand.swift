import ArgumentParser
import BridgeControl
import TerminalKit

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Save the bridge's state to a file.",
        discussion: """
            The backup contains the identity, the pairings and the accessory ids of the devices, but not the \
            configuration file. Store the backup where no other user can read it, because it contains secret keys.
            """)

    @Argument(help: "The file to write. An existing file is replaced.")
    var file: String

    @OptionGroup var place: StateDirectoryOption
    @OptionGroup var options: BridgeOptions

    func run() async throws {
        guard place.stateDirectory == nil else { return try backUpOffline() }
        do {
            let bytes = try await options.ask { try await $0.backup() }
            try OutputFile.write(bytes, to: file)
        } catch let error as BridgeControlError where error.isDaemonAway {
            try backUpOffline()
        }
    }

    private func backUpOffline() throws {
        let directory = try place.directory(options)
        try OutputFile.make(file) { output in
            try InstalledProgram(of: .bridge).run(["--backup", "--state-directory", directory], standardOutput: output)
        }
    }
}

/// The state directory, for commands that also work while the daemon isn't running.
struct StateDirectoryOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The state directory of a bridge that isn't running.", valueName: "dir"))
    var stateDirectory: String?

    /// Returns the directory from the option, or else the state directory of the daemon with the control socket.
    ///
    /// - Throws: ``BridgeControlError`` if neither is known.
    func directory(_ options: BridgeOptions) throws(BridgeControlError) -> String {
        guard let directory = stateDirectory ?? DaemonPlaces(socket: options.socket)?.stateDirectory else {
            throw .usage(
                "no daemon listens at \(options.socket)",
                remedy: "start lamplighterd, or specify its state directory with --state-directory")
        }
        return directory
    }
}
