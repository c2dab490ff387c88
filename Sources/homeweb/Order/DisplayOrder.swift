import HomeModel
import HomePresentation

/// The order of a home's rooms and tiles that visitors have chosen.
///
/// HomeKit stores no order; each app has its own. IDs without an object are ignored, and objects that the order doesn't
/// contain follow in the usual order.
struct DisplayOrder: Equatable, Sendable {
    /// The rooms in order.
    var rooms: [Room.ID] = []
    /// The services with tiles in order.
    ///
    /// Only the order of tiles in the same room matters.
    var tiles: [Service.ID] = []

    /// Returns the home's rooms in order, with the default room last.
    func rooms(of home: Home) -> [Room] {
        Self.sorted(home.rooms.sortedForDisplay, by: rooms) + [home.defaultRoom]
    }

    /// Returns the tiles of a room in order.
    func tiles(in room: Room.ID, of home: Home) -> [ServiceRow] {
        Self.sorted(home.tiles(in: room), by: tiles)
    }

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
        let others = Set(home.accessories.flatMap(\.services).map(\.id)).subtracting(shown)
        tiles = tiles.filter(others.contains) + Self.moved(tile, to: position, in: shown)
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
