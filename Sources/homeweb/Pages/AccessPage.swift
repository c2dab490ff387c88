import HomeModel
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import SetupQR
import Texts
import WebAccess

/// The page that lists the people with access: their roles, rooms and links.
///
/// Only owners see it.
enum AccessPage {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/access") { _, context in
            let visitor = try context.owner
            let content = try content(try site.people.all(), try await site.moment(visitor))
            return Response.page(Layout(title: localized("Access"), content: content, visitor: visitor, place: "/more"))
        }
        router.post("/access") { request, context in
            let visitor = try context.owner
            let form = try await request.form(context)
            let person = try person(named: (form["name"] ?? "").trimmed, form, try await site.moment(visitor))
            try site.people.change { people throws(PeopleError) in try people.invite(person) }
            log("granted", person.name, visitor, site)
            return Response.seeOther(path("link", person.name))
        }
        router.post("/access/change") { request, context in
            let visitor = try context.owner
            let form = try await request.form(context)
            let (name, moment) = (form["person"] ?? "", try await site.moment(visitor))
            let person = try person(named: name, form, moment, former: site.people.all().first { $0.name == name })
            try site.people.change { people throws(PeopleError) in
                guard form["mark"] == people[try people.index(of: name)].mark else { throw .changed }
                try people.update(person)
            }
            log("changed", person.name, visitor, site)
            return Response.seeOther("/access")
        }
        router.get("/access/token") { request, context in
            let visitor = try context.owner
            let person = try known(request, site)
            return Response.confirmation(
                of: localized("Replace the link of \(person.name)?"),
                about: localized("All browsers of \(person.name) are signed out, and the old link no longer works."),
                button: localized("Replace link"), action: "/access/token", fields: [("person", person.name)],
                back: ("/access", localized("Access")), visitor)
        }
        router.post("/access/token") { request, context in
            let visitor = try context.owner
            let name = try await request.form(context)["person"] ?? ""
            try site.people.change { people throws(PeopleError) in try people.renewToken(of: name) }
            log("link replaced", name, visitor, site)
            var response = Response.seeOther(path("link", name))
            // A visitor who replaces their own link stays signed in.
            if visitor.name == name, let token = try site.people.all().first(where: { $0.name == name })?.token {
                Entrance.setCookie(token.secret, in: &response, request, context)
            }
            return response
        }
        router.get("/access/remove") { request, context in
            let visitor = try context.owner
            let person = try known(request, site)
            return Response.confirmation(
                of: localized("Revoke the access of \(person.name)?"),
                about: localized("All browsers of \(person.name) are signed out immediately."),
                button: localized("Revoke access"),
                action: "/access/remove", fields: [("person", person.name)], back: ("/access", localized("Access")),
                visitor)
        }
        router.post("/access/remove") { request, context in
            let visitor = try context.owner
            let name = try await request.form(context)["person"] ?? ""
            try site.people.change { people throws(PeopleError) in try people.withdraw(name) }
            log("revoked", name, visitor, site)
            return Response.seeOther("/access")
        }
        addLinks(to: router, site)
    }

    private static func log(_ change: String, _ person: String, _ visitor: Visitor, _ site: Site) {
        site.logger.notice(
            "access changed",
            metadata: ["person": "\(person)", "change": "\(change)", "by": "\(visitor.name ?? "this computer")"])
    }

    private static func addLinks(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/access/link") { request, context in
            let visitor = try context.owner
            let person = try known(request, site)
            let address = try site.people.address
            let content = Templates.render(
                "access-link",
                [
                    "name": person.name, "link": person.link(address), "picture": path("code.svg", person.name),
                    "isLocal": isLocal(address),
                ])
            return Response.page(
                Layout(title: localized("Link of \(person.name)"), content: content, visitor: visitor, place: "/more"))
        }
        router.get("/access/code.svg") { request, context in
            _ = try context.owner
            let person = try known(request, site)
            guard let code = QRCode(person.link(try site.people.address)) else { throw ValueActions.notFound }
            return Response(
                status: .ok, headers: [.contentType: "image/svg+xml"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: code.svg)))
        }
    }

    /// Returns whether only this computer can open an address, such as `http://127.0.0.1:8480/`.
    private static func isLocal(_ address: String) -> Bool {
        let parts = address.split(separator: "/")
        return parts.count > 1 && Guard.hostName(String(parts[1])).map(IPAddressText.isLoopback) == true
    }

    private static func path(_ page: String, _ name: String) -> String {
        "/access/\(page)" + Query(["person": name]).text
    }

    /// Returns the person that a request names.
    private static func known(_ request: Request, _ site: Site) throws(WebError) -> Person {
        let people = try site.people.all()
        let name = Query(request.uri.query ?? "")["person"] ?? ""
        guard let index = try? people.index(of: name) else {
            throw WebError(.notFound, localized("This person doesn't have access."))
        }
        return people[index]
    }

    /// Returns the person that a form describes.
    ///
    /// Rooms of `former` that the form can't show are kept, for example those of a removed home.
    private static func person(
        named name: String, _ form: Query, _ moment: Moment, former: Person? = nil
    ) throws(WebError) -> Person {
        guard let role = form["role"].flatMap(Person.Role.init) else {
            throw WebError(.badRequest, localized("Choose a role: owner, member or guest."))
        }
        let known = Set(moment.homes.flatMap { ($0.rooms + [$0.defaultRoom]).map { "\($0.id)" } })
        var rooms: Set<String>?
        if role == .guest, form["scope"] != "all" {
            let chosen = Set(form.fields.filter { $0.name == "room" }.map(\.value))
            guard chosen.isSubset(of: known) else {
                throw WebError(.badRequest, localized("A room no longer exists. Reload the page."))
            }
            let limited = chosen.union((former?.rooms ?? []).subtracting(known))
            guard !limited.isEmpty else {
                throw WebError(.badRequest, localized("Choose at least one room, or all rooms."))
            }
            rooms = limited
        }
        guard (rooms?.count ?? 0) <= Person.roomLimit else {
            throw WebError(
                .badRequest, localized("A guest can have up to \(Person.roomLimit) rooms. Choose all rooms instead."))
        }
        return Person(name: name, role: role, rooms: rooms, mayOpen: form["open"] == "1")
    }

    private static func content(_ people: [Person], _ moment: Moment) throws(WebError) -> String {
        let list: [Templates.Values] = people.map { person in
            fields(of: person, moment).merging([
                "name": person.name, "words": words(person, moment), "link": path("link", person.name),
                "remove": path("remove", person.name), "replace": path("token", person.name), "mark": person.mark,
            ]) { $1 }
        }
        let new = fields(of: Person(name: "", role: .member), moment)
        return Templates.render("access", ["people": list, "new": new])
    }

    private static func fields(of person: Person, _ moment: Moment) -> Templates.Values {
        let roles: [(Person.Role, String)] = [
            (.owner, localized("Owner")), (.member, localized("Member")), (.guest, localized("Guest")),
        ]
        let rooms: [Templates.Values] = moment.homes.flatMap { home in
            (home.rooms.sortedForDisplay + [home.defaultRoom]).map { room in
                [
                    "id": "\(room.id)", "name": home.displayName(of: room),
                    "chosen": person.rooms?.contains("\(room.id)") == true,
                ] as Templates.Values
            }
        }
        return [
            "roles": roles.map { ["value": $0.rawValue, "name": $1, "chosen": $0 == person.role] as Templates.Values },
            "rooms": rooms, "mayOpen": person.mayOpen, "isLimited": person.rooms != nil,
        ]
    }

    /// Returns a short description of a person's permissions.
    private static func words(_ person: Person, _ moment: Moment) -> String {
        let role =
            switch person.role {
            case .owner: localized("owner")
            case .member: localized("member")
            case .guest: localized("guest")
            }
        var words = [role]
        if let rooms = person.rooms {
            let names = moment.homes.flatMap { home in
                (home.rooms + [home.defaultRoom]).filter { rooms.contains("\($0.id)") }.map(home.displayName)
            }
            words.append(names.isEmpty ? localized("no rooms") : names.joined(separator: ", "))
        }
        if !person.mayOpen { words.append(localized("no unlocking")) }
        return words.joined(separator: ", ")
    }
}

extension Person {
    /// A hash that changes with the permissions.
    fileprivate var mark: String {
        Assets.hash(of: "\(role) \(rooms.map { $0.sorted().joined(separator: " ") } ?? "all") \(mayOpen)".utf8)
    }

    /// Returns the link that signs a browser in.
    ///
    /// The fragment isn't sent to servers or written to logs.
    fileprivate func link(_ address: String) -> String { "\(address)enter#\(token.secret)" }
}
