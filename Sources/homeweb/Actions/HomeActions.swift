import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
import Hummingbird
import HummingbirdCore
import TerminalKit

/// Changes of the home itself, for owners only.
enum HomeActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        addHomesAndRooms(to: router, site)
        addAccessories(to: router, site)
        addServices(to: router, site)
        router.get("/check-name") { request, context in
            let visitor = try context.owner
            let moment = try await site.moment(visitor)
            return Response.json(NameCheck(Query(request.uri.query ?? ""), moment).json)
        }
    }

    private static func addHomesAndRooms(to router: RouterGroup<WebContext>, _ site: Site) {
        owner(router, "/homes", site) { form, _, manager in
            _ = try await manager.addHome(named: form.name)
            return "/"
        }
        owner(router, "/homes/:id/name", site) { form, context, manager in
            _ = try await manager.renameHome(try context.id(), to: form.name)
            return "/rooms"
        }
        owner(router, "/homes/:id/rooms", site) { form, context, manager in
            _ = try await manager.addRoom(named: form.name, to: try context.id())
            return "/rooms"
        }
        owner(router, "/homes/:id/zones", site) { form, context, manager in
            _ = try await manager.addZone(named: form.name, to: try context.id())
            return "/rooms"
        }
        owner(router, "/rooms/:id/name", site) { form, context, manager in
            let room: Room.ID = try context.id()
            _ = try await manager.renameRoom(room, to: form.name)
            return "/rooms/\(room)"
        }
        owner(router, "/rooms/:id/remove", site) { _, context, manager in
            let room: Room.ID = try context.id()
            let home = try await home(manager) { $0.room(room) != nil }
            _ = try await manager.removeRoom(room, from: home)
            return "/rooms"
        }
        owner(router, "/zones/:id/rooms", site) { form, context, manager in
            let zone: Zone.ID = try context.id()
            if let room = form["add"].flatMap({ Room.ID($0) }) { _ = try await manager.addRoom(room, toZone: zone) }
            if let room = form["remove"].flatMap({ Room.ID($0) }) {
                _ = try await manager.removeRoom(room, fromZone: zone)
            }
            return "/rooms"
        }
        owner(router, "/zones/:id/remove", site) { _, context, manager in
            let zone: Zone.ID = try context.id()
            let home = try await home(manager) { $0.zone(zone) != nil }
            try await manager.removeZone(zone, from: home)
            return "/rooms"
        }
    }

    private static func addAccessories(to router: RouterGroup<WebContext>, _ site: Site) {
        owner(router, "/accessories/:id/name", site) { form, context, manager in
            let accessory: Accessory.ID = try context.id()
            _ = try await manager.renameAccessory(accessory, to: form.name)
            return "/accessories/\(accessory)"
        }
        owner(router, "/accessories/:id/room", site) { form, context, manager in
            let accessory: Accessory.ID = try context.id()
            guard let room = form["room"].flatMap({ Room.ID($0) }) else { throw ValueActions.notFound }
            let home = try await home(manager) { $0.accessory(accessory) != nil }
            _ = try await manager.assignAccessory(accessory, to: room, in: home)
            return "/accessories/\(accessory)"
        }
        owner(router, "/accessories/:id/identify", site) { _, context, manager in
            let accessory: Accessory.ID = try context.id()
            try await manager.identify(accessory)
            return "/accessories/\(accessory)"
        }
        owner(router, "/accessories/:id/unblock", site) { _, context, manager in
            let accessory: Accessory.ID = try context.id()
            let home = try await home(manager) { $0.accessory(accessory) != nil }
            _ = try await manager.unblockAccessory(accessory, in: home)
            return "/accessories/\(accessory)"
        }
        owner(router, "/accessories/:id/pair", site) { form, context, manager in
            let accessory: Accessory.ID = try context.id()
            _ = try await manager.repairAccessory(accessory, with: try SetupActions.credentials(form["code"] ?? ""))
            return "/accessories/\(accessory)"
        }
        owner(router, "/accessories/:id/remove", site) { _, context, manager in
            let accessory: Accessory.ID = try context.id()
            let home = try await home(manager) { $0.accessory(accessory) != nil }
            _ = try await manager.removeAccessory(accessory, from: home)
            return "/"
        }
    }

    private static func addServices(to router: RouterGroup<WebContext>, _ site: Site) {
        owner(router, "/services/:id/name", site) { form, context, manager in
            let service: Service.ID = try context.id()
            try await rename(service, to: form.name, manager)
            return "/services/\(service)"
        }
        owner(router, "/services/:id/favorite", site) { form, context, manager in
            let service: Service.ID = try context.id()
            _ = try await manager.setFavorite(form["favorite"] == "1", for: service)
            return "/services/\(service)"
        }
        owner(router, "/services/:id/kind", site) { form, context, manager in
            let service: Service.ID = try context.id()
            let kind = form["kind"].flatMap { HAPType($0) }.map { ServiceType($0) }
            _ = try await manager.setAssociatedServiceType(kind, for: service)
            return "/services/\(service)"
        }
    }

    /// Renames a service, or its accessory if the service is shown with the accessory's name; see
    /// `Accessory.shownName(of:)`.
    private static func rename(_ id: Service.ID, to name: String, _ manager: HomeManager) async throws {
        guard let accessory = await manager.homes.lazy.compactMap({ $0.accessory(of: id) }).first,
            let service = accessory.service(id)
        else { throw ValueActions.notFound }
        if accessory.shownName(of: service) == accessory.name, accessory.primaryService?.id == id {
            _ = try await manager.renameAccessory(accessory.id, to: name)
        } else {
            _ = try await manager.renameService(id, to: name)
        }
    }

    /// Returns the home with the object to change.
    private static func home(
        _ manager: HomeManager, where isMeant: (Home) -> Bool
    ) async throws(WebError) -> Home.ID {
        guard let home = await manager.homes.first(where: isMeant) else { throw ValueActions.notFound }
        return home.id
    }

    // MARK: Authorization

    /// Adds a route for a change that only owners can make.
    ///
    /// The closure makes the change and returns the page to continue with.
    private static func owner(
        _ router: RouterGroup<WebContext>, _ path: RouterPath, _ site: Site,
        _ change: @escaping @Sendable (Query, WebContext, HomeManager) async throws -> String
    ) {
        router.post(path) { request, context in
            _ = try context.owner
            let form = try await request.form(context)
            let page = try await change(form, context, site.manager)
            return Response.seeOther(form["back"] ?? page)
        }
    }
}

