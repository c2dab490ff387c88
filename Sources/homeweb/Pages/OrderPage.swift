import HomeModel
import HomePresentation
import Texts

/// The page on which visitors arrange the tiles of a room.
struct OrderPage: LivePage {
    let room: Room.ID
    let orders: DisplayOrders
    var path: String { "/rooms/\(room)/order" }
    var place: String { "/" }

    func home(_ moment: Moment) -> Home? { moment.home { $0.room(room) != nil } }

    func changes(_ site: Site) async -> AsyncStream<Void>? { orders.changes }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home(where: { $0.room(room) != nil }), let room = home.room(room) else {
            return .missing(localized("This room no longer exists."))
        }
        let tiles = orders.order(of: home.id).tiles(in: room.id, of: home)
        let name = home.displayName(of: room)
        let values: Templates.Values = [
            "room": name, "up": "/rooms/\(room.id)", "path": path, "back": path,
            "items": tiles.enumerated().map { index, row in
                var values = Self.item("\(row.id)", row.name, at: index, of: tiles.count)
                values["icon"] = row.kind.icon
                values["place"] = row.accessoryName
                return values
            },
        ]
        return PageContent(title: localized("Arrange \(name)"), main: Templates.render("order", values))
    }

    /// The template values of an object in a list with buttons to move it.
    static func item(_ id: String, _ name: String, at index: Int, of count: Int) -> Templates.Values {
        [
            "id": id, "name": name, "earlier": "\(max(index - 1, 0))", "later": "\(min(index + 1, count - 1))",
            "isFirst": index == 0, "isLast": index == count - 1,
        ]
    }
}
