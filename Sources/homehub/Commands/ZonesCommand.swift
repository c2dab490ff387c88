import ArgumentParser
import BoundedJSON
import HomeClient

struct ZonesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zones", abstract: "List, add, rename and remove zones, and say which rooms they have.",
        discussion: "Rooms that one speaks of together, such as upstairs, are a zone; a room may be in several.",
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
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a zone, without rooms as yet.")

    @Argument(help: "Its name: letters, digits, spaces and apostrophes.")
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

    @Argument(help: "The zone, by name or id.", completion: .names(.zones))
    var object: String

    @Argument(help: "Its new name.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let zone = try await session.home.zone(addressed: object)
        session.print(json: try await session.manager.renameZone(zone.id, to: name).json)
    }
}

struct ZonesRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a zone; its rooms stay.")

    @Argument(help: "The zone, by name or id.", completion: .names(.zones))
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
    static let configuration = CommandConfiguration(commandName: "add-room", abstract: "Make a room part of a zone.")

    @Argument(help: "The zone, by name or id.", completion: .names(.zones))
    var zone: String

    @Argument(help: "The room, by name or id.", completion: .names(.rooms))
    var room: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let (zone, room) = (try home.zone(addressed: zone), try home.room(addressed: room))
        session.print(json: try await session.manager.addRoom(room.id, toZone: zone.id).json)
    }
}

struct ZonesRemoveRoomCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "remove-room", abstract: "Take a room out of a zone.")

    @Argument(help: "The zone, by name or id.", completion: .names(.zones))
    var zone: String

    @Argument(help: "The room, by name or id.", completion: .names(.rooms))
    var room: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let (zone, room) = (try home.zone(addressed: zone), try home.room(addressed: room))
        session.print(json: try await session.manager.removeRoom(room.id, fromZone: zone.id).json)
    }
}
