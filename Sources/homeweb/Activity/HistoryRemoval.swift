import HomeClient
import HomeModel
import Hummingbird
import HummingbirdCore
import Texts

/// The routes with which owners delete the activity and the past values of a home or an accessory.
enum HistoryRemoval {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/privacy/history") { request, context in
            let visitor = try context.owner
            let (home, accessory) = try await target(Query(request.uri.query ?? ""), visitor, site)
            var fields = [(name: "home", value: "\(home.id)")]
            if let accessory { fields.append((name: "accessory", value: "\(accessory.id)")) }
            let back =
                accessory.map { ("/activity?accessory=\($0.id)", localized("Activity")) } ?? (
                    "/privacy", localized("Privacy")
                )
            return Response.confirmation(
                of: accessory.map { localized("Delete the history of \($0.name)?") }
                    ?? localized("Delete the history of \(home.name)?"),
                about: localized("This deletes the activity and the graphs. They can't be restored."),
                button: localized("Delete history"),
                action: "/privacy/history", fields: fields,
                back: back, visitor)
        }
        router.post("/privacy/history") { request, context in
            let visitor = try context.owner
            let (home, accessory) = try await target(try await request.form(context), visitor, site)
            try await site.manager.removeHistory(of: home.id, accessory: accessory?.id)
            return Response.seeOther("/activity" + (home.isPrimary ? "" : "?home=\(home.id)"))
        }
    }

    private static func target(
        _ query: Query, _ visitor: Visitor, _ site: Site
    ) async throws -> (home: Home, accessory: Accessory?) {
        let moment = try await site.moment(visitor)
        guard let home = moment.home(where: { $0.id == query.home }) else { throw ValueActions.notFound }
        guard let text = query["accessory"] else { return (home, nil) }
        guard let accessory = Accessory.ID(text).flatMap(home.accessory) else { throw ValueActions.notFound }
        return (home, accessory)
    }

    /// Returns the section of the privacy page.
    static func section(_ homes: [Home]) -> String {
        Templates.render(
            "privacy-history",
            ["homes": homes.map { ["id": "\($0.id)", "name": $0.name] as Templates.Values }])
    }
}
