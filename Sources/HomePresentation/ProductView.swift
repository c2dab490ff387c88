public import HAPModel
public import HomeModel
import Texts

/// The ways to group the services of a home for display.
@nonexhaustive
public enum ProductGrouping: String, Sendable, Hashable, CaseIterable {
    /// One section for each room that isn't empty.
    case room
    /// One section for each zone, and one for rooms that aren't in a zone.
    case zone
    /// One section for each category of accessories.
    case category
    /// One section for each kind of service: lights, locks, temperature sensors.
    case kind
}

/// Services that are displayed together.
public struct ProductSection: Sendable, Hashable {
    /// The section's heading.
    public var name: String
    /// The section's rows in display order: favorites first, then by name.
    public var rows: [ServiceRow]
    /// The room, if the section represents one.
    public var room: Room.ID?
    /// The zone, if the section represents one.
    public var zone: Zone.ID?
}

/// A filter of a home's services.
///
/// An empty filter includes all services of types that HAP defines.
public struct ProductFilter: Sendable, Hashable {
    /// The manufacturers, ignoring case and spaces; empty for all.
    public var makers: Set<String> = []
    /// The displayed types; empty for all.
    public var kinds: Set<ServiceType> = []
    /// The characteristics that each service must have, such as brightness.
    public var capabilities: Set<CharacteristicType> = []
    /// A Boolean value that indicates whether to include only favorites.
    public var isOfFavorites = false
    /// A Boolean value that indicates whether to include vendor-specific services.
    public var hasMakersOwn = false

    /// Creates a filter that includes all services of types that HAP defines.
    public init() {}

    fileprivate func wants(_ accessory: Accessory) -> Bool {
        makers.isEmpty || makers.contains { NameKey($0) == NameKey(accessory.manufacturer) }
    }

    fileprivate func wants(_ service: Service) -> Bool {
        service.type != .inputSource && (hasMakersOwn || service.type.isKnown)
            && (kinds.isEmpty || kinds.contains(service.associatedServiceType ?? service.type))
            && (!isOfFavorites || service.isFavorite) && capabilities.allSatisfy { service.characteristic($0) != nil }
    }
}

extension Accessory {
    /// Returns a row for each service of the accessory that is meant for users, main service first.
    ///
    /// Inputs of televisions have no rows.
    public func rows(_ filter: ProductFilter = ProductFilter()) -> [ServiceRow] {
        filter.wants(self) ? parts.filter(filter.wants).map(row) : []
    }
}

extension Home {
    /// Returns the rows of the home's services in display order.
    ///
    /// - Parameter filter: The services to include.
    /// - Returns: A row for each service that is meant for users: favorites first, then by name. Inputs of televisions
    ///   have no rows.
    public func rows(_ filter: ProductFilter = ProductFilter()) -> [ServiceRow] {
        accessories.flatMap { $0.rows(filter) }.sortedForProduct
    }

    /// Returns the row of a service; `nil` if the service isn't meant for users, or if it isn't in this home.
    public func row(of id: Service.ID) -> ServiceRow? {
        guard let accessory = accessory(of: id), let service = accessory.service(id), service.isUserInteractive else {
            return nil
        }
        return accessory.row(of: service)
    }

    /// Returns the home's services in sections.
    ///
    /// The sections are in display order, whatever the order of the home's lists. Empty sections are omitted. A room in
    /// several zones appears in the section of each zone.
    public func sections(by grouping: ProductGrouping, _ filter: ProductFilter = ProductFilter()) -> [ProductSection] {
        let rows = rows(filter)
        switch grouping {
        case .room:
            let byRoom = Dictionary(grouping: rows, by: \.room)
            return (rooms.sortedForDisplay + [defaultRoom]).compactMap { room in
                byRoom[room.id].map { ProductSection(name: displayName(of: room), rows: $0, room: room.id) }
            }
        case .zone:
            let sections = zones.sortedForDisplay.map { zone in
                ProductSection(name: zone.name, rows: rows.filter { zone.rooms.contains($0.room) }, zone: zone.id)
            }
            let rest = rows.filter { row in !zones.contains { $0.rooms.contains(row.room) } }
            return (sections + [ProductSection(name: localized("Other Rooms"), rows: rest)]).filter { !$0.rows.isEmpty }
        case .category:
            let categories = Dictionary(uniqueKeysWithValues: accessories.map { ($0.id, $0.category) })
            return named(rows) { (categories[$0.accessory] ?? .other).shownName }
        case .kind: return named(rows, by: \.kindName)
        }
    }

    private func named(_ rows: [ServiceRow], by name: (ServiceRow) -> String) -> [ProductSection] {
        let groups = Dictionary(grouping: rows, by: name)
        return groups.keys.sorted { (NameKey($0), $0) < (NameKey($1), $1) }
            .map { ProductSection(name: $0, rows: groups[$0] ?? []) }
    }
}

extension Sequence<ServiceRow> {
    var sortedForProduct: [ServiceRow] {
        map { (key: NameKey($0.name), row: $0) }
            .sorted {
                ($0.row.isFavorite ? 0 : 1, $0.key, $0.row.name, $0.row.id)
                    < ($1.row.isFavorite ? 0 : 1, $1.key, $1.row.name, $1.row.id)
            }
            .map(\.row)
    }
}

// MARK: Selecting a home

extension Collection<Home> {
    /// Returns the home to show: the chosen home if it exists, otherwise the primary home.
    public func shown(_ choice: Home.ID?) -> Home? {
        first { $0.id == choice } ?? first(where: \.isPrimary) ?? first
    }
}

