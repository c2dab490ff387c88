import HomeModel
import HomePresentation

extension [Home] {
    /// Returns the home with the given name, or the primary home.
    ///
    /// - Throws: `HomeError` with code 2 if nothing matches.
    func home(_ typed: String?, isWhole: Bool = false) throws(HomeError) -> Home {
        guard let typed else {
            guard let home = shown(nil) else {
                throw HomeError(.notFound, detail: "you have no homes yet; add one with homehub homes add NAME")
            }
            return home
        }
        return try Finder(objects: self, noun: "home", place: "", listing: "homes", isWhole: isWhole).one(typed)
    }
}

extension Home {
    /// Returns the room with a name or identifier.
    ///
    /// The home's own name refers to its default room.
    func room(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Room {
        try Finder(
            objects: rooms + [defaultRoom], noun: "room", place: "in \(name)", listing: "rooms", isWhole: isWhole
        ).one(typed)
    }

    func zone(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Zone {
        try Finder(objects: zones, noun: "zone", place: "in \(name)", listing: "zones", isWhole: isWhole)
            .one(typed)
    }

    func accessory(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> Accessory {
        try Finder(
            objects: accessories, noun: "accessory", place: "in \(name)", listing: "accessories", isWhole: isWhole
        )
        .one(typed)
    }

    func group(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> ServiceGroup {
        try Finder(objects: serviceGroups, noun: "group", place: "in \(name)", listing: "groups", isWhole: isWhole)
            .one(typed)
    }

    /// Returns a service of an accessory, given as `ACCESSORY` or `ACCESSORY/PART`.
    func part(addressed typed: String) throws(HomeError) -> Service {
        let words = typed.split(separator: "/", maxSplits: 1).map(String.init)
        return try accessory(addressed: words.first ?? "").part(addressed: words.count > 1 ? words[1] : nil)
    }

    func scene(addressed typed: String, isWhole: Bool = false) throws(HomeError) -> ActionSet {
        try Finder(objects: actionSets, noun: "scene", place: "in \(name)", listing: "scenes", isWhole: isWhole)
            .one(typed)
    }
}

extension Home {
    /// Adds a remedy to an error for a room's or zone's name: if an accessory has the name, it suggests renaming the
    /// accessory.
    func offeringRename(_ error: HomeError, of typed: String) -> HomeError {
        guard error.code == .objectWithSimilarNameExistsInHome, let accessory = accessories.named(typed).first,
            let name = suggestedNames(from: accessory.primaryService?.localizedDescription ?? "", for: accessory.id)
                .first
        else { return error }
        let offer =
            "to free the name, use homehub rename '\(accessory.name.shown)' '\(name)' --kind accessory"
        return HomeError(
            error.code, detail: error.problem,
            remedy: error.effectiveRemedy.map { "\($0); \(offer)" } ?? offer,
            accessory: error.accessory, suggestions: error.suggestions)
    }
}

extension Accessory {
    /// Returns the service with a name or identifier, or the primary service if no name is given.
    ///
    /// - Throws: `HomeError` with code 2 if nothing matches.
    func part(addressed typed: String?) throws(HomeError) -> Service {
        guard let typed else {
            guard let service = primaryService else {
                throw HomeError(.notFound, detail: "\(name) has no controls or sensors")
            }
            return service
        }
        return try Finder(
            objects: services.filter { $0.isUserInteractive || "\($0.id)" == typed.uppercased() }, noun: "part",
            place: "of \(name)", listing: "show \"\(name)\""
        ).one(typed)
    }
}
