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
        return try Finder(objects: self, noun: localized("home"), place: "", listing: "homes", isWhole: isWhole).one(
            typed)
    }
}

extension Home {
    /// Returns the room with the given name or identifier.
    ///
    /// The home's own name refers to its default room.
    package func room(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Room {
        try find(typed, among: rooms + [defaultRoom], noun: localized("room"), listing: "rooms", isWhole: isWhole)
    }

    /// Returns the zone with the given name or identifier.
    package func zone(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Zone {
        try find(typed, among: zones, noun: localized("zone"), listing: "zones", isWhole: isWhole)
    }

    /// Returns the accessory with the given name or identifier.
    package func accessory(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Accessory {
        try find(typed, among: accessories, noun: localized("accessory"), listing: "accessories", isWhole: isWhole)
    }

    /// Returns the service group with the given name or identifier.
    package func group(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> ServiceGroup {
        try find(typed, among: serviceGroups, noun: localized("group"), listing: "groups", isWhole: isWhole)
    }

    /// Returns the service that the text `ACCESSORY` or `ACCESSORY/PART` refers to.
    package func part(addressed typed: String) throws(HomeError) -> Service {
        let words = typed.split(separator: "/", maxSplits: 1).map(String.init)
        return try accessory(addressed: words.first ?? "").part(addressed: words.count > 1 ? words[1] : nil)
    }

    /// Returns the scene with the given name or identifier.
    package func scene(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> ActionSet {
        try find(typed, among: actionSets, noun: localized("scene"), listing: "scenes", isWhole: isWhole)
    }

    /// Returns the automation with the given name or identifier.
    package func trigger(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Trigger {
        try find(typed, among: triggers, noun: localized("automation"), listing: "automations", isWhole: isWhole)
    }

    /// Returns the person with the given name or identifier.
    package func person(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Resident {
        try find(typed, among: people, noun: localized("person"), listing: "people", isWhole: isWhole)
    }

    /// Returns the object of this home with the given name or identifier.
    private func find<Object: NamedObject>(
        _ typed: String, among objects: [Object], noun: String, listing: String, isWhole: Bool
    ) throws(HomeError) -> Object where Object.ID == Identifier<Object> {
        try Finder(objects: objects, noun: noun, place: localized("in \(name)"), listing: listing, isWhole: isWhole)
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
            noun: localized("part"), place: localized("of \(name)"), listing: "show \"\(name)\""
        ).one(typed)
    }
}
