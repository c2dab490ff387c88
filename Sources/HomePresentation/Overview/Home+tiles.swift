import HAPModel
public import HomeModel

extension Accessory {
    /// The rows that represent the accessory in its room, main row first.
    ///
    /// - An accessory has one row: its main service that isn't a sensor. The row has the accessory's name.
    /// - Other services of the same kind that a tap can switch have separate rows: the outlets of a power strip, the
    ///   gangs of a switch.
    /// - Another service has a row only if it's a favorite, such as the light of a fan.
    ///
    /// Sensors have no rows; ``Home/readings(in:)`` combines their values.
    public var tiles: [ServiceRow] {
        let devices = parts.filter { !$0.isSensor && $0.type.isKnown && $0.type != .inputSource }
        guard let main = devices.first else { return [] }
        let kind = main.shownKind
        let shown = devices.filter { service in
            service.id == main.id || service.isFavorite || service.shownKind == kind && service.toggle != nil
        }
        var rows = shown.map(row)
        if rows.count == 1 { (rows[0].name, rows[0].accessoryName) = (name, nil) }
        return rows
    }

    /// The rows of all services that are meant for users, with the same names as in ``tiles``.
    var namedRows: [ServiceRow] {
        let tiles = tiles
        return rows().map { row in tiles.first { $0.id == row.id } ?? row }
    }

    /// The sensors of the accessory.
    var sensors: [Service] { parts.filter { $0.isSensor && $0.type.isKnown } }
}

extension Home {
    /// Returns the rows that represent the accessories of a room, in display order.
    public func tiles(in room: Room.ID) -> [ServiceRow] {
        accessories.filter { $0.room == room }.flatMap(\.tiles).sortedForProduct
    }

    /// The rows of the favorites in display order, including sensors.
    public var favorites: [ServiceRow] {
        accessories.flatMap(\.namedRows).filter(\.isFavorite).sortedForProduct
    }
}

extension Service {
    /// The type as which the service is displayed.
    var shownKind: ServiceType { associatedServiceType ?? type }

    /// A Boolean value that indicates whether the service only measures or detects.
    var isSensor: Bool { type.category == .sensor }
}
