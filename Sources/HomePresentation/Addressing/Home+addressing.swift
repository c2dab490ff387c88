package import HomeModel
import SystemKit
import Texts

extension [Home] {
    /// Returns the home with the given name, or the primary home if no name is given.
    ///
    /// - Throws: `HomeError` with code 2 if nothing matches.
    package func home(_ typed: String?, isWhole: Bool = false) throws(HomeError) -> Home {
        guard let typed else {
            guard let home = shown(nil) else {
                throw HomeError(
                    .notFound, detail: "you have no homes yet; add one with \(ShellCommand.homehub) homes add NAME")
            }
            return home
        }
        return try Finder(objects: self, noun: "home", place: "", listing: "homes", isWhole: isWhole).one(typed)
    }
}

extension Home {
    /// Returns the room with the given name or identifier.
    ///
    /// The home's own name refers to its default room.
    package func room(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Room {
        try Finder(
            objects: rooms + [defaultRoom], noun: localized("room"), place: localized("in \(name)"), listing: "rooms",
            isWhole: isWhole
        ).one(typed)
    }

    /// Returns the zone with the given name or identifier.
    package func zone(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Zone {
        try Finder(
            objects: zones, noun: localized("zone"), place: localized("in \(name)"), listing: "zones", isWhole: isWhole
        )
        .one(typed)
    }

    /// Returns the accessory with the given name or identifier.
    package func accessory(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Accessory {
        try Finder(
            objects: accessories, noun: localized("accessory"), place: localized("in \(name)"), listing: "accessories",
            isWhole: isWhole
        )
        .one(typed)
    }

    /// Returns the service group with the given name or identifier.
    package func group(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> ServiceGroup {
        try Finder(
            objects: serviceGroups, noun: localized("group"), place: localized("in \(name)"), listing: "groups",
            isWhole: isWhole
        )
        .one(typed)
    }

    /// Returns the service that the text `ACCESSORY` or `ACCESSORY/PART` refers to.
    package func part(addressed typed: String) throws(HomeError) -> Service {
        let words = typed.split(separator: "/", maxSplits: 1).map(String.init)
        return try accessory(addressed: words.first ?? "").part(addressed: words.count > 1 ? words[1] : nil)
    }

    /// Returns the scene with the given name or identifier.
    package func scene(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> ActionSet {
        try Finder(
            objects: actionSets, noun: localized("scene"), place: localized("in \(name)"), listing: "scenes",
            isWhole: isWhole
        )
        .one(typed)
    }

    /// Returns the automation with the given name or identifier.
    package func trigger(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Trigger {
        try Finder(
            objects: triggers, noun: localized("automation"), place: localized("in \(name)"), listing: "automations",
            isWhole: isWhole
        )
        .one(typed)
    }

    /// Returns the person with the given name or identifier.
    package func person(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Resident {
        try Finder(
            objects: people, noun: localized("person"), place: localized("in \(name)"), listing: "people",
            isWhole: isWhole
        )
        .one(typed)
    }
}

extension Accessory {
    /// Returns the service with the given name or identifier, or the primary service if no name is given.
    ///
    /// - Throws: `HomeError` with code 2 if nothing matches.
    package func part(addressed typed: String?) throws(HomeError) -> Service {
        guard let typed else {
            guard let service = primaryService else {
                throw HomeError(.notFound, detail: localized("\(name) has no controls or sensors"))
            }
            return service
        }
        return try Finder(
            objects: services.filter { $0.isUserInteractive || "\($0.id)" == typed.uppercased() },
            noun: localized("part"),
            place: localized("of \(name)"), listing: "show \"\(name)\""
        ).one(typed)
    }
}
