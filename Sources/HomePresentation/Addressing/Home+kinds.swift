package import HAPModel
package import HomeModel

extension Home {
    /// Returns the kinds that a word refers to: `lights`, `lamp`, `temperature sensors`, `sensors`.
    ///
    /// - Throws: `HomeError` with code 2 if the word is unknown.
    package func kinds(addressed typed: String) throws(HomeError) -> Set<ServiceType> {
        guard let kinds = Self.kinds(NameKey(typed)) else {
            let here = Set(rows().map(\.kindName)).sorted()
            let near = here.map { $0.lowercased() }.near(typed)
            let choices = here.prefix(8).map { $0.lowercased() }.joined(separator: ", ")
            let isListed = near.isEmpty && !choices.isEmpty
            throw HomeError(
                .notFound, detail: "unknown kind \"\(typed.shown)\"" + (isListed ? "; \(name) has \(choices)" : ""),
                suggestions: near)
        }
        return kinds
    }

    /// Returns the kinds with the given name, or `nil` if the name is unknown.
    package static func kinds(_ key: NameKey) -> Set<ServiceType>? { kindsByName[key] }

    private static let kindsByName: [NameKey: Set<ServiceType>] = {
        var kinds: [NameKey: Set<ServiceType>] = [:]
        for type in ServiceDefinition.all.map(\.type) {
            let words = [type.localizedDescription, type.plural] + (synonyms[type] ?? [])
            for word in words + (type.category == .sensor ? ["sensor", "sensors"] : [type.noun]) {
                kinds[NameKey(word), default: []].insert(type)
            }
        }
        kinds[NameKey("Accessory")] = nil
        return kinds
    }()

    /// Other words for kinds, in addition to the names in the catalog.
    private static let synonyms: [ServiceType: [String]] = [
        .lightbulb: ["lamp", "lamps", "bulb", "bulbs", "lightbulbs"], .outlet: ["plug", "plugs", "socket", "sockets"],
        .windowCovering: ["shade", "shades", "curtain", "curtains", "shutter", "shutters"],
        .television: ["tv", "tvs"],
        .heaterCooler: ["heating", "heater", "heaters", "air conditioner", "air conditioners"],
        .garageDoorOpener: ["garage", "garages"], .securitySystem: ["alarm system"],
    ]
}
