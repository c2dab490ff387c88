import HAPModel
import HomeModel
import HomePresentation
import Texts

/// Everything that a visitor can search for in a home: accessories, rooms, scenes, automations and actions.
///
/// It contains only parts that the visitor may see, and only actions that the visitor may perform.
struct SearchIndex {
    let entries: [SearchEntry]

    init(_ home: Home, _ visitor: Visitor) {
        let query = home.isPrimary ? "" : "?home=\(home.id)"
        entries =
            Self.actions(home, visitor, query) + Self.scenes(home)
            + home.rows().flatMap { Self.entries($0, home, visitor) }
            + Self.accessories(home) + Self.rooms(home)
            + (visitor.seesAllRooms ? Self.automations(home, visitor) : []) + Self.pages(visitor, query)
    }

    /// Returns the best results for a query, or the suggestions for an empty query.
    func results(_ query: String, limit: Int) -> [SearchEntry] {
        let ranking = SearchRanking(query)
        let found = ranking.isEmpty ? entries.filter(\.isSuggested) : ranking.ranked(entries, \.text)
        return Array(found.prefix(limit))
    }

    /// Returns the entry of a service.
    static func entry(_ row: ServiceRow, _ home: Home, _ visitor: Visitor) -> SearchEntry {
        let room = room(row, home)
        let state = row.problem?.words ?? row.state.words
        return SearchEntry(
            id: "q-\(row.id)", name: row.name, about: "\(room), \(state)", icon: row.kind.icon,
            target: .page("/services/\(row.id)"), side: row.problem == nil ? toggle(row, home, visitor) : nil,
            text: SearchText(
                row.name,
                context: [
                    room, row.kind.shownName, row.kindName, row.kind.localizedDescription, row.accessoryName ?? "",
                ]),
            service: row.id)
    }

    // MARK: Objects

    private static func entries(_ row: ServiceRow, _ home: Home, _ visitor: Visitor) -> [SearchEntry] {
        let entry = entry(row, home, visitor)
        guard row.problem == nil, let toggle = row.toggle, row.kind.isSwitchedOffTogether else { return [entry] }
        let commands = [
            (localized("Turn on \(row.name)"), toggle.on), (localized("Turn off \(row.name)"), toggle.off),
        ].map { name, value in
            let action = SearchEntry.Action(
                label: name, path: "/services/\(row.id)/values",
                field: ("\(toggle.characteristic)", value.formText))
            return SearchEntry(
                id: "\(entry.id)-\(value.formText)", name: name, about: entry.about, icon: entry.icon,
                target: .action(action),
                text: SearchText(name, context: [room(row, home)], object: row.name))
        }
        return [entry] + commands
    }

    private static func room(_ row: ServiceRow, _ home: Home) -> String {
        home.room(row.room).map(home.displayName) ?? ""
    }

    private static func toggle(_ row: ServiceRow, _ home: Home, _ visitor: Visitor) -> SearchEntry.Action? {
        guard let toggle = row.toggle else { return nil }
        let write = CharacteristicWriteAction(characteristic: toggle.characteristic, targetValue: toggle.next)
        guard visitor.access.mayOpen || home.isOpening(write) != true else { return nil }
        return SearchEntry.Action(
            label: row.kind.touchWords(isOn: toggle.isOn == true), path: "/services/\(row.id)/values",
            field: ("\(toggle.characteristic)", toggle.next.formText))
    }

    /// The accessories without a row, such as bridges, and those whose name differs from those of its services.
    private static func accessories(_ home: Home) -> [SearchEntry] {
        home.accessories.sortedForDisplay.filter { accessory in
            !accessory.rows().contains { NameKey($0.name) == NameKey(accessory.name) }
        }.map { accessory in
            let room = home.room(accessory.room).map(home.displayName) ?? ""
            let kind = accessory.category.shownName
            return SearchEntry(
                id: "q-\(accessory.id)", name: accessory.name, about: "\(kind), \(room)", icon: "other",
                target: .page("/accessories/\(accessory.id)"),
                text: SearchText(accessory.name, context: [room, kind, accessory.manufacturer]))
        }
    }

    private static func rooms(_ home: Home) -> [SearchEntry] {
        let query = home.isPrimary ? [:] : ["home": "\(home.id)"]
        return home.rooms.sortedForDisplay.map { room in
            SearchEntry(
                id: "q-\(room.id)", name: room.name, about: localized("Room"), icon: "room",
                target: .page("/rooms/\(room.id)"),
                text: SearchText(room.name, context: [localized("Room")]))
        }
            + home.zones.sortedForDisplay.map { zone in
                SearchEntry(
                    id: "q-\(zone.id)", name: zone.name, about: localized("Zone"), icon: "room",
                    target: .page("/" + Query(query.merging(["zone": "\(zone.id)"]) { $1 }).text),
                    text: SearchText(zone.name, context: [localized("Zone")]))
            }
    }

