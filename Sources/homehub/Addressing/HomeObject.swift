import ArgumentParser
import HomeModel
import HomePresentation

/// The kinds of named objects.
enum ObjectKind: String, CaseIterable, ExpressibleByArgument {
    case home, room, zone, accessory, part, scene, group

    /// The `homehub` command that lists such objects, without the program's name.
    var listing: String {
        switch self {
        case .home: "homes"
        case .room: "rooms"
        case .zone: "zones"
        case .accessory, .part: "accessories"
        case .scene: "scenes"
        case .group: "groups"
        }
    }
}

/// A named object of any kind.
enum HomeObject: Equatable {
    case home(Home)
    case room(Room)
    case zone(Zone)
    case accessory(Accessory)
    case part(Service, of: Accessory)
    case scene(ActionSet)
    case group(ServiceGroup)

    var kind: ObjectKind {
        switch self {
        case .home: .home
        case .room: .room
        case .zone: .zone
        case .accessory: .accessory
        case .part: .part
        case .scene: .scene
        case .group: .group
        }
    }

    var name: String {
        switch self {
        case .home(let home): home.name
        case .room(let room): room.name
        case .zone(let zone): zone.name
        case .accessory(let accessory): accessory.name
        case .part(let service, let accessory): accessory.shownName(of: service)
        case .scene(let scene): scene.name
        case .group(let group): group.name
        }
    }

    var id: String {
        switch self {
        case .home(let home): "\(home.id)"
        case .room(let room): "\(room.id)"
        case .zone(let zone): "\(zone.id)"
        case .accessory(let accessory): "\(accessory.id)"
        case .part(let service, _): "\(service.id)"
        case .scene(let scene): "\(scene.id)"
        case .group(let group): "\(group.id)"
        }
    }
}

extension [Home] {
    /// Returns the object with a name or identifier: a home or an object of the given home.
    ///
    /// An accessory takes precedence over its parts with the same name, and a home over its default room.
    /// `ACCESSORY/PART` refers to a part.
    ///
    /// - Throws: `HomeError` with code 2 if no object matches, 3 if several objects match.
    func object(_ typed: String, kind: ObjectKind?, in home: Home) throws(HomeError) -> HomeObject {
        if let slash = typed.firstIndex(of: "/") {
            let accessory = try home.accessory(addressed: String(typed[..<slash]))
            return .part(try accessory.part(addressed: String(typed[typed.index(after: slash)...])), of: accessory)
        }
        let objects = objects(of: home).filter { kind == nil || $0.kind == kind }
        if let object = objects.first(where: { $0.hasID(typed) }) { return object }
        let key = NameKey(typed)
        let found = objects.filter { NameKey($0.name) == key }
        // If a part has the same name as its accessory, the name selects the part only if `kind` requires a part.
        let meant = kind == nil ? found.filter { !$0.isNamesake(among: found) } : found
        guard let object = meant.first else {
            let names = objects.map(\.name)
            guard let kind else {
                throw HomeError(
                    .notFound, detail: "nothing in \(home.name) is called \"\(typed.shown)\"",
                    suggestions: names.near(typed))
            }
            throw Refusal.notFound(typed, "\(kind)", "in \(home.name)", kind.listing, among: names)
        }
        guard meant.count == 1 else {
            throw Refusal.ambiguous(typed, candidates: meant.map { ("the \($0.kind)", $0.unambiguous) })
        }
        return object
    }

    private func objects(of home: Home) -> [HomeObject] {
        var objects = map(HomeObject.home)
        objects += home.rooms.map(HomeObject.room)
        objects += home.zones.map(HomeObject.zone)
        objects += home.accessories.map(HomeObject.accessory)
        for accessory in home.accessories { objects += accessory.parts.map { .part($0, of: accessory) } }
        objects += home.actionSets.map(HomeObject.scene)
        objects += home.serviceGroups.map(HomeObject.group)
        return objects
    }
}

extension HomeObject {
    fileprivate func hasID(_ typed: String) -> Bool { id == typed.uppercased() }

    fileprivate func isNamesake(among found: [HomeObject]) -> Bool {
        guard case .part(_, let accessory) = self else { return false }
        return found.contains(.accessory(accessory))
    }

    /// A string that refers only to this object.
    fileprivate var unambiguous: String {
        guard case .part(let service, let accessory) = self else { return id }
        return "\(accessory.name)/\(service.name)"
    }
}

extension HomeObject {
    /// The name; for a part, preceded by its accessory's name.
    var qualifiedName: String {
        guard case .part(let service, let accessory) = self else { return name }
        return "\(accessory.name)/\(service.name)"
    }
}
