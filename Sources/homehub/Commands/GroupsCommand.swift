import ArgumentParser
import BoundedJSON
import HomeClient
import HomePresentation

struct GroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "Manage groups of accessories that you control together.",
        discussion: """
            A group contains accessories, or parts of them, from any room, such as all reading lamps. An accessory can \
            be in several groups.
            """,
        subcommands: [
            GroupsListCommand.self, GroupsAddCommand.self, GroupsRenameCommand.self, GroupsRemoveCommand.self,
            GroupsPutCommand.self, GroupsTakeCommand.self,
        ],
        defaultSubcommand: GroupsListCommand.self)
}

struct GroupsListCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the groups.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        session.print(
            HomeListings.groups(of: home), json: .array(home.serviceGroups.sortedForDisplay.map(\.json)))
    }
}

struct GroupsAddCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Add an empty group.")

    @Argument(help: "The name of the group: letters, digits, spaces and apostrophes.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let group = try await session.manager.addServiceGroup(named: name, to: session.home.id)
        session.print(json: group.json)
    }
}

struct GroupsRenameCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Rename a group.")

    @Argument(help: "The group, by name or ID.", completion: .names(.groups))
    var object: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let group = try await session.home.group(addressed: object)
        session.print(json: try await session.manager.renameServiceGroup(group.id, to: name).json)
    }
}

struct GroupsRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a group, but not the accessories in it.")

    @Argument(help: "The group, by name or ID.", completion: .names(.groups))
    var object: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let group = try await session.home.group(addressed: object, isWhole: true)
        try await session.manager.removeServiceGroup(group.id)
        session.print(json: ["id": .string("\(group.id)")])
    }
}

struct GroupsPutCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Add an accessory, or a part of one, to a group.")

    @Argument(help: "The group, by name or ID.", completion: .names(.groups))
    var group: String

    @Argument(help: "An accessory or ACCESSORY/PART, by name or ID.")
    var target: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let (group, part) = (try home.group(addressed: group), try home.part(addressed: target))
        session.print(json: try await session.manager.addService(part.id, toServiceGroup: group.id).json)
    }
}

struct GroupsTakeCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "take", abstract: "Remove an accessory, or a part of one, from a group.")

    @Argument(help: "The group, by name or ID.", completion: .names(.groups))
    var group: String

    @Argument(help: "An accessory or ACCESSORY/PART, by name or ID.")
    var target: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let (group, part) = (try home.group(addressed: group), try home.part(addressed: target))
        session.print(json: try await session.manager.removeService(part.id, fromServiceGroup: group.id).json)
    }
}
