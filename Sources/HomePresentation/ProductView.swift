public import HAPModel
public import HomeModel

// HAPModel has types with these names, too.
public import struct HomeModel.Accessory
public import struct HomeModel.Service

/// How the things of a home are put together for people.
@nonexhaustive
public enum ProductGrouping: String, Sendable, Hashable, CaseIterable {
    /// A section for each room that has something in it.
    case room
    /// A section for each zone, and one for the rooms that are in none.
    case zone
    /// A section for each category of accessories.
    case category
    /// A section for each kind of thing: lights, locks, temperature sensors.
    case kind
}

/// Things that are shown together.
public struct ProductSection: Sendable, Hashable {
    /// The section's heading.
    public var name: String
    /// Its rows in the order to show them: favorites first, then by name.
    public var rows: [ServiceRow]
    /// The room, if the section is one.
    public var room: Room.ID?
    /// The zone, if the section is one.
    public var zone: Zone.ID?
}

/// Which of a home's things are wanted; an empty filter wants all that HAP knows.
public struct ProductFilter: Sendable, Hashable {
    /// The makers, whatever case and spaces they are written with; all if empty.
    public var makers: Set<String> = []
    /// What they are shown as; all kinds if empty.
    public var kinds: Set<ServiceType> = []
    /// What each must have a value of, such as brightness.
    public var capabilities: Set<CharacteristicType> = []
    /// Whether only favorites are wanted.
    public var isOfFavorites = false
    /// Whether makers' own kinds of service, which HAP does not know, are wanted, too.
    public var hasMakersOwn = false

    /// Wants all that HAP knows.
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
    /// Returns a row for each part that people use, the main one first; inputs of televisions have none.
    public func rows(_ filter: ProductFilter = ProductFilter()) -> [ServiceRow] {
        filter.wants(self) ? parts.filter(filter.wants).map(row) : []
    }
}

extension Home {
    /// The home's things one by one, in the order to show them.
    ///
    /// - Parameter filter: which are wanted.
    /// - Returns: a row for each part that people use: favorites first, then by name. An input of a television is no row.
    public func rows(_ filter: ProductFilter = ProductFilter()) -> [ServiceRow] {
        accessories.flatMap { $0.rows(filter) }.sortedForProduct
    }

    /// The row of a service; `nil` if it is none that people use, or not of this home.
    public func row(of id: Service.ID) -> ServiceRow? {
        guard let accessory = accessory(of: id), let service = accessory.service(id), service.isUserInteractive else {
            return nil
        }
        return accessory.row(of: service)
    }

    /// The home's things in sections; the same home gives the same answer, whatever order its lists have.
    ///
    /// The sections are in the order to show them, and none is empty. A room of several zones is in each of them.
    public func sections(by grouping: ProductGrouping, _ filter: ProductFilter = ProductFilter()) -> [ProductSection] {
        let rows = rows(filter)
        switch grouping {
        case .room:
            let byRoom = Dictionary(grouping: rows, by: \.room)
            return (rooms + [defaultRoom]).sortedForDisplay.compactMap { room in
                byRoom[room.id].map { ProductSection(name: displayName(of: room), rows: $0, room: room.id) }
            }
        case .zone:
            let sections = zones.sortedForDisplay.map { zone in
                ProductSection(name: zone.name, rows: rows.filter { zone.rooms.contains($0.room) }, zone: zone.id)
            }
            let rest = rows.filter { row in !zones.contains { $0.rooms.contains(row.room) } }
            return (sections + [ProductSection(name: "Elsewhere", rows: rest)]).filter { !$0.rows.isEmpty }
        case .category:
            let categories = Dictionary(uniqueKeysWithValues: accessories.map { ($0.id, $0.category) })
            return named(rows) { (categories[$0.accessory] ?? .other).localizedDescription }
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
    fileprivate var sortedForProduct: [ServiceRow] {
        map { (key: NameKey($0.name), row: $0) }
            .sorted {
                ($0.row.isFavorite ? 0 : 1, $0.key, $0.row.name, $0.row.id)
                    < ($1.row.isFavorite ? 0 : 1, $1.key, $1.row.name, $1.row.id)
            }
            .map(\.row)
    }
}

// MARK: Which home

extension Collection<Home> {
    /// The home to show: the one that was chosen as long as there is one, else the primary one, whichever that is.
    public func shown(_ choice: Home.ID?) -> Home? {
        first { $0.id == choice } ?? first(where: \.isPrimary) ?? first
    }
}

// MARK: At a glance

extension Collection<ServiceRow> {
    /// What of these things a person wants to know at a glance, in English: `3 lights on, Front Door open, 21.5 °C`.
    ///
    /// What is wrong comes first, then what is on, then what is open or unlocked, then what is measured. Empty if there is
    /// nothing to say.
    public var summary: String {
        let present = filter { $0.problem == nil }
        var words = present.filter(\.state.isAlert).map { "\($0.name): \($0.state.words)" }
        words += [ServiceType.lightbulb, .outlet, .switch, .fan].compactMap { kind in
            let count = present.count { $0.kind.family == kind && $0.state.isActive }
            return count == 0 ? nil : "\(count) \(count == 1 ? kind.noun.lowercased() : kind.plural.lowercased()) on"
        }
        let ways = present.filter { $0.kind.isWayIn && $0.state.isActive && !$0.state.isAlert }
        words += ways.count > 2 ? ["\(ways.count) doors and windows open"] : ways.map { "\($0.name) \($0.state.words)" }
        let temperatures = present.compactMap(\.temperature)
        if let low = temperatures.min(), let high = temperatures.max() {
            let ends = low == high ? [low.rounded(toDigits: 1)] : [low, high].map { $0.rounded(toDigits: 0) }
            words.append("\(ends.joined(separator: " – ")) °C")
        }
        let low = Set(filter { $0.battery?.isAlert == true }.map(\.accessory)).count
        if low > 0 { words.append(low == 1 ? "1 battery low" : "\(low) batteries low") }
        let away = Set(filter { $0.problem != nil }.map(\.accessory)).count
        if away > 0 { words.append(away == 1 ? "1 does not answer" : "\(away) do not answer") }
        return words.joined(separator: ", ")
    }
}

extension ServiceType {
    /// The kind under which people count such a thing.
    fileprivate var family: ServiceType { self == .fanv2 ? .fan : self }

    /// Whether somebody, or the weather, can come in by it.
    fileprivate var isWayIn: Bool {
        [.contactSensor, .door, .garageDoorOpener, .lockMechanism, .window].contains(self)
    }

    /// What several such things are called, in English.
    package var plural: String {
        let noun = noun == Self.defaultNoun || category == .sensor ? localizedDescription : noun
        if noun.hasSuffix("ch") || noun.hasSuffix("ss") { return noun + "es" }
        if noun.hasSuffix("s") { return noun }
        if noun.hasSuffix("y") { return noun.dropLast() + "ies" }
        return noun + "s"
    }
}
