import HAPModel

/// The names in use in a namespace, with their owners.
struct Namespace {
    /// The error code for a name in use.
    var code: HomeError.Code
    /// The end of a sentence about a name in use: `in this home`.
    var place: String
    private(set) var owners: [NameKey: String] = [:]

    init(_ code: HomeError.Code, place: String) {
        self.code = code
        self.place = place
    }

    mutating func insert(_ name: String, of kind: String) {
        owners[NameKey(name)] = "\(kind) named \"\(name)\""
    }

    var taken: Set<NameKey> { Set(owners.keys) }

    /// Validates a name and returns its composed form (NFC) for storage.
    ///
    /// A rename doesn't conflict with the object's current name.
    ///
    /// - Throws: `HomeError` with code 51, 46, 35, 36 or 60 if the name violates a rule, 33 if it's the current name,
    ///   and ``code`` if it's in use, checked in this order. All errors except 33 include suggestions.
    func checked(_ name: String, current: String? = nil, context: NameContext) throws(HomeError) -> String {
        var context = context
        let own = current.map { NameKey($0) }
        context.taken = taken.subtracting(own.map { [$0] } ?? [])
        let violations = NameRules.violations(of: name)
        if let first = violations.first {
            throw HomeError(
                first.code, detail: violations.map(\.explanation).joined(separator: ", "),
                suggestions: context.suggestions(for: name))
        }
        if name == current { throw HomeError(.renameWithSimilarName) }
        let key = NameKey(name)
        if key != own, let owner = owners[key] {
            throw HomeError(code, detail: "\(owner) exists \(place)", suggestions: context.suggestions(for: name))
        }
        return name.nfc
    }
}

extension Home {
    /// The namespace that rooms, zones, accessories, scenes and service groups share with the home itself.
    var namespace: Namespace {
        var namespace = Namespace(.objectWithSimilarNameExistsInHome, place: "in this home")
        namespace.insert(name, of: "a home")
        for room in rooms { namespace.insert(room.name, of: "a room") }
        for zone in zones { namespace.insert(zone.name, of: "a zone") }
        for accessory in accessories { namespace.insert(accessory.name, of: "an accessory") }
        for actionSet in actionSets { namespace.insert(actionSet.name, of: "a scene") }
        for group in serviceGroups { namespace.insert(group.name, of: "a service group") }
        return namespace
    }

    func nameContext(of accessory: Accessory) -> NameContext {
        var context = NameContext(
            serviceType: accessory.primaryService?.type, maker: accessory.maker, locations: nameLocations)
        if accessory.category == .bridge { context.noun = "Bridge" }
        return context
    }
}

extension Accessory {
    var namespace: Namespace {
        var namespace = Namespace(.objectWithSimilarNameExists, place: "in this accessory")
        for service in services where service.isUserInteractive { namespace.insert(service.name, of: "a part") }
        return namespace
    }
}

extension HomeGraph {
    var namespace: Namespace {
        var namespace = Namespace(.homeWithSimilarNameExists, place: "already")
        for home in homes { namespace.insert(home.name, of: "a home") }
        return namespace
    }
}
