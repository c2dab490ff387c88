import HAPModel
import HomeModel
import HomePresentation
import Texts

/// The page of a scene: its actions for each device, with buttons to adopt the current states.
struct ScenePage: LivePage {
    let scene: ActionSet.ID
    var path: String { "/scenes/\(scene)" }
    var place: String { "/scenes" }

    func home(_ moment: Moment) -> Home? { moment.home { $0.actionSet(scene) != nil } }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = home(moment), let scene = home.actionSet(scene) else {
            return .missing(localized("This scene no longer exists."))
        }
        let phrases = TriggerPhrases(home: home, time: .current(of: home))
        let used = scene.services(in: home)
        let services = used.map { service, actions in
            let accessory = home.accessory(of: service.id)
            return PageContent.Part(
                id: "s-\(service.id)", "scene-service",
                [
                    "id": "\(service.id)", "scene": "\(scene.id)",
                    "name": accessory?.shownName(of: service) ?? service.name,
                    "room": accessory.flatMap { home.room($0.room) }.map(home.displayName) ?? "",
                    "actions": actions.map { phrases.phrase(for: $0).capitalizedFirst },
                    "edits": moment.visitor.isEditor, "isCurrent": Set(service.sceneActions) == Set(actions),
                ])
        }
        var values: Templates.Values = [
            "id": "\(scene.id)", "home": "\(home.id)", "name": scene.name,
            "up": "/scenes" + (home.isPrimary ? "" : "?home=\(home.id)"), "state": scene.stateWords.capitalizedFirst,
            "empty": scene.actions.isEmpty,
            "services": services.map(\.html),
        ]
        var parts = services
        if moment.visitor.isEditor {
            values["editor"] = editor(scene, Set(used.map(\.service.id)), home, &parts)
        }
        let shown = used.map(\.service.id) + home.rows().map(\.id)
        return PageContent(
            title: scene.name, main: Templates.render("scene", values), parts: parts,
            values: home.valuesShown(of: shown))
    }

    /// Returns the template values of the editor, and appends its elements that often change to `parts`.
    private func editor(
        _ scene: ActionSet, _ used: Set<Service.ID>, _ home: Home, _ parts: inout [PageContent.Part]
    ) -> Templates.Values {
        let rows = home.rows().filter { !used.contains($0.id) && $0.problem == nil }
        let rooms: [Templates.Values] = (home.rooms.sortedForDisplay + [home.defaultRoom]).compactMap { room in
            let others = rows.filter { row in
                row.room == room.id && home.service(row.id)?.sceneActions.isEmpty == false
            }.map { row in
                PageContent.Part(
                    id: "a-\(row.id)", "scene-device",
                    ["id": "\(row.id)", "name": row.name, "state": row.state.words])
            }
            parts += others
            return others.isEmpty
                ? nil
                : ["id": "\(room.id)", "room": home.displayName(of: room), "others": others.map(\.html)]
        }
        var values: Templates.Values = [
            "id": "\(scene.id)", "home": "\(home.id)", "name": scene.name, "rooms": rooms,
        ]
        if !scene.actions.isEmpty { values["update"] = ["id": "\(scene.id)"] as Templates.Values }
        if scene.kind == .userDefined { values["remove"] = ["id": "\(scene.id)"] as Templates.Values }
        return values
    }
}

extension ActionSet {
    /// Returns the services that a scene changes, with its actions for each, in the order of the actions.
    func services(in home: Home) -> [(service: Service, actions: [CharacteristicWriteAction])] {
        var services: [(service: Service, actions: [CharacteristicWriteAction])] = []
        for action in actions {
            guard let id = home.characteristic(action.characteristic)?.service else { continue }
            if let index = services.firstIndex(where: { $0.service.id == id }) {
                services[index].actions.append(action)
            } else if let service = home.service(id) {
                services.append((service, [action]))
            }
        }
        return services
    }
}
