import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore

/// The routes that change scenes, for owners and members.
enum SceneActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        HomeActions.editing(router, "/homes/:id/scenes", site) { form, context, manager in
            "/scenes/\(try await manager.addActionSet(named: form.name, to: try context.id()).id)"
        }
        HomeActions.editing(router, "/scenes/:id/name", site) { form, context, manager in
            "/scenes/\(try await manager.renameActionSet(try context.id(), to: form.name).id)"
        }
        HomeActions.editing(router, "/scenes/:id/services", site) { form, context, manager in
            let visitor = try context.editor
            return try await site.sceneTurns.run(try context.id()) {
                let (home, scene) = try await scene(context, manager)
                let actions = actions(of: scene, form, home)
                if actions.contains(where: { home.isOpening($0) == true && !scene.actions.contains($0) }) {
                    try OpeningQuestion.check(visitor)
                }
                if actions != scene.actions { _ = try await manager.setActions(actions, of: scene.id) }
                return "/scenes/\(scene.id)"
            }
        }
        router.get("/scenes/:id/remove") { _, context in
            let visitor = try context.editor
            let (home, scene) = try await scene(context, site.manager)
            let triggers = home.triggers.filter { $0.definition.actionSets.contains(scene.id) }
            let uses =
                triggers.isEmpty
                ? "" : " This also turns off these automations: \(triggers.map(\.name).joined(separator: ", "))."
            return Response.confirmation(
                of: "Remove \(scene.name)?", about: "The devices stay as they are.\(uses)", button: "Remove scene",
                action: "/scenes/\(scene.id)/remove", back: ("/scenes/\(scene.id)", scene.name), place: "/scenes",
                visitor)
        }
        HomeActions.editing(router, "/scenes/:id/remove", site) { _, context, manager in
            let (home, scene) = try await scene(context, manager)
            try await manager.removeActionSet(scene.id)
            return "/scenes?home=\(home.id)"
        }
    }

    private static func scene(
        _ context: WebContext, _ manager: HomeManager
    ) async throws(WebError) -> (home: Home, scene: ActionSet) {
        let id: ActionSet.ID = try context.id()
        guard let home = await manager.homes.first(where: { $0.actionSet(id) != nil }), let scene = home.actionSet(id)
        else { throw ValueActions.notFound }
        return (home, scene)
    }

    /// Returns the scene's actions after a change.
    ///
    /// The form's fields select the change:
    ///
    /// - `add` adds services in their current state.
    /// - `update` adopts the current state of one service, or of all the scene's services if its value is `all`.
    /// - `remove` removes a service.
    ///
    /// A service without a known state keeps its actions.
    static func actions(of scene: ActionSet, _ form: Query, _ home: Home) -> [CharacteristicWriteAction] {
        let former = scene.services(in: home)
        var adopted = Set(form.fields.filter { $0.name == "add" }.compactMap { Service.ID($0.value) })
        switch form["update"] {
        case "all": adopted.formUnion(former.map(\.service.id))
        case let text?: if let id = Service.ID(text) { adopted.insert(id) }
        case nil: break
        }
        let removed = form["remove"].flatMap { Service.ID($0) }
        var actions = former.filter { $0.service.id != removed }.flatMap { service, actions in
            guard adopted.contains(service.id), !service.sceneActions.isEmpty else { return actions }
            return service.sceneActions
        }
        let known = Set(former.map(\.service.id))
        for service in home.accessories.flatMap(\.services)
        where adopted.contains(service.id) && !known.contains(service.id) {
            actions += service.sceneActions
        }
        return actions
    }
}
