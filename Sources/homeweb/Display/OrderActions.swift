import HomeClient
import HomeModel
import Hummingbird
import HummingbirdCore
import Texts

/// The routes that arrange rooms and tiles, for owners and members.
enum OrderActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/homes/:id/order") { request, context in
            let id: Home.ID = try context.id()
            return try await change(request, context, site, back: "/rooms") {
                $0.id == id
            } body: { display, field, object, number, home in
                if field == .move, let room = Room.ID(object) { display.move(room, to: number, in: home) }
            }
        }
        router.post("/rooms/:id/order") { request, context in
            let id: Room.ID = try context.id()
            return try await change(request, context, site, .room(id)) { display, tile, position, home in
                display.move(tile, to: position, in: id, of: home)
            }
        }
        router.post("/favorites/:id/order") { request, context in
            try await change(request, context, site, .favorites(try context.id())) { display, tile, position, home in
                display.moveFavorite(tile, to: position, in: home)
            }
        }
    }

    /// The fields of the forms, whose values have the ID of an object and a number.
    private enum Field: String, CaseIterable {
        /// The number is the new position, counted from 0.
        case move
        /// The number is 1 for a wide tile, 0 for a normal one.
        case wide
        /// The number is 1 for a tile that Home hides, 0 for one that it shows.
        case hidden
    }

    /// Changes a tile of a list.
    private static func change(
        _ request: Request, _ context: WebContext, _ site: Site, _ list: OrderPage.List,
        move: (inout HomeDisplay, Service.ID, Int, Home) -> Void
    ) async throws -> Response {
        try await change(request, context, site, back: list.path, where: list.isOf) {
            display, field, object, number, home in
            guard let tile = Service.ID(object) else { return }
            switch field {
            case .move: move(&display, tile, number, home)
            case .wide: display.setWide(number == 1, tile, of: home)
            case .hidden: display.setHidden(number == 1, [tile], of: home)
            }
        }
    }

    private static func change(
        _ request: Request, _ context: WebContext, _ site: Site, back: String, where isMeant: (Home) -> Bool,
        body: (inout HomeDisplay, Field, String, Int, Home) -> Void
    ) async throws -> Response {
        let visitor = try context.editor
        let form = try await request.form(context)
        let moment = try await site.moment(visitor)
        guard let home = moment.home(where: isMeant) else { throw ValueActions.notFound }
        let changes = Field.allCases.compactMap { field -> (Field, object: String, number: Int)? in
            let words = (form[field.rawValue] ?? "").split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { return nil }
            return (field, String(words[0]), number)
        }
        guard !changes.isEmpty else {
            throw WebError(.badRequest, localized("This form is outdated. Reload the page."))
        }
        try site.displays.change(home.id, among: Set(moment.homes.map(\.id))) { display in
            for (field, object, number) in changes { body(&display, field, object, number, home) }
        }
        return ValueActions.done(request, form["back"] ?? back)
    }
}
