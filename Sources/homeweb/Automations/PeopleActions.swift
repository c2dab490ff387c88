import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import TerminalKit
import Texts

/// The routes that change people and the home's location, for owners only.
enum PeopleActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/homes/:id/people") { request, context in
            let visitor = try context.editor
            let form = try await request.form(context)
            let home: Home.ID = try context.id()
            do throws(HomeError) {
                _ = try await site.manager.addPerson(named: form.name, to: home)
                return request.response(continuingWith: form["back"] ?? "/people")
            } catch {
                guard !request.isFromScript else { throw error }
                return try await refused(
                    PeoplePage.Refused(name: (form.name, error.localizedMessage.sentence)), home, site, visitor)
            }
        }
        router.post("/homes/:id/location") { request, context in
            let visitor = try context.editor
            let query = try await request.form(context)
            let home: Home.ID = try context.id()
            let form = LocationForm(query)
            do throws(HomeError) {
                try await site.manager.setLocation(try form.location(), of: home)
                return Response.seeOther(query["back"] ?? "/people")
            } catch {
                return try await refused(
                    PeoplePage.Refused(location: (form, error.localizedMessage.sentence)), home, site, visitor)
            }
        }
        router.get("/homes/:id/location/remove") { _, context in
            let visitor = try context.editor
            let home: Home.ID = try context.id()
            return Response.confirmation(
                of: localized("Remove the location?"),
                about: localized("Automations that use sunrise or sunset stop running."),
                button: localized("Remove location"), action: "/homes/\(home)/location/remove",
                back: ("/people?home=\(home)", localized("People and location")), visitor)
        }
        router.post("/homes/:id/location/remove") { request, context in
            _ = try context.editor
            _ = try await request.form(context)
            let home: Home.ID = try context.id()
            try await site.manager.setLocation(nil, of: home)
            return Response.seeOther("/people?home=\(home)")
        }
        router.post("/people/:id/name") { request, context in
            let visitor = try context.editor
            let form = try await request.form(context)
            let person: Resident.ID = try context.id()
            do throws(HomeError) {
                _ = try await site.manager.renamePerson(person, to: form.name)
                return request.response(continuingWith: form["back"] ?? "/people")
            } catch {
                guard !request.isFromScript,
                    let home = await site.manager.homes.first(where: { $0.person(person) != nil })?.id
                else { throw error }
                return try await refused(
                    PeoplePage.Refused(newName: (person, form.name, error.localizedMessage.sentence)), home, site,
                    visitor)
            }
        }
        router.post("/people/:id/presence") { request, context in
            _ = try context.editor
            let form = try await request.form(context)
            _ = try await site.manager.setPresence(of: try context.id(), isHome: form["home"] == "1")
            return Response.seeOther(form["back"] ?? "/people")
        }
        HomeActions.undoable(router, "/people/:id/remove", site) { _, context, manager in
            let id: Resident.ID = try context.id()
            guard let home = await manager.homes.first(where: { $0.person(id) != nil }), let person = home.person(id)
            else { throw ValueActions.notFound }
            try await manager.removePerson(id)
            let triggers = home.triggers(using: id).filter(\.isEnabled)
            let uses =
                triggers.isEmpty
                ? ""
                : " " + localized("These automations are off now: \(triggers.map(\.name).joined(separator: ", ")).")
            return UndoableChange(
                localized("\(person.name) was removed.") + uses, restored: localized("\(person.name) was restored."),
                Reversal(ofRemoving: person, from: home),
                page: "/people" + (home.isPrimary ? "" : "?home=\(home.id)"))
        }
    }

    /// Shows the page with a rejected form.
    ///
    /// The page has no live updates, because they would overwrite the form.
    private static func refused(
        _ refused: PeoplePage.Refused, _ home: Home.ID, _ site: Site, _ visitor: Visitor
    ) async throws -> Response {
        let path = "/people?home=\(home)"
        let page = PeoplePage(manager: site.manager, path: path, choice: home, refused: refused)
        let content = await page.content(try await site.moment(visitor, choice: home))
        return .page(
            Layout(title: content.title, content: content.main, visitor: visitor, place: page.place),
            status: .badRequest)
    }
}
