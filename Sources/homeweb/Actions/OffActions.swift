import HAPModel
import HTTPTypes
import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import Texts

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
            let toast = try await turnOff(rows, of: home, localized("\(name) was turned off."), site, visitor)
            return ValueActions.done(request, form["back"] ?? "/rooms/\(id)", toast: toast).showing(toast, context)
        }
        router.post("/homes/:id/lights/off") { request, context in
            let visitor = try context.visitor
            let form = try await request.form(context)
            let id: Home.ID = try context.id()
            guard let home = try await site.moment(visitor).home(where: { $0.id == id }) else {
                throw ValueActions.notFound
            }
            let rows = home.rows().filter { $0.kind == .lightbulb }
            let toast = try await turnOff(rows, of: home, localized("All lights were turned off."), site, visitor)
            return ValueActions.done(request, form["back"] ?? "/", toast: toast).showing(toast, context)
        }
    }

    /// The maximum number of names in a message.
    private static let shownNames = 4

    /// Turns devices off, and returns the message with which the visitor can undo it.
    ///
    /// The message names the devices that didn't turn off and may be on.
    ///
    /// - Throws: `WebError` if no device turned off.
    private static func turnOff(
        _ rows: [ServiceRow], of home: Home, _ text: String, _ site: Site, _ visitor: Visitor
    ) async throws -> Toast {
        var values: [Characteristic.ID: CharacteristicValue] = [:]
        var names: [Characteristic.ID: String] = [:]
        var failed: [String] = []
        for row in rows {
            guard let toggle = row.toggle, toggle.isOn != false else { continue }
            guard row.problem == nil else {
                failed.append(row.name)
                continue
            }
            values[toggle.characteristic] = toggle.off
            names[toggle.characteristic] = row.name
        }
        let results = try await site.manager.writeValues(values)
        var reason: WebError?
        for (id, result) in results.sorted(by: { $0.key < $1.key }) {
            guard case .failure(let error) = result else { continue }
            values[id] = nil
            failed.append(names[id] ?? "")
            reason = reason ?? WebError(error)
        }
        guard !failed.isEmpty else {
            return await site.undos.add(
                text, of: visitor, restored: localized("The devices are on again."),
                Reversal(ofWriting: values, in: home))
        }
        let refusal = Self.refusal(failed)
        guard !values.isEmpty else {
            throw WebError(
                reason?.status ?? .gatewayTimeout, [refusal, reason?.message].compactMap(\.self).joined(separator: " "))
        }
        return await site.undos.add(
            refusal + " " + localized("The other devices are off."), of: visitor,
            restored: localized("These devices are on again."),
            Reversal(ofWriting: values, in: home), isLasting: true)
    }

    /// Returns a sentence with the names of devices that didn't turn off.
    static func refusal(_ names: [String]) -> String {
        let names = names.sorted()
        let shown = names.prefix(shownNames).joined(separator: ", ")
        let more = names.count - shownNames
        return more > 0
            ? localized("These didn't turn off: \(shown) and \(more) more.")
            : localized("These didn't turn off: \(shown).")
    }
}