// MARK: Summary

extension Collection<ServiceRow> {
    /// A summary of the services in English: `3 lights on, Front Door open, 21.5 °C`.
    ///
    /// The order is alerts, active devices, open or unlocked entrances, and measurements. The summary is empty if there
    /// is nothing to report.
    public var summary: String {
        let present = filter { $0.problem == nil }
        var words = present.filter(\.state.isAlert).map { "\($0.name): \($0.state.words)" }
        words += [ServiceType.lightbulb, .outlet, .switch, .fan, .valve].compactMap { kind in
            let count = present.count { $0.kind.family == kind && $0.state.isActive }
            let noun = localizedInSentence(key: count == 1 ? kind.noun : kind.plural)
            guard count > 0 else { return nil }
            return kind == .valve ? localized("\(count) \(noun) open") : localized("\(count) \(noun) on")
        }
        let ways = present.filter { $0.kind.isWayIn && $0.state.isActive && !$0.state.isAlert }
        words +=
            ways.count > 2
            ? [localized("\(ways.count) doors and windows open")] : ways.map { "\($0.name) \($0.state.words)" }
        let temperatures = present.compactMap(\.temperature)
        if let low = temperatures.min(), let high = temperatures.max() {
            let ends = low == high ? [low.rounded(toDigits: 1)] : [low, high].map { $0.rounded(toDigits: 0) }
            words.append("\(ends.joined(separator: " – ")) °C")
        }
        let low = Set(filter { $0.battery?.isAlert == true }.map(\.accessory)).count
        if low > 0 { words.append(localized("1 battery low", plural: "\(low) batteries low", count: low)) }
        let away = Set(filter { $0.problem != nil }.map(\.accessory)).count
        if away > 0 { words.append(localized("1 isn't responding", plural: "\(away) aren't responding", count: away)) }
        return words.joined(separator: ", ")
    }
}

extension ServiceType {
    /// The type under which the summary counts services of this type.
    fileprivate var family: ServiceType { self == .fanv2 ? .fan : self }

    /// A Boolean value that indicates whether the service belongs to a door or window.
    fileprivate var isWayIn: Bool {
        [.contactSensor, .door, .garageDoorOpener, .lockMechanism, .window].contains(self)
    }

    /// The plural noun of the type in English, which is also its key in catalogs.
    package var plural: String {
        // An air conditioner isn't a heater.
        if self == .heaterCooler { return "Heaters and Coolers" }
        let noun = usualName
        if noun.hasSuffix("ch") || noun.hasSuffix("ss") { return noun + "es" }
        if noun.hasSuffix("s") { return noun }
        if noun.hasSuffix("y") { return noun.dropLast() + "ies" }
        return noun + "s"
    }
}

// MARK: Names of types

extension ServiceType {
    /// The usual name of the type in English, such as `Button` for a Stateless Programmable Switch.
    package var usualName: String {
        // An air conditioner isn't a heater.
        if self == .heaterCooler { return "Heater or Cooler" }
        return noun == Self.defaultNoun || category == .sensor ? localizedDescription : noun
    }

    /// The usual name of the type in the language of the request.
    package var shownName: String { localized(key: usualName) }
}

extension Service {
    /// The usual name of the service's type in English.
    package var usualName: String { type.isKnown ? type.usualName : localizedDescription }

    /// The usual name of the service's type in the language of the request.
    package var shownType: String { localized(key: usualName) }
}

extension Characteristic {
    /// The name of the characteristic's type in the language of the request.
    package var shownType: String { localized(key: localizedDescription) }
}

extension AccessoryCategory {
    /// The category's name in the language of the request.
    package var shownName: String { localized(key: localizedDescription) }
}

// MARK: Errors

extension HomeError {
    /// The message in the language of the request.
    ///
    /// Only constant texts are in catalogs; the others are in English.
    package var localizedMessage: String {
        guard TextCatalog.current != nil else { return message }
        let names = suggestions.map(\.quoted).joined(separator: ", ")
        let suggestion = names.isEmpty ? nil : localized("try \(names)")
        return [localizedProblem, effectiveRemedy.map { localized(key: $0) }, suggestion].compactMap(\.self)
            .joined(separator: "; ")
    }

    /// The problem in the language of the request.
    ///
    /// The detail of an error about a name or a scene is in English. In other languages, it's replaced by the text of
    /// the code, or by the failures of the scene.
    package var localizedProblem: String {
        guard TextCatalog.current != nil else { return problem }
        guard failures.isEmpty else {
            let reasons = failures.prefix(3).map { failure in
                let reason = failure.error.localizedMessage
                return failure.name.map { "\($0.quoted): \(reason)" } ?? reason
            }
            return (reasons + (failures.count > 3 ? [localized("and more")] : [])).joined(separator: ", ")
        }
        return switch code {
        case .homeWithSimilarNameExists, .objectWithSimilarNameExists, .objectWithSimilarNameExistsInHome,
            .nameContainsProhibitedCharacters, .nameDoesNotStartWithValidCharacters,
            .nameDoesNotEndWithValidCharacters:
            localized(key: code.problem)
        // An error about a name has suggestions, unlike one about a value.
        case .stringLongerThanMaximum where !suggestions.isEmpty: localized(key: code.problem)
        default: localized(key: problem)
        }
    }
}

extension String {
    /// The name in the quotation marks of the request's language.
    fileprivate var quoted: String { localized("\"\(self)\"", context: "name") }
}