    private static func scenes(_ home: Home) -> [SearchEntry] {
        home.actionSets.sortedForDisplay.flatMap { scene in
            let run = SearchEntry.Action(label: localized("Run"), path: "/scenes/\(scene.id)/run")
            let entry = SearchEntry(
                id: "q-\(scene.id)", name: scene.name, about: localized("Scene"), icon: "scene",
                target: .page("/scenes/\(scene.id)"), side: scene.actions.isEmpty ? nil : run,
                text: SearchText(scene.name, context: [localized("Scene")]))
            return scene.actions.isEmpty
                ? [entry]
                : [
                    entry,
                    command(localized("Run \(scene.name)"), scene.name, localized("Scene"), "scene", run, entry.id),
                ]
        }
    }

    private static func automations(_ home: Home, _ visitor: Visitor) -> [SearchEntry] {
        home.triggers.sortedForDisplay.flatMap { trigger in
            let run = SearchEntry.Action(label: localized("Run"), path: "/automations/\(trigger.id)/run")
            let entry = SearchEntry(
                id: "q-\(trigger.id)", name: trigger.name, about: localized("Automation"), icon: "automation",
                target: .page("/automations/\(trigger.id)"), side: visitor.isEditor ? run : nil,
                text: SearchText(trigger.name, context: [localized("Automation")]))
            return visitor.isEditor
                ? [
                    entry,
                    command(
                        localized("Run \(trigger.name)"), trigger.name, localized("Automation"), "automation", run,
                        entry.id),
                ] : [entry]
        }
    }

    /// Returns an entry that performs an action, and that the visitor finds by its verb.
    private static func command(
        _ name: String, _ object: String, _ about: String, _ icon: String, _ action: SearchEntry.Action, _ id: String
    ) -> SearchEntry {
        SearchEntry(
            id: "\(id)-run", name: name, about: about, icon: icon, target: .action(action),
            text: SearchText(name, object: object))
    }

    // MARK: Actions

    private static func actions(_ home: Home, _ visitor: Visitor, _ query: String) -> [SearchEntry] {
        let rows = home.rows().filter { $0.problem == nil && $0.toggle?.isOn == true }
        var entries: [SearchEntry] = []
        func add(_ name: String, _ about: String, _ icon: String, _ target: SearchEntry.Target, _ words: String...) {
            entries.append(
                SearchEntry(
                    id: "q-a\(entries.count)", name: name, about: about, icon: icon, target: target,
                    text: SearchText(name, context: words), isSuggested: true))
        }
        let lit = rows.count { $0.kind == .lightbulb }
        if home.rows().contains(where: { $0.kind == .lightbulb }) {
            let action = SearchEntry.Action(
                label: localized("Turn off all lights"), path: "/homes/\(home.id)/lights/off")
            add(
                action.label, localized("\(lit) light is on", plural: "\(lit) lights are on", count: lit), "light",
                .action(action))
        }
        for room in home.rooms.sortedForDisplay {
            let name = localized("Turn off everything in \(room.name)")
            guard rows.contains(where: { $0.room == room.id && $0.kind.isSwitchedOffTogether }) else { continue }
            entries.append(
                SearchEntry(
                    id: "q-\(room.id)-off", name: name, about: localized("Room"), icon: "room",
                    target: .action(SearchEntry.Action(label: name, path: "/rooms/\(room.id)/off")),
                    text: SearchText(name, context: [localized("all lights")])))
        }
        guard visitor.isEditor else { return entries }
        add(
            localized("Add an accessory"), localized("Pair a new device"), "add", .page("/add" + query),
            localized("new device pair setup", context: "search words"))
        add(
            localized("Select accessories"), localized("Move, rename or hide many at once"), "list",
            .page("/accessories" + query),
            localized("bulk edit rename move hide favorite", context: "search words"))
        add(
            localized("Add an automation"), "", "automation", .page("/automations/new" + query),
            localized("new", context: "search words"))
        guard visitor.isOwner else { return entries }
        add(
            localized("Invite a person"), localized("Give access to this page"), "key", .page("/access"),
            localized("guest member share user link", context: "search words"))
        return entries
    }

    private static func pages(_ visitor: Visitor, _ query: String) -> [SearchEntry] {
        let all = [
            (localized("Scenes"), "/scenes", "scene", true), (localized("Activity"), "/activity", "history", true),
            (localized("Automations"), "/automations", "automation", visitor.seesAllRooms),
            (localized("Rooms and zones"), "/rooms", "room", visitor.isEditor),
            (localized("People and location"), "/people", "people", visitor.isEditor),
            (localized("Names"), "/names", "names", visitor.isEditor),
            (localized("Access"), "/access", "key", visitor.isOwner),
            (localized("Privacy"), "/privacy", "privacy", visitor.isOwner),
            (localized("Bridge"), "/bridge", "bridge", visitor.isOwner),
        ]
        return all.filter(\.3).map { name, path, icon, _ in
            SearchEntry(
                id: "q-" + path.dropFirst(), name: name, about: localized("Page"), icon: icon,
                target: .page(path + query),
                text: SearchText(name))
        }
    }
}
