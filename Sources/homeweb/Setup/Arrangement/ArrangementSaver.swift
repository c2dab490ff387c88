import HomeClient
import HomeModel

/// Makes the changes of a table of accessories.
struct ArrangementSaver {
    let site: Site
    let home: Home
    /// The inverse of the changes that were made, in the order of the changes.
    private var made: [(accessory: Accessory.ID?, step: Reversal.Step)] = []

    private init(_ site: Site, _ home: Home) { (self.site, self.home) = (site, home) }

    /// Makes the changes in order.
    ///
    /// If a change fails, the table shows the reason.
    ///
    /// If a change of an accessory fails, its other changes aren't made either.
    ///
    /// - Returns: The inverse of the changes that were made.
    static func save(
        _ changes: [Arrangement.Change], _ arrangement: inout Arrangement, of home: Home, _ site: Site
    ) async -> Reversal {
        var saver = ArrangementSaver(site, home)
        var rooms = Dictionary(home.rooms.map { (NameKey($0.name), $0.id) }) { first, _ in first }
        rooms[NameKey("")] = home.defaultRoomID
        for change in changes {
            if let accessory = change.accessory, arrangement.isRefused(accessory) { continue }
            do throws(WebError) {
                if case .setHidden(let tiles, let isHidden) = change {
                    let services = Set(tiles.filter { !arrangement.isRefused($0.key) }.values.joined())
                    if services.isEmpty { continue }
                    try await site.setHidden(isHidden, services, of: home)
                    saver.made.append((nil, .setHidden(services, !isHidden)))
                } else {
                    do throws(HomeError) { try await saver.make(change, &rooms) } catch { throw WebError(error) }
                }
            } catch {
                arrangement.refuse(change, error)
            }
            for row in arrangement.rows where row.isRefused { await saver.rollBack(row.accessory) }
        }
        if arrangement.isRefused, let now = await site.home(home.id) {
            arrangement.renewMarks(now, site.displays.display(of: home.id))
        }
        return Reversal(home.id, saver.made.reversed().map(\.step))
    }

    private mutating func make(
        _ change: Arrangement.Change, _ rooms: inout [NameKey: Room.ID]
    ) async throws(HomeError) {
        if case .addRoom(let name) = change {
            rooms[NameKey(name)] = try await site.manager.addRoom(named: name, to: home.id).id
            made.append((nil, .removeRoom(named: name)))
        }
        guard let accessory = change.accessory.flatMap(home.accessory) else { return }
        switch change {
        case .addRoom, .setHidden: break
        case .rename(let id, let name):
            _ = try await site.manager.renameAccessory(id, to: name)
            made.append((id, .rename(id, accessory.name, insteadOf: name)))
        case .move(let id, let name):
            guard let room = rooms[NameKey(name)] else { return }
            _ = try await site.manager.assignAccessory(id, to: room, in: home.id)
            made.append((id, .move(id, accessory.room, insteadOfRoom: name)))
        case .setFavorite(let service, let id, let isFavorite):
            _ = try await site.manager.setFavorite(isFavorite, for: service)
            made.append((id, .setFavorite(service, !isFavorite)))
        }
    }

    private mutating func rollBack(_ accessory: Accessory.ID) async {
        let steps = made.filter { $0.accessory == accessory }.map(\.step)
        guard !steps.isEmpty else { return }
        made.removeAll { $0.accessory == accessory }
        _ = await Restoration.run(Reversal(home.id, steps.reversed()), on: site, mayOpen: false)
    }
}

extension Arrangement.Change {
    /// The changed accessory, or `nil` if it isn't a change of one accessory.
    fileprivate var accessory: Accessory.ID? {
        switch self {
        case .addRoom, .setHidden: nil
        case .rename(let id, _), .move(let id, _), .setFavorite(_, let id, _): id
        }
    }
}

extension Arrangement {
    fileprivate func isRefused(_ accessory: Accessory.ID) -> Bool {
        rows.contains { $0.accessory == accessory && $0.isRefused }
    }
}
