public import ArgumentParser
import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
public import HomePresentation
import TerminalKit

extension ProductGrouping: ExpressibleByArgument {}

struct AccessoriesCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "accessories", abstract: "List accessories and their state, by room or otherwise.",
        discussion: """
            The list shows the last known values. Values that have never been received are read first; with --ask, all \
            values are read. When you group by zone or kind, or use a filter, each part of an accessory has its own \
            line: homehub accessories --kind lights
            """)

    @Option(help: ArgumentHelp("Group by room, zone, category or kind.", valueName: "group"))
    var by = ProductGrouping.room

    @Option(help: ArgumentHelp("Show only this kind, such as lights or locks.", valueName: "kind"))
    var kind: String?

    @Option(help: ArgumentHelp("Show only accessories from this manufacturer.", valueName: "maker"))
    var maker: String?

    @Flag(name: [.customLong("favorites"), .customLong("favourites")], help: "Show only favorites.")
    var favorites = false

    @Flag(help: "Read all values from the accessories first.")
    var ask = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.glance(isAsked: ask)
        let filter = try filter(of: home)
        session.print(
            HomeListings.accessories(of: home, by: by, filter, isPainted: Terminal.current.isPainted),
            json: .array(home.accessories(by: by, filter).map(\.listing)))
    }

    /// Returns the filter, or `nil` if no option requires one.
    private func filter(of home: Home) throws(HomeError) -> ProductFilter? {
        guard kind != nil || maker != nil || favorites else { return nil }
        var filter = ProductFilter()
        filter.isOfFavorites = favorites
        if let kind { filter.kinds = try home.kinds(addressed: kind) }
        if let maker {
            let makers = Set(home.accessories.map(\.manufacturer)).sorted()
            guard makers.contains(where: { NameKey($0) == NameKey(maker) }) else {
                throw Refusal.notFound(maker, "manufacturer", "in \(home.name)", "accessories", among: makers)
            }
            filter.makers = [maker]
        }
        return filter
    }
}

struct ShowCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an accessory's details and its values.",
        discussion: "The values are the last known ones. To read current values, use homehub read.")

    @Argument(help: "The accessory, by name or ID.", completion: .names(.accessories))
    var accessory: String

    @Flag(help: "Also show IDs, versions and hidden values.")
    var all = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let accessory = try home.accessory(addressed: accessory)
        session.print(
            AccessoryDetails(accessory: accessory, home: home, isComplete: all).text, json: accessory.fullListing)
    }
}

struct AssignCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Move accessories to a room.",
        discussion: """
            For example: homehub assign "Reading Lamp" "Ceiling Fan" Kitchen. If a name is unknown, no accessory is \
            moved. To move accessories to the default room, use the home's name.
            """)

    @Argument(
        help: ArgumentHelp("One or more accessories, then the room, by name or ID.", valueName: "accessory ... room"),
        completion: .names(.objects))
    var names: [String] = []

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard names.count > 1 else { throw ValidationError("Name at least one accessory, then the room.") }
    }

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let room = try home.room(addressed: names[names.count - 1])
        let accessories = try names.dropLast().map { name throws(HomeError) in try home.accessory(addressed: name) }
        var moved: [JSONValue] = []
        for accessory in accessories {
            moved.append(try await session.manager.assignAccessory(accessory.id, to: room.id, in: home.id).listing)
        }
        session.print(json: moved.count == 1 ? moved[0] : .array(moved))
    }
}

struct RenameCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Rename an accessory, a part of an accessory, a room, a zone, a scene, a group or a home.",
        discussion: """
            The home stores the new name; the device itself isn't renamed. ACCESSORY/PART means a part of an \
            accessory, such as the light of a fan.
            """)

    @Argument(help: "The object to rename, by name or ID.", completion: .names(.objects))
    var object: String

    @Argument(help: "The new name: letters, digits, spaces and apostrophes.")
    var name: String

    @Option(help: ArgumentHelp("The kind of object, if the name is ambiguous.", valueName: "kind"))
    var kind: ObjectKind?

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let (manager, home) = (session.manager, try await session.home)
        let object = try await manager.homes.object(object, kind: kind, in: home)
        try await manager.rename(object, to: name)
        session.print(
            json: ["id": .string(object.id), "kind": .string(object.kind.rawValue), "name": .string(name)])
    }
}

struct RemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an accessory, or a bridge and all its accessories, from the home.")

    @Argument(help: "The accessory, by name or ID.", completion: .names(.accessories))
    var accessory: String

    @Flag(help: "Don't ask for confirmation before removing a bridge.")
    var yes = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let accessory = try home.accessory(addressed: accessory, isWhole: true)
        if let bridged = accessory.bridgedAccessories, !bridged.isEmpty {
            try await session.confirm(
                "This removes \(accessory.name) and the \(bridged.count.of("accessory")) connected through it.",
                yes: yes)
        }
        let removal = try await session.saying("unpairing the accessory") {
            try await session.manager.removeAccessory(accessory.id, from: home.id)
        }
        RemovalReport(removal: removal, home: home).show(in: session)
    }
}

