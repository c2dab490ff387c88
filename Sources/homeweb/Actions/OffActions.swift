import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore

/// The routes that turn off all devices of a room, or all lights of a home, which the visitor can undo.
enum OffActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/rooms/:id/off") { request, context in
            let visitor = try context.visitor
            let form = try await request.form(context)
            let id: Room.ID = try context.id()
            guard let home = try await site.moment(visitor).home(where: { $0.room(id) != nil }) else {
                throw ValueActions.notFound
            }
            let name = home.room(id).map(home.displayName) ?? ""
            let rows = home.rows().filter { $0.room == id && $0.kind.isSwitchedOffTogether }
            let toast = try await turnOff(rows, of: home, "\(name) was turned off.", site, visitor)
            return try await ValueActions.done(
                request, form["back"] ?? "/rooms/\(id)", rows.map(\.id), site, visitor, toast: toast
            ).showing(toast, context)
        }
        router.post("/homes/:id/lights/off") { request, context in
            let visitor = try context.visitor
            let form = try await request.form(context)
            let id: Home.ID = try context.id()
            guard let home = try await site.moment(visitor).home(where: { $0.id == id }) else {
                throw ValueActions.notFound
            }
            let rows = home.rows().filter { $0.kind == .lightbulb }
            let toast = try await turnOff(rows, of: home, "All lights were turned off.", site, visitor)
            return try await ValueActions.done(
                request, form["back"] ?? "/", rows.map(\.id), site, visitor, toast: toast
            ).showing(toast, context)
        }
    }

    /// Turns devices off, and returns the message with which the visitor can undo it.
    ///
    /// - Throws: `WebError` if at least one device didn't turn off.
    private static func turnOff(
        _ rows: [ServiceRow], of home: Home, _ text: String, _ site: Site, _ visitor: Visitor
    ) async throws -> Toast {
        var values: [Characteristic.ID: CharacteristicValue] = [:]
        for row in rows where row.problem == nil {
            if let toggle = row.toggle, toggle.isOn != false { values[toggle.characteristic] = toggle.off }
        }
        let results = try await site.manager.writeValues(values)
        let failed = results.filter { if case .failure = $0.value { true } else { false } }
        if let (id, result) = failed.min(by: { $0.key < $1.key }), case .failure(let error) = result {
            var refusal = WebError(error)
            let first = home.characteristic(id).flatMap { home.accessory(of: $0.service)?.name } ?? "one"
            refusal.message =
                "\(failed.count) of \(values.count) didn't turn off, including \(first): \(refusal.message)"
            throw refusal
        }
        return await site.undos.add(
            text, of: visitor, restored: "The devices are on again.", Reversal(ofWriting: values, in: home))
    }
}
