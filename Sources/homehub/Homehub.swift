import ArgumentParser
import BoundedJSON
import CommandKit
import HomeClient
import TerminalKit

/// Runs `homehub`, and exits with its code.
package func runHomehub() async -> Never {
    Homehub.exit(withError: ExitCode(await Homehub.run(Array(CommandLine.arguments.dropFirst()))))
}

/// The command for homes: an ordinary app, for users at a terminal and for scripts.
struct Homehub: CommandProgram {
    static let configuration = CommandConfiguration(
        commandName: "homehub",
        abstract: "Manage your homes: rooms, accessories, scenes, automations, and the apps that have access.",
        version: "homehub \(Version.current)",
        subcommands: [
            HomesCommand.self, RoomsCommand.self, ZonesCommand.self, DiscoverCommand.self, AddCommand.self,
            AccessoryImportCommand.self, RepairCommand.self, AccessoriesCommand.self, ShowCommand.self,
            AssignCommand.self, RenameCommand.self,
            RemoveCommand.self,
            IdentifyCommand.self, UnblockCommand.self, ReadCommand.self, WriteCommand.self, WatchCommand.self,
            HistoryCommand.self, ActivityCommand.self, HomeStatusCommand.self,
            ScenesCommand.self, AutomationsCommand.self, PeopleCommand.self, GroupsCommand.self, FavoriteCommand.self,
            ServiceTypeCommand.self, NamesCommand.self,
            PrivacyCommand.self, WebCommand.self,
            HomeDoctorCommand.self, HomeBackupCommand.self, HomeRestoreCommand.self,
            VersionCommand<Homehub>.self,
        ])

    /// `false`, so that unknown words are reported: commands with a default subcommand take no arguments themselves.
    static let passesWordsToDefaults = false

    @OptionGroup var options: HomeOptions
}