extension Query {
    /// The typed name without surrounding spaces.
    fileprivate var name: String { (self["name"] ?? "").trimmed }
}

/// A check of a name during typing.
///
/// It doesn't change anything.
struct NameCheck {
    let refusal: String
    let suggestions: [String]

    /// Checks `name` for the object `self` of the given `kind`, or for a new object in the home `in`.
    init(_ query: Query, _ moment: Moment) {
        let name = (query["name"] ?? "").trimmed
        guard !name.isEmpty else {
            (refusal, suggestions) = ("", [])
            return
        }
        let own = query["self"]
        let home = query["in"].flatMap { Home.ID($0) }.flatMap { id in moment.snapshot.home(id) }
        switch query["kind"] {
        case "accessory":
            let id = own.flatMap { Accessory.ID($0) }
            let home = moment.home { home in id.map { home.accessory($0) != nil } ?? false }
            let taken = home?.accessories.filter { $0.id != id }.map(\.name) ?? []
            refusal = Self.refusal(name, taken, "an accessory")
            suggestions = refusal.isEmpty ? [] : id.flatMap { home?.suggestedNames(from: name, for: $0) } ?? []
        case "service":
            let id = own.flatMap { Service.ID($0) }
            let home = moment.home { home in id.map { home.service($0) != nil } ?? false }
            let accessory = id.flatMap { home?.accessory(of: $0) }
            let taken = accessory?.services.filter { $0.id != id && $0.isUserInteractive }.map(\.name) ?? []
            refusal = Self.refusal(name, taken, "a part")
            suggestions = refusal.isEmpty ? [] : id.flatMap { home?.suggestedNames(from: name, for: $0) } ?? []
        case "room", "zone":
            let home = home ?? moment.home
            let taken =
                (home?.rooms.filter { "\($0.id)" != own }.map(\.name) ?? [])
                + (home?.zones.filter { "\($0.id)" != own }.map(\.name) ?? [])
            refusal = Self.refusal(name, taken, "a room or zone")
            suggestions = refusal.isEmpty ? [] : Self.free(name, taken)
        default:
            let taken = moment.snapshot.homes.filter { "\($0.id)" != own }.map(\.name)
            refusal = Self.refusal(name, taken, "a home")
            suggestions = refusal.isEmpty ? [] : Self.free(name, taken)
        }
    }

    var json: JSONValue {
        [
            "refusal": .string(refusal.sanitizedForPage),
            "suggestions": .array(suggestions.prefix(3).map { .string($0.sanitizedForPage) }),
        ]
    }

    private static func refusal(_ name: String, _ taken: [String], _ what: String) -> String {
        if let violation = NameRules.violations(of: name).first { return violation.explanation.sentence }
        guard let other = taken.first(where: { NameKey($0) == NameKey(name) }) else { return "" }
        return "\(what) named \"\(other)\" already exists.".capitalizedFirst
    }

    private static func free(_ name: String, _ taken: [String]) -> [String] {
        let clean = CleanName.cleaned(name)
        guard !clean.isEmpty else { return [] }
        let keys = Set(taken.map { NameKey($0) })
        return ([clean] + (2...9).map { "\(clean) \($0)" }).filter { !keys.contains(NameKey($0)) }.prefix(2).map(\.self)
    }
}
