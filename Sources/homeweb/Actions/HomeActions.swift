import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
import Hummingbird
import HummingbirdCore
import TerminalKit

/// The routes that change homes, rooms, zones, accessories and services, for owners and members.
enum HomeActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        addHomesAndRooms(to: router, site)
        addAccessories(to: router, site)
        addServices(to: router, site)
        router.get("/check-name") { request, context in
            let visitor = try context.editor
            let moment = try await site.moment(visitor)
            return Response.json(NameCheck(Query(request.uri.query ?? ""), moment).json)
        }
    }

    private static func addHomesAndRooms(to router: RouterGroup<WebContext>, _ site: Site) {
        editing(router, "/homes", site) { form, _, manager in
            _ = try await manager.addHome(named: form.name)
            return "/"
        }
        editing(router, "/homes/:id/name", site) { form, context, manager in
            _ = try await manager.renameHome(try context.id(), to: form.name)
            return "/rooms"
        }
        editing(router, "/homes/:id/rooms", site) { form, context, manager in
            _ = try await manager.addRoom(named: form.name, to: try context.id())
            return "/rooms"
        }
        editing(router, "/homes/:id/zones", site) { form, context, manager in
            _ = try await manager.addZone(named: form.name, to: try context.id())
            return "/rooms"
        }
        editing(router, "/rooms/:id/name", site) { form, context, manager in
            let room: Room.ID = try context.id()
            _ = try await manager.renameRoom(room, to: form.name)
            return "/rooms/\(room)"
        }
        router.get("/rooms/:id/remove") { _, context in try await roomRemoval(context, site) }
        editing(router, "/rooms/:id/remove", site) { _, context, manager in
            let room: Room.ID = try context.id()
            let home = try await home(manager) { $0.room(room) != nil }
            _ = try await manager.removeRoom(room, from: home)
            return "/rooms?home=\(home)"
        }
        editing(router, "/zones/:id/rooms", site) { form, context, manager in
            let zone: Zone.ID = try context.id()
            if let room = form["add"].flatMap({ Room.ID($0) }) { _ = try await manager.addRoom(room, toZone: zone) }
            if let room = form["remove"].flatMap({ Room.ID($0) }) {
                _ = try await manager.removeRoom(room, fromZone: zone)
            }
            return "/rooms"
        }
        router.get("/zones/:id/remove") { _, context in try await zoneRemoval(context, site) }
        editing(router, "/zones/:id/remove", site) { _, context, manager in
            let zone: Zone.ID = try context.id()
            let home = try await home(manager) { $0.zone(zone) != nil }
            try await manager.removeZone(zone, from: home)
            return "/rooms?home=\(home)"
        }
    }

    private static func roomRemoval(_ context: WebContext, _ site: Site) async throws -> Response {
        let visitor = try context.editor
        let id: Room.ID = try context.id()
        let moment = try await site.moment(visitor)
        guard let home = moment.home(where: { $0.room(id) != nil }), let room = home.room(id),
            id != home.defaultRoomID
        else { throw ValueActions.notFound }
        let count = home.accessories(in: id).count
        let moved = count == 0 ? "" : "Its accessories (\(count)) will be in no room. "
        return .confirmation(
            of: "Remove \(room.name)?", about: moved + "Its zones no longer contain it.", button: "Remove room",
            action: "/rooms/\(id)/remove", back: ("/rooms/\(id)", room.name), place: "/", visitor)
    }

    private static func zoneRemoval(_ context: WebContext, _ site: Site) async throws -> Response {
        let visitor = try context.editor
        let id: Zone.ID = try context.id()
        let moment = try await site.moment(visitor)
        guard let home = moment.home(where: { $0.zone(id) != nil }), let zone = home.zone(id) else {
            throw ValueActions.notFound
        }
        return .confirmation(
            of: "Remove \(zone.name)?", about: "Its rooms remain.", button: "Remove zone",
            action: "/zones/\(id)/remove", back: ("/rooms?home=\(home.id)", "Rooms and zones"), visitor)
    }

    private static func addAccessories(to router: RouterGroup<WebContext>, _ site: Site) {
        editing(router, "/accessories/:id/name", site) { form, context, manager in
            let accessory: Accessory.ID = try context.id()
            _ = try await manager.renameAccessory(accessory, to: form.name)
            return "/accessories/\(accessory)"
        }
        editing(router, "/accessories/:id/room", site) { form, context, manager in
            let accessory: Accessory.ID = try context.id()
            guard let room = form["room"].flatMap({ Room.ID($0) }) else { throw ValueActions.notFound }
            let home = try await home(manager) { $0.accessory(accessory) != nil }
            _ = try await manager.assignAccessory(accessory, to: room, in: home)
            return "/accessories/\(accessory)"
        }
        editing(router, "/accessories/:id/identify", site) { _, context, manager in
            let accessory: Accessory.ID = try context.id()
            try await manager.identify(accessory)
            return "/accessories/\(accessory)"
        }
        editing(router, "/accessories/:id/unblock", site) { _, context, manager in
            let accessory: Accessory.ID = try context.id()
            let home = try await home(manager) { $0.accessory(accessory) != nil }
            _ = try await manager.unblockAccessory(accessory, in: home)
            return "/accessories/\(accessory)"
        }
        editing(router, "/accessories/:id/pair", site) { form, context, manager in
            let accessory: Accessory.ID = try context.id()
            _ = try await manager.repairAccessory(accessory, with: try SetupActions.credentials(form["code"] ?? ""))
            return "/accessories/\(accessory)"
        }
        editing(router, "/accessories/:id/remove", site) { _, context, manager in
            let accessory: Accessory.ID = try context.id()
            let home = try await home(manager) { $0.accessory(accessory) != nil }
            _ = try await manager.removeAccessory(accessory, from: home)
            return "/"
        }
    }

    private static func addServices(to router: RouterGroup<WebContext>, _ site: Site) {
        editing(router, "/services/:id/name", site) { form, context, manager in
            let service: Service.ID = try context.id()
            guard let target = await manager.homes.nameOwner(of: service) else { throw ValueActions.notFound }
            switch target {
            case .accessory(let accessory): _ = try await manager.renameAccessory(accessory, to: form.name)
            case .service(let service): _ = try await manager.renameService(service, to: form.name)
            }
            return "/services/\(service)"
        }
        editing(router, "/services/:id/favorite", site) { form, context, manager in
            let service: Service.ID = try context.id()
            _ = try await manager.setFavorite(form["favorite"] == "1", for: service)
            return "/services/\(service)"
        }
        editing(router, "/services/:id/kind", site) { form, context, manager in
            let service: Service.ID = try context.id()
            let kind = form["kind"].flatMap { HAPType($0) }.map { ServiceType($0) }
            _ = try await manager.setAssociatedServiceType(kind, for: service)
            return "/services/\(service)"
        }
    }

    /// Returns the ID of the first home that matches, such as the one that contains the object to change.
    ///
    /// - Throws: `WebError` if no home matches.
    private static func home(
        _ manager: HomeManager, where isMeant: (Home) -> Bool
    ) async throws(WebError) -> Home.ID {
        guard let home = await manager.homes.first(where: isMeant) else { throw ValueActions.notFound }
        return home.id
    }

    // MARK: Authorization

    /// Adds a route for a change that guests can't make.
    ///
    /// The closure makes the change and returns the page to continue with.
    static func editing(
        _ router: RouterGroup<WebContext>, _ path: RouterPath, _ site: Site,
        _ change: @escaping @Sendable (Query, WebContext, HomeManager) async throws -> String
    ) {
        router.post(path) { request, context in
            _ = try context.editor
            let form = try await request.form(context)
            let page = try await change(form, context, site.manager)
            return request.response(continuingWith: form["back"] ?? page)
        }
    }
}

extension Request {
    /// Returns the answer to an accepted form: the page to continue with.
    func response(continuingWith path: String) -> Response {
        isFromScript ? .json(["path": .string(path.localPath)]) : .seeOther(path)
    }
}

extension Query {
    /// The typed name without surrounding spaces.
    var name: String { (self["name"] ?? "").trimmed }
}
