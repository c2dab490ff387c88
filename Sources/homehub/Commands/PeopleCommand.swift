import ArgumentParser
import BoundedJSON
import HomeClient
import HomeModel
import HomePresentation

struct PeopleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "List, add, rename and remove people, and set their presence.",
        discussion: "Programs report presence to automations, such as a script on the router or a shortcut on a phone.",
        subcommands: [
            PeopleListCommand.self, PeopleAddCommand.self, PeopleRenameCommand.self, PeopleRemoveCommand.self,
            PeopleSetCommand.self,
        ],
        defaultSubcommand: PeopleListCommand.self)
}

struct PeopleListCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people and their presence.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        session.print(
            AutomationListings.people(of: home), json: .array(home.people.sortedForDisplay.map(\.json)))
    }
}

struct PeopleAddCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a person, who is away until a program reports otherwise.")

    @Argument(help: "The name of the person: letters, digits, spaces and apostrophes.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        session.print(json: try await session.manager.addPerson(named: name, to: session.home.id).json)
    }
}

struct PeopleRenameCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Rename a person.")

    @Argument(help: "The person, by name or ID.", completion: .names(.people))
    var object: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let person = try await session.home.person(addressed: object)
        session.print(json: try await session.manager.renamePerson(person.id, to: name).json)
    }
}

struct PeopleRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a person.")

    @Argument(help: "The person, by name or ID.", completion: .names(.people))
    var object: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let person = try await session.home.person(addressed: object, isWhole: true)
        try await session.manager.removePerson(person.id)
        session.print(json: person.json)
    }
}

struct PeopleSetCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set whether a person is home or away.")

    enum Presence: String, CaseIterable, ExpressibleByArgument { case home, away }

    @Argument(help: "The person, by name or ID.", completion: .names(.people))
    var object: String

    @Argument(help: "The presence: home or away.")
    var presence: Presence

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let person = try await session.home.person(addressed: object)
        session.print(json: try await session.manager.setPresence(of: person.id, isHome: presence == .home).json)
    }
}
