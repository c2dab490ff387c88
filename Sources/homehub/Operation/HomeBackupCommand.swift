import ArgumentParser
import HubControl
import OperatorControl
import TerminalKit

struct HomeBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Save all homes to a file.",
        discussion: """
            The backup contains the homes, the keys of the accessories, the permissions of apps, the automations and the \
            history, but neither the configuration file nor the people and settings of the web page. Store the backup \
            where no other user can read it, because it contains secret keys.
            """)

    @Argument(help: "The file to write. An existing file is replaced.", completion: .file())
    var file: String

    @OptionGroup var place: HubStateOption
    @OptionGroup var options: HomeOptions

    func run() async throws {
        guard place.stateDirectory == nil else { return try backUpOffline() }
        do {
            let listing = try await OutputFile.make(
                file,
                asynchronously: { output in
                    try await options.operate(receivingInto: output) { try await $0.backup() }
                })
            if !listing.hasHistory {
                Terminal.current.writeError(
                    "homehub: the backup contains no history, because the hub can't read it\n")
            }
        } catch let error as OperatorError where error.isDaemonAway {
            try backUpOffline()
        }
    }

    private func backUpOffline() throws {
        let directory = try place.directory(options)
        try OutputFile.make(file) { output in
            try InstalledProgram(of: .hub).run(["--backup", "--state-directory", directory], standardOutput: output)
        }
    }
}
