import HomeClient
import HomeModel
import Hummingbird
import HummingbirdCore

/// The page with the names, rooms and favorites of an accessory or of all accessories of a bridge, in one table.
///
/// It follows the addition of accessories. The table isn't updated while the page is open.
enum ArrangePage {
    /// The size of the largest form, in bytes.
    private static let formLimit = 1 << 19
    /// The fields of a row.
    private static let fieldsPerRow = 4

    static func path(_ accessory: Accessory.ID) -> String { "/accessories/\(accessory)/arrange" }

    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/accessories/:id/arrange") { _, context in
            let visitor = try context.editor
            let (home, accessory) = try await shown(context, site, visitor)
            return response(Arrangement(of: accessory, in: home), accessory, home, visitor)
        }
        router.post("/accessories/:id/arrange") { request, context in
            let visitor = try context.editor
            let form = try await request.form(
                context, limit: formLimit, fields: Arrangement.rowLimit * fieldsPerRow)
            let (home, accessory) = try await shown(context, site, visitor)
            var arrangement = Arrangement(form)
            if !arrangement.isRefused {
                let changes = arrangement.changes(of: accessory, in: home)
                if !arrangement.isRefused { await make(changes, &arrangement, home, site) }
            }
            guard arrangement.isRefused else {
                return Response.seeOther(home.isPrimary ? "/" : "/?home=\(home.id)")
            }
            return response(arrangement, accessory, home, visitor, status: .badRequest)
        }
    }

    private static func shown(
        _ context: WebContext, _ site: Site, _ visitor: Visitor
    ) async throws -> (home: Home, accessory: Accessory) {
        let id: Accessory.ID = try context.id()
        let moment = try await site.moment(visitor)
        guard let home = moment.home(where: { $0.accessory(id) != nil }), let accessory = home.accessory(id) else {
            throw ValueActions.notFound
        }
        return (home, accessory)
    }

    /// Makes the changes in order, and shows the reasons of those that fail in the table.
    private static func make(
        _ changes: [Arrangement.Change], _ arrangement: inout Arrangement, _ home: Home, _ site: Site
    ) async {
        var rooms = Dictionary(home.rooms.map { (NameKey($0.name), $0.id) }) { first, _ in first }
        rooms[NameKey("")] = home.defaultRoomID
        for change in changes {
            do throws(HomeError) {
                switch change {
                case .addRoom(let name):
                    rooms[NameKey(name)] = try await site.manager.addRoom(named: name, to: home.id).id
                case .rename(let accessory, let name):
                    _ = try await site.manager.renameAccessory(accessory, to: name)
                case .move(let accessory, let room):
                    guard let room = rooms[NameKey(room)] else { continue }
                    _ = try await site.manager.assignAccessory(accessory, to: room, in: home.id)
                case .setFavorite(let service, _, let isFavorite):
                    _ = try await site.manager.setFavorite(isFavorite, for: service)
                }
            } catch {
                arrangement.refuse(change, error)
            }
        }
        if arrangement.isRefused, let now = await site.manager.homes.first(where: { $0.id == home.id }) {
            arrangement.renewMarks(now)
        }
    }

    private static func response(
        _ arrangement: Arrangement, _ accessory: Accessory, _ home: Home, _ visitor: Visitor,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let title = accessory.bridgedAccessories == nil ? "Set up \(accessory.name)" : "Set up your accessories"
        let rows = arrangement.rows.enumerated().compactMap { number, row in
            home.accessory(row.accessory).map { values(of: row, number, $0) }
        }
        let content = Templates.render(
            "arrange",
            [
                "heading": title, "path": path(accessory.id),
                "count": rows.count == 1 ? "Save" : "Save all \(rows.count)",
                "rows": rows, "rooms": home.rooms.sortedForDisplay.map(\.name),
                "later": home.isPrimary ? "/" : "/?home=\(home.id)",
            ])
        var layout = Layout(title: title, content: content, visitor: visitor, place: "/add")
        if arrangement.isRefused {
            let count = arrangement.rows.count(where: \.isRefused)
            layout.message =
                arrangement.notice.isEmpty
                ? "\(count == 1 ? "One accessory needs" : "\(count) accessories need") a change. The reason is next to it."
                : arrangement.notice
        }
        return .page(layout, status: status)
    }

    private static func values(of row: ArrangementRow, _ number: Int, _ accessory: Accessory) -> Templates.Values {
        var values: Templates.Values = [
            "row": "\(row.accessory).\(row.mark)", "id": "\(row.accessory)", "number": "\(number)",
            "about": (accessory.primaryService?.localizedDescription ?? accessory.category.localizedDescription),
            "present": accessory.name, "name": row.name, "room": row.room, "nameRefusal": row.nameRefusal,
            "roomRefusal": row.roomRefusal, "isNameRefused": !row.nameRefusal.isEmpty,
            "isRoomRefused": !row.roomRefusal.isEmpty,
        ]
        if accessory.primaryService != nil {
            values["favorite"] = ["checked": row.isFavorite, "present": accessory.name] as Templates.Values
        }
        return values
    }
}
