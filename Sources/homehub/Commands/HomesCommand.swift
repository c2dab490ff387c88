import ArgumentParser
import BoundedJSON
import HomeClient
import HomePresentation
import TerminalKit

struct HomesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homes", abstract: "List, add, rename and remove homes, and set their location.",
        subcommands: [
            HomesListCommand.self, HomesAddCommand.self, HomesRenameCommand.self, HomesRemoveCommand.self,
            HomesPrimaryCommand.self, HomesLocationCommand.self,
        ],
        defaultSubcommand: HomesListCommand.self)
}

struct HomesListCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the homes.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let homes = await session.manager.homes
        session.print(HomeListings.homes(homes), json: .array(homes.sortedForDisplay.map(\.listing)))
    }
}

struct HomesAddCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a home. The first home becomes the primary one.")

    @Argument(help: "The name of the home: letters, digits, spaces and apostrophes.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.manager.addHome(named: name)
        session.print(json: home.listing)
    }
}

struct HomesRenameCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Rename a home.")

    @Argument(help: "The home, by name or ID.", completion: .names(.homes))
    var object: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.manager.homes.home(object)
        session.print(json: try await session.manager.renameHome(home.id, to: name).listing)
    }
}

struct HomesRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a home and everything in it.",
        discussion: "The accessories are unpaired and can then be added again.")

    @Argument(help: "The home, by name or ID.", completion: .names(.homes))
    var object: String

    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.manager.homes.home(object, isWhole: true)
        try await session.confirm(
            "This removes \(home.name) with \(home.rooms.count.of("room")), "
                + "\(home.accessories.count.of("accessory")), and all scenes and settings.", yes: yes)
        let removal = try await session.saying("unpairing the accessories") {
            try await session.manager.removeHome(home.id)
        }
        RemovalReport(removal: removal, home: home).show(in: session)
    }
}

struct HomesPrimaryCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "primary", abstract: "Show the primary home, or choose another.")

    @Argument(help: "The home, by name or ID.", completion: .names(.homes))
    var object: String?

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        guard let object else {
            let home = try await session.manager.homes.home(nil)
            return session.print("\(home.name)\n", json: home.listing)
        }
        let home = try await session.manager.homes.home(object)
        session.print(json: try await session.manager.setPrimaryHome(home.id).listing)
    }
}

/// The result of a removal, with the steps that remain to be done manually.
struct RemovalReport {
    let removal: AccessoryRemoval
    /// The home before the removal.
    let home: Home

    /// A sentence for each device that didn't respond.
    var text: String {
        removal.stale.compactMap { home.accessory($0) }.sortedForDisplay.map {
            ("\($0.name) didn't respond. The hub unpairs it when it responds again. To add it before then, reset it "
                + "first.").sanitized + "\n"
        }.joined()
    }

    var listing: JSONValue {
        [
            "removed": .array(removal.removed.map { .string("\($0)") }),
            "stale": .array(removal.stale.map { .string("\($0)") }),
        ]
    }

    func show(in session: HomeSession) { session.print(text, json: listing) }
}
