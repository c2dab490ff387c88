import HomeModel
import HomePresentation
import Texts

/// The page on which visitors arrange the tiles of a room or the favorites.
struct OrderPage: LivePage {
    /// The tiles to arrange.
    enum List: Hashable, Sendable {
        case room(Room.ID)
        case favorites(Home.ID)

        /// The path of the page, and of the form on it.
        var path: String {
            switch self {
            case .room(let room): "/rooms/\(room)/order"
            case .favorites(let home): "/favorites/\(home)/order"
            }
        }

        func isOf(_ home: Home) -> Bool {
            switch self {
            case .room(let room): home.room(room) != nil
            case .favorites(let id): home.id == id
            }
        }
    }

    let list: List
    let displays: HomeDisplays
    var path: String { list.path }
    var place: String { "/" }

    func home(_ moment: Moment) -> Home? { moment.home(where: list.isOf) }

    func changes(_ site: Site) async -> AsyncStream<Void>? { displays.changes }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = home(moment) else {
            if case .room = list { return .missing(localized("This room no longer exists.")) }
            return .missing(localized("The home no longer exists."))
        }
        let display = displays.display(of: home.id)
        let tiles: [ServiceRow]
        let name: String
        let up: String
        switch list {
        case .room(let id):
            tiles = display.tiles(in: id, of: home)
            name = home.room(id).map(home.displayName) ?? ""
            up = "/rooms/\(id)"
        case .favorites:
            tiles = display.favorites(of: home)
            name = localized("Favorites")
            up = home.isPrimary ? "/" : "/?home=\(home.id)"
        }
        let values: Templates.Values = [
            "room": name, "up": up, "path": path, "back": path,
            "items": tiles.enumerated().map { index, row in
                var values = Self.item("\(row.id)", row.name, at: index, of: tiles.count)
                values["icon"] = row.kind.icon
                values["place"] = row.accessoryName
                values["wide"] = Self.choice(row, display.wide)
                if case .room = list { values["hidden"] = Self.choice(row, display.hidden) }
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

    /// The template values of a button that adds a tile to a set or removes it.
    private static func choice(_ row: ServiceRow, _ chosen: Set<Service.ID>) -> Templates.Values {
        let isChosen = chosen.contains(row.id)
        return [
            "id": "\(row.id)", "name": row.name, "next": isChosen ? "0" : "1", "present": isChosen ? "1" : "0",
            "pressed": isChosen ? "true" : "false",
        ]
    }
}
