import ArgumentParser
import BoundedJSON
import HomeClient
import HomePresentation

struct RoomsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rooms", abstract: "List, add, rename and remove rooms.",
        subcommands: [
            RoomsListCommand.self, RoomsAddCommand.self, RoomsRenameCommand.self, RoomsRemoveCommand.self,
        ],
        defaultSubcommand: RoomsListCommand.self)
}

struct RoomsListCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the rooms.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.glance(isAsked: false)
        let rooms = (home.rooms + [home.defaultRoom]).sortedForDisplay
        session.print(HomeListings.rooms(of: home), json: .array(rooms.map { home.listing(of: $0) }))
    }
}

struct RoomsAddCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a room.")

    @Argument(help: "The name of the room: letters, digits, spaces and apostrophes.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let room: Room
        do throws(HomeError) {
            room = try await session.manager.addRoom(named: name, to: home.id)
        } catch {
            throw home.offeringRename(error, of: name)
        }
        session.print(json: room.json)
    }
}

struct RoomsRenameCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Rename a room.")

    @Argument(help: "The room, by name or ID.", completion: .names(.rooms))
    var object: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let room = try await session.home.room(addressed: object)
        session.print(json: try await session.manager.renameRoom(room.id, to: name).json)
    }
}

struct RoomsRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a room. Its accessories move to the default room.")

    @Argument(help: "The room, by name or ID.", completion: .names(.rooms))
    var object: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let room = try home.room(addressed: object, isWhole: true)
        let moved = try await session.manager.removeRoom(room.id, from: home.id)
        session.print(
            moved.sortedForDisplay.map { "\($0.name) is in no room now.\n" }.joined(),
            json: ["id": .string("\(room.id)"), "moved": .array(moved.map { .string("\($0.id)") })])
    }
}
