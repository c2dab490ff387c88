import HomeClient
import HomeModel
import Hummingbird
import HummingbirdCore
import Texts

/// The routes that change the order of rooms and tiles, for owners and members.
enum OrderActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/homes/:id/order") { request, context in
            let id: Home.ID = try context.id()
            return try await move(request, context, site, back: "/rooms") {
                $0.id == id
            } body: { order, text, to, home in
                if let room = Room.ID(text) { order.move(room, to: to, in: home) }
            }
        }
        router.post("/rooms/:id/order") { request, context in
            let id: Room.ID = try context.id()
            return try await move(request, context, site, back: "/rooms/\(id)/order") {
                $0.room(id) != nil
            } body: { order, text, to, home in
                if let tile = Service.ID(text) { order.move(tile, to: to, in: id, of: home) }
            }
        }
    }

    /// Moves an object of a home.
    ///
    /// The field `move` has the object's ID and its new position, counted from 0.
    private static func move(
        _ request: Request, _ context: WebContext, _ site: Site, back: String, where isMeant: (Home) -> Bool,
        body: (inout DisplayOrder, String, Int, Home) -> Void
    ) async throws -> Response {
        let visitor = try context.editor
        let form = try await request.form(context)
        let moment = try await site.moment(visitor)
        guard let home = moment.home(where: isMeant) else { throw ValueActions.notFound }
        let words = (form["move"] ?? "").split(separator: " ")
        guard words.count == 2, let position = Int(words[1]) else {
            throw WebError(.badRequest, localized("This form is outdated. Reload the page."))
        }
        try site.orders.change(home.id, among: Set(moment.homes.map(\.id))) { order in
            body(&order, String(words[0]), position, home)
        }
        return ValueActions.done(request, form["back"] ?? back)
    }
}
