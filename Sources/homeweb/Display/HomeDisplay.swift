import HomeModel
import HomePresentation

/// How a home is displayed: the order of its rooms and tiles, and which tiles are wide or hidden.
///
/// HomeKit doesn't store this; each app has its own. IDs without an object are ignored, and objects that an order doesn't
/// contain follow in the usual order.
struct HomeDisplay: Equatable, Sendable {
    /// The rooms in order.
    var rooms: [Room.ID] = []
    /// The services with tiles in order.
    ///
    /// Only the order of tiles in the same room matters.
    var tiles: [Service.ID] = []
    /// The favorites in order.
    var favorites: [Service.ID] = []
    /// The services whose tiles are twice as wide as others.
    var wide: Set<Service.ID> = []
    /// The services that Home doesn't show in their rooms.
    ///
    /// The pages of their rooms show them, and they can be favorites.
    var hidden: Set<Service.ID> = []

    /// Returns the home's rooms in order, with the default room last.
    func rooms(of home: Home) -> [Room] {
        Self.sorted(home.rooms.sortedForDisplay, by: rooms) + [home.defaultRoom]
    }

    /// Returns the tiles of a room in order, including hidden ones.
    func tiles(in room: Room.ID, of home: Home) -> [ServiceRow] {
        Self.sorted(home.tiles(in: room), by: tiles)
    }

    /// Returns the favorites in order.
    func favorites(of home: Home) -> [ServiceRow] { Self.sorted(home.favorites, by: favorites) }

    // MARK: Changes

    /// Moves a room to a position in the list of rooms.
    mutating func move(_ room: Room.ID, to position: Int, in home: Home) {
        let shown = rooms(of: home).map(\.id).filter { $0 != home.defaultRoomID }
        rooms = Self.moved(room, to: position, in: shown)
    }

    /// Moves a tile to a position in its room.
    ///
    /// Services that no longer exist are removed from the order.
    mutating func move(_ tile: Service.ID, to position: Int, in room: Room.ID, of home: Home) {
        let shown = tiles(in: room, of: home).map(\.id)
        let others = home.services.subtracting(shown)
        tiles = tiles.filter(others.contains) + Self.moved(tile, to: position, in: shown)
    }

    /// Moves a favorite to a position among the favorites.
    mutating func moveFavorite(_ favorite: Service.ID, to position: Int, in home: Home) {
        favorites = Self.moved(favorite, to: position, in: favorites(of: home).map(\.id))
    }

    /// Makes the tile of a service wide or normal.
    mutating func setWide(_ isWide: Bool, _ service: Service.ID, of home: Home) {
        Self.set(&wide, [service], isWide, of: home)
    }

    /// Hides the tiles of services on Home, or shows them again.
    mutating func setHidden(_ isHidden: Bool, _ services: Set<Service.ID>, of home: Home) {
        Self.set(&hidden, services, isHidden, of: home)
    }

    /// Adds services to a set or removes them.
    ///
    /// Services that no longer exist are removed from the set.
    private static func set(_ all: inout Set<Service.ID>, _ services: Set<Service.ID>, _ isIn: Bool, of home: Home) {
        all = (isIn ? all.union(services) : all.subtracting(services)).intersection(home.services)
    }

    private static func moved<ID: Equatable>(_ id: ID, to position: Int, in ids: [ID]) -> [ID] {
        guard ids.contains(id) else { return ids }
        var ids = ids.filter { $0 != id }
        ids.insert(id, at: min(max(position, 0), ids.count))
        return ids
    }

    private static func sorted<Object: Identifiable>(_ objects: [Object], by order: [Object.ID]) -> [Object] {
        let ranks = Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return objects.enumerated().sorted {
            (ranks[$0.element.id] ?? .max, $0.offset) < (ranks[$1.element.id] ?? .max, $1.offset)
        }.map(\.element)
    }
}

extension Home {
    fileprivate var services: Set<Service.ID> { Set(accessories.flatMap(\.services).map(\.id)) }
}
