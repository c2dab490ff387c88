import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import Texts

/// The routes that change scenes, for owners and members.
enum SceneActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        HomeActions.editing(router, "/homes/:id/scenes", site) { form, context, manager in
            "/scenes/\(try await manager.addActionSet(named: form.name, to: try context.id()).id)"
        }
        HomeActions.editing(router, "/scenes/:id/name", site) { form, context, manager in
            "/scenes/\(try await manager.renameActionSet(try context.id(), to: form.name).id)"
        }
        HomeActions.undoable(router, "/scenes/:id/services", site) { form, context, manager in
            let visitor = try context.editor
            return try await site.sceneTurns.run(try context.id()) {
                let (home, scene) = try await scene(context, manager)
                let actions = actions(of: scene, form, home)
                if actions.contains(where: { home.isOpening($0) == true && !scene.actions.contains($0) }) {
                    try OpeningQuestion.check(visitor)
                }
                if actions != scene.actions { _ = try await manager.setActions(actions, of: scene.id) }
                return UndoableChange(
                    localized("\(scene.name) was changed."), restored: localized("\(scene.name) is as before."),
                    Reversal(
                        home.id,
                        actions == scene.actions
                            ? [] : [.setActions(scene.id, scene.actions, insteadOf: actions)]),
                    page: "/scenes/\(scene.id)")
            }
        }
        HomeActions.undoable(router, "/scenes/:id/remove", site) { _, context, manager in
            let (home, scene) = try await scene(context, manager)
            try await manager.removeActionSet(scene.id)
            let triggers = home.triggers(using: scene.id).filter(\.isEnabled)
            let uses =
                triggers.isEmpty
                ? ""
                : " " + localized("These automations are off now: \(triggers.map(\.name).joined(separator: ", ")).")
            return UndoableChange(
                localized("\(scene.name) was removed.") + uses, restored: localized("\(scene.name) was restored."),
                Reversal(ofRemoving: scene, from: home), page: "/scenes?home=\(home.id)")
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
