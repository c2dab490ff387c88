import HomeModel
import Hummingbird
import HummingbirdCore
import Texts

/// The page with the names, rooms and other settings of an accessory or of all accessories of a bridge, in one table.
///
/// It follows the addition of accessories. The table isn't updated while the page is open.
enum ArrangePage {
    /// The size of the largest form, in bytes.
    static let formLimit = 1 << 19
    /// The fields of a row.
    static let fieldsPerRow = 6

    static func path(_ accessory: Accessory.ID) -> String { "/accessories/\(accessory)/arrange" }

    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/accessories/:id/arrange") { _, context in
            let visitor = try context.editor
            let (home, accessory) = try await shown(context, site, visitor)
            return view(Arrangement(of: accessory, in: home, site.displays.display(of: home.id)), accessory, home)
                .response(visitor)
        }
        router.post("/accessories/:id/arrange") { request, context in
            let visitor = try context.editor
            let form = try await request.form(
                context, limit: formLimit, fields: Arrangement.rowLimit * fieldsPerRow)
            let (home, accessory) = try await shown(context, site, visitor)
            var arrangement = Arrangement(form)
            if !arrangement.isRefused {
                let changes = arrangement.changes(of: accessory, in: home, site.displays.display(of: home.id))
                if !arrangement.isRefused {
                    _ = await ArrangementSaver.save(changes, &arrangement, of: home, site)
                }
            }
            guard arrangement.isRefused else {
                return Response.seeOther(home.isPrimary ? "/" : "/?home=\(home.id)")
            }
            return view(arrangement, accessory, home).response(visitor)
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

    private static func view(_ arrangement: Arrangement, _ accessory: Accessory, _ home: Home) -> ArrangementView {
        ArrangementView(
            arrangement: arrangement, home: home,
            title: accessory.bridgedAccessories == nil
                ? localized("Set up \(accessory.name)") : localized("Set up your accessories"),
            about:
                localized(
                    "Keep the suggestions, or change them. A new room's name adds the room. An accessory without a room is shown under \"No room\"."
                ),
            path: path(accessory.id), later: home.isPrimary ? "/" : "/?home=\(home.id)", place: "/add")
    }
}
