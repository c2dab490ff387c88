import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore

/// The routes that turn off a room or all lights of a home, and that undo this, for all signed-in visitors.
enum AllOffActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/rooms/:id/off") { request, context in
            let room: Room.ID = try context.id()
            return try await turnOff(request, context, site, in: "/rooms/\(room)") {
                $0.room(room) != nil
            } rows: {
                $0.rows().filter { $0.room == room && $0.kind.isSwitchedOffTogether }
            } name: {
                $0.room(room).map($0.displayName) ?? ""
            }
        }
        router.post("/homes/:id/off") { request, context in
            let id: Home.ID = try context.id()
            return try await turnOff(request, context, site, in: "/homes/\(id)") {
                $0.id == id
            } rows: {
                $0.rows().filter { $0.kind == .lightbulb }
            } name: { _ in
                "All lights"
            }
        }
        router.post("/rooms/:id/undo") { request, context in
            let room: Room.ID = try context.id()
            return try await undo(request, context, site, in: "/rooms/\(room)") { $0.room(room) != nil }
        }
        router.post("/homes/:id/undo") { request, context in
            let id: Home.ID = try context.id()
            return try await undo(request, context, site, in: "/homes/\(id)") { $0.id == id }
        }
    }

    private static func turnOff(
        _ request: Request, _ context: WebContext, _ site: Site, in place: String, where isMeant: (Home) -> Bool,
        rows: (Home) -> [ServiceRow], name: (Home) -> String
    ) async throws -> Response {
        let visitor = try context.visitor
        let form = try await request.form(context)
        guard let home = try await site.moment(visitor).home(where: isMeant) else { throw ValueActions.notFound }
        let rows = rows(home)
        let toggles = rows.filter { $0.problem == nil }.compactMap(\.toggle)
        let name = name(home)
        site.turnedOff.add(toggles.filter { $0.isOn == true }, in: place, by: visitor)
        // A device whose state is unknown is turned off, too.
        let values = toggles.filter { $0.isOn != false }.map { ($0.characteristic, $0.off) }
        try await write(values, home, site, failing: "didn't turn off")
        site.history.add(
            name == "All lights" ? "All lights were turned off" : "\(name) was turned off",
            place: name == "All lights" ? "" : name, who: visitor.shownName,
            path: place.hasPrefix("/rooms/") ? place : "/status/lights")
        return try await ValueActions.done(request, form["back"] ?? place.page, rows.map(\.id), site, visitor)
    }

    private static func undo(
        _ request: Request, _ context: WebContext, _ site: Site, in place: String, where isMeant: (Home) -> Bool
    ) async throws -> Response {
        let visitor = try context.visitor
        let form = try await request.form(context)
        guard let home = try await site.moment(visitor).home(where: isMeant) else { throw ValueActions.notFound }
        let toggles = site.turnedOff.toggles(in: place, of: home, visitor)
        guard !toggles.isEmpty else {
            throw WebError(.conflict, "These devices are already on, or were turned off too long ago.")
        }
        try await write(toggles.map { ($0.characteristic, $0.on) }, home, site, failing: "didn't turn on")
        site.turnedOff.remove(in: place, by: visitor)
        let services = toggles.compactMap { home.characteristic($0.characteristic)?.service }
        return try await ValueActions.done(request, form["back"] ?? place.page, services, site, visitor)
    }

    /// Writes values.
    ///
    /// - Throws: `WebError` that names the number of failures and one accessory.
    private static func write(
        _ values: [(Characteristic.ID, CharacteristicValue)], _ home: Home, _ site: Site, failing words: String
    ) async throws {
        let results = try await site.manager.writeValues(Dictionary(values) { $1 })
        let failed = results.filter { if case .failure = $0.value { true } else { false } }
        guard let (id, result) = failed.min(by: { $0.key < $1.key }), case .failure(let error) = result else { return }
        var refusal = WebError(error)
        let first = home.characteristic(id).flatMap { home.accessory(of: $0.service)?.name } ?? "one"
        refusal.message = "\(failed.count) of \(values.count) \(words), including \(first): \(refusal.message)"
        throw refusal
    }
}

extension String {
    /// The page of a place in which devices were turned off.
    fileprivate var page: String { hasPrefix("/rooms/") ? self : "/status/lights" }
}
