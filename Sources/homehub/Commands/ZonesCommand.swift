import ArgumentParser
import BoundedJSON
import HomeClient
import HomePresentation

struct ZonesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zones", abstract: "List, add, rename and remove zones, and choose their rooms.",
        discussion: "A zone is a group of rooms, such as Upstairs. A room can be in several zones.",
        subcommands: [
            ZonesListCommand.self, ZonesAddCommand.self, ZonesRenameCommand.self, ZonesRemoveCommand.self,
            ZonesAddRoomCommand.self, ZonesRemoveRoomCommand.self,
        ],
        defaultSubcommand: ZonesListCommand.self)
}

struct ZonesListCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the zones.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        session.print(HomeListings.zones(of: home), json: home.zones.sortedForDisplay.json)
    }
}

struct ZonesAddCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Add an empty zone.")

    @Argument(help: "The name of the zone: letters, digits, spaces and apostrophes.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let zone: Zone
        do throws(HomeError) {
            zone = try await session.manager.addZone(named: name, to: home.id)
        } catch {
            throw home.offeringRename(error, of: name)
        }
        session.print(json: zone.json)
    }
}

struct ZonesRenameCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Rename a zone.")

    @Argument(help: "The zone, by name or ID.", completion: .names(.zones))
    var object: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let zone = try await session.home.zone(addressed: object)
        session.print(json: try await session.manager.renameZone(zone.id, to: name).json)
    }
}

struct ZonesRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a zone, but not its rooms.")

    @Argument(help: "The zone, by name or ID.", completion: .names(.zones))
    var object: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let zone = try home.zone(addressed: object, isWhole: true)
        try await session.manager.removeZone(zone.id, from: home.id)
        session.print(json: zone.json)
    }
}

struct ZonesAddRoomCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "add-room", abstract: "Add a room to a zone.")

    @Argument(help: "The zone, by name or ID.", completion: .names(.zones))
    var zone: String

    @Argument(help: "The room, by name or ID.", completion: .names(.rooms))
    var room: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let (zone, room) = (try home.zone(addressed: zone), try home.room(addressed: room))
        session.print(json: try await session.manager.addRoom(room.id, toZone: zone.id).json)
    }
}

struct ZonesRemoveRoomCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "remove-room", abstract: "Remove a room from a zone.")

    @Argument(help: "The zone, by name or ID.", completion: .names(.zones))
    var zone: String

    @Argument(help: "The room, by name or ID.", completion: .names(.rooms))
    var room: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let (zone, room) = (try home.zone(addressed: zone), try home.room(addressed: room))
        session.print(json: try await session.manager.removeRoom(room.id, fromZone: zone.id).json)
    }
}