struct IdentifyCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify", abstract: "Make an accessory blink or play a sound to identify itself.")

    @Argument(help: "The accessory, by name or ID.", completion: .names(.accessories))
    var accessory: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let accessory = try await session.home.accessory(addressed: accessory)
        try await session.manager.identify(accessory.id)
        session.print(json: accessory.listing)
    }
}

struct UnblockCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock", abstract: "Unblock an accessory that was blocked after protocol errors.")

    @Argument(help: "The accessory, by name or ID. For a bridged accessory, name its bridge.")
    var accessory: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let accessory = try home.accessory(addressed: accessory)
        session.print(json: try await session.manager.unblockAccessory(accessory.id, in: home.id).listing)
    }
}

struct FavoriteCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "favorite",
        abstract: "List favorites, or add or remove one.",
        aliases: ["favourite", "favorites", "favourites"])

    @Argument(
        help: "The accessory, by name or ID. Without it, the command lists the favorites.",
        completion: .names(.accessories))
    var accessory: String?

    @Argument(help: "The part of the accessory (default: its main part).")
    var part: String?

    @Flag(help: "Remove the accessory or part from the favorites.")
    var off = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        guard let accessory else {
            let home = try await session.glance(isAsked: false)
            let favorites = home.accessories.flatMap(\.services).filter(\.isFavorite)
            session.print(
                HomeListings.favorites(of: home, isPainted: Terminal.current.isPainted),
                json: .array(favorites.map(\.listing)))
            return
        }
        let part = try await session.home.accessory(addressed: accessory).part(addressed: part)
        let service = try await session.manager.setFavorite(!off, for: part.id)
        session.print(json: service.listing)
    }
}

struct ServiceTypeCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "service-type", abstract: "Choose how an outlet, a switch or a contact sensor is shown.",
        discussion: """
            For example: homehub service-type "Power Strip" "Left Outlet" fan. You can omit the main part: \
            homehub service-type Heater fan
            """)

    @Argument(help: "The accessory, by name or ID.", completion: .names(.accessories))
    var accessory: String

    @Argument(help: "The part, by name or ID, or, to change the main part, the type.")
    var part: String

    @Argument(help: "The type to show, such as fan or lightbulb, or none for the part's own type.")
    var type: String?

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        // With only the accessory and one more argument, the latter is the type of the main part.
        let name: String? = type == nil ? nil : part
        let word = type ?? part
        let service = try await session.home.accessory(addressed: accessory).part(addressed: name)
        let shown = try service.associatedType(typed: word)
        session.print(json: try await session.manager.setAssociatedServiceType(shown, for: service.id).listing)
    }
}

extension HomeManager {
    func rename(_ object: HomeObject, to name: String) async throws(HomeError) {
        switch object {
        case .home(let home): try await renameHome(home.id, to: name)
        case .room(let room): try await renameRoom(room.id, to: name)
        case .zone(let zone): try await renameZone(zone.id, to: name)
        case .accessory(let accessory): try await renameAccessory(accessory.id, to: name)
        case .part(let service, _): try await renameService(service.id, to: name)
        case .scene(let scene): try await renameActionSet(scene.id, to: name)
        case .group(let group): try await renameServiceGroup(group.id, to: name)
        }
    }
}

extension Service {
    /// The types that the service can be shown as, by the words that users type.
    var associableWords: [String: ServiceType] {
        Dictionary(type.associableTypes.map { ($0.localizedDescription.dashedWords, $0) }) { first, _ in first }
    }

    /// Parses the type to show the service as; returns `nil` for `none`, which restores the service's own type.
    ///
    /// - Throws: `HomeError` with code 62 if the service can't be shown as that type.
    func associatedType(typed: String) throws(HomeError) -> ServiceType? {
        let word = typed.dashedWords
        guard word != "none" else { return nil }
        let choices = associableWords
        guard !choices.isEmpty else {
            throw HomeError(
                .invalidAssociatedServiceType,
                detail:
                    "the type of \(name) can't be changed; only outlets, switches and contact sensors support this"
            )
        }
        guard let type = choices[word] else {
            let near = Array(choices.keys).near(typed)
            let words = choices.keys.sorted().joined(separator: ", ")
            throw HomeError(
                .invalidAssociatedServiceType,
                detail: "\(name) can't be shown as \"\(typed.shown)\"" + (near.isEmpty ? "; use \(words)" : ""),
                suggestions: near)
        }
        return type
    }
}
