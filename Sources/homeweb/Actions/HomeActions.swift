import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
import Hummingbird
import HummingbirdCore
import TerminalKit
import Texts

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
        undoable(router, "/rooms/:id/remove", site) { _, context, manager in
            let id: Room.ID = try context.id()
            let home = try await home(manager) { $0.room(id) != nil }
            guard let room = home.room(id) else { throw ValueActions.notFound }
            _ = try await manager.removeRoom(id, from: home.id)
            let count = home.accessories(in: id).count
            let moved = count == 0 ? "" : " " + localized("Its accessories (\(count)) are in no room.")
            return UndoableChange(
                localized("\(room.name) was removed.") + moved, restored: localized("\(room.name) was restored."),
                Reversal(ofRemoving: room, from: home), page: "/rooms?home=\(home.id)")
        }
        undoable(router, "/zones/:id/rooms", site) { form, context, manager in
            let id: Zone.ID = try context.id()
            let home = try await home(manager) { $0.zone(id) != nil }
            let isAdded = form["add"] != nil
            guard let zone = home.zone(id),
                let room = (form["add"] ?? form["remove"]).flatMap({ Room.ID($0) }).flatMap(home.room)
            else { throw ValueActions.notFound }
            if isAdded {
                _ = try await manager.addRoom(room.id, toZone: id)
            } else {
                _ = try await manager.removeRoom(room.id, fromZone: id)
            }
            let texts = [
                localized("\(room.name) was removed from \(zone.name)."),
                localized("\(room.name) was added to \(zone.name)."),
            ]
            return UndoableChange(
                texts[isAdded ? 1 : 0], restored: texts[isAdded ? 0 : 1],
                Reversal(home.id, [.setInZone(room.id, id, !isAdded)]), page: "/rooms?home=\(home.id)")
        }
        undoable(router, "/zones/:id/remove", site) { _, context, manager in
            let id: Zone.ID = try context.id()
            let home = try await home(manager) { $0.zone(id) != nil }
            guard let zone = home.zone(id) else { throw ValueActions.notFound }
            try await manager.removeZone(id, from: home.id)
            return UndoableChange(
                localized("\(zone.name) was removed. Its rooms remain."),
                restored: localized("\(zone.name) was restored."),
                Reversal(home.id, [.addZone(zone)]), page: "/rooms?home=\(home.id)")
        }
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
            let home = try await home(manager) { $0.accessory(accessory) != nil }.id
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
            let home = try await home(manager) { $0.accessory(accessory) != nil }.id
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
            let home = try await home(manager) { $0.accessory(accessory) != nil }.id
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
        undoable(router, "/services/:id/favorite", site) { form, context, manager in
            let id: Service.ID = try context.id()
            let isFavorite = form["favorite"] == "1"
            let home = try await home(manager) { $0.service(id) != nil }
            guard let accessory = home.accessory(of: id), let service = accessory.service(id) else {
                throw ValueActions.notFound
            }
            _ = try await manager.setFavorite(isFavorite, for: id)
            let name = accessory.shownName(of: service)
            let texts = [localized("\(name) is no longer a favorite."), localized("\(name) is a favorite.")]
            return UndoableChange(
                texts[isFavorite ? 1 : 0], restored: texts[isFavorite ? 0 : 1],
                Reversal(home.id, service.isFavorite == isFavorite ? [] : [.setFavorite(id, service.isFavorite)]),
                page: "/services/\(id)")
        }
        editing(router, "/services/:id/kind", site) { form, context, manager in
            let service: Service.ID = try context.id()
            let kind = form["kind"].flatMap { HAPType($0) }.map { ServiceType($0) }
            _ = try await manager.setAssociatedServiceType(kind, for: service)
            return "/services/\(service)"
        }
    }

    /// Returns the first home that matches, such as the one that contains the object to change.
    ///
    /// - Throws: `WebError` if no home matches.
    private static func home(
        _ manager: HomeManager, where isMeant: (Home) -> Bool
    ) async throws(WebError) -> Home {
        guard let home = await manager.homes.first(where: isMeant) else { throw ValueActions.notFound }
        return home
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

extension HomeActions {
    /// Adds a route for a change that guests can't make, and that the visitor can undo.
    static func undoable(
        _ router: RouterGroup<WebContext>, _ path: RouterPath, _ site: Site,
        _ change: @escaping @Sendable (Query, WebContext, HomeManager) async throws -> UndoableChange
    ) {
        router.post(path) { request, context in
            let visitor = try context.editor
            let form = try await request.form(context)
            let change = try await change(form, context, site.manager)
            let toast = await site.undos.add(change, of: visitor)
            return request.response(continuingWith: form["back"] ?? change.page).showing(toast, context)
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
