import ArgumentParser
import HubControl
import OperatorControl
import TerminalKit

struct HomeRestoreCommand: AsyncParsableCommand {
    /// The consequences of two hubs with the same keys.
    static let clones = """
        Never run the same homes on two hosts: both hubs would have the same keys, so automations would run twice, and \
        changes of one hub wouldn't reach the other.
        """

    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a backup while the hub is stopped.",
        discussion: """
            Replaces all homes with the saved ones, including the keys of the accessories, which stay paired. The former \
            state is kept in the state directory, in home.sqlite.replaced and history.sqlite.replaced. A daily copy \
            contains no history, so the current one is kept. \(clones)
            """)

    @Argument(
        help: "A file from homehub backup, or the daily copy home.sqlite.backup.", completion: .file())
    var file: String

    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var place: HubStateOption
    @OptionGroup var options: HomeOptions

    func run() async throws {
        let input = try InputFile(file)
        try input.checkHasNoJournal()
        if place.stateDirectory == nil { try await checkIsStopped() }
        let directory = try place.directory(options)
        try await options.confirm("The backup replaces the homes in \(directory). \(Self.clones)", yes: yes)
        try InstalledProgram(of: .hub).run(
            ["--restore", "--state-directory", directory] + (options.json ? ["--json"] : []),
            standardInput: input.descriptor)
        guard !options.json else { return }
        let start = options.places.map { ": \($0.startCommand)" } ?? ""
        Terminal.current.write(
            """
            Apps' permissions refer to users by number. On another host, check them with homehub privacy.
            If the former hub still runs on another host, stop it now.
            homehubd isn't running; start it\(start).

            """)
    }

    /// Checks that no hub answers.
    ///
    /// - Throws: `OperatorError` with code 69 if one does.
    private func checkIsStopped() async throws {
        do {
            _ = try await options.operate { try await $0.status() }
        } catch let error as OperatorError where error.isDaemonAway {
            return
        }
        throw OperatorError.unavailable(
            "the hub is running; nothing was changed",
            remedy: "stop it first: \(options.places?.stopCommand ?? "stop homehubd")")
    }
}
