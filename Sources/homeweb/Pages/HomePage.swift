import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import LineRPC

/// The page of a home: active and open devices, favorites, and all accessories in sections.
struct HomePage: LivePage {
    let path: String
    let choice: Home.ID?
    let zone: Zone.ID?
    let grouping: ProductGrouping
    let filter: ProductFilter
    private let bridgeSocket: SocketLocation

    var place: String { "/" }

    init(path: String, query: Query, bridgeSocket: SocketLocation) {
        self.path = path
        self.bridgeSocket = bridgeSocket
        choice = query.home
        zone = query["zone"].flatMap { Zone.ID($0) }
        grouping = query["by"].flatMap(ProductGrouping.init) ?? .room
        var filter = ProductFilter()
        if let maker = query["maker"] { filter.makers = [maker] }
        if let kind = query["kind"].flatMap({ HAPType($0) }) { filter.kinds = [ServiceType(kind)] }
        if let capability = query["can"].flatMap({ HAPType($0) }) {
            filter.capabilities = [CharacteristicType(capability)]
        }
        filter.isOfFavorites = query["favorites"] == "1"
        filter.hasMakersOwn = query["makers-own"] == "1"
        self.filter = filter
    }

    private var isFiltered: Bool { zone != nil || filter != ProductFilter() }

    private func wants(_ row: ServiceRow, _ home: Home) -> Bool {
        guard let zone else { return true }
        return home.zone(zone)?.rooms.contains(row.room) == true
    }

    private func sections(_ home: Home) -> [ProductSection] {
        home.sections(by: grouping, filter).compactMap { section in
            var section = section
            section.rows = section.rows.filter { wants($0, home) }
            return section.rows.isEmpty ? nil : section
        }
    }

    private func favorites(_ home: Home) -> [ServiceRow] {
        isFiltered ? [] : home.rows(filter).filter(\.isFavorite)
    }

    func content(_ moment: Moment) async -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return PageContent(title: "No homes yet", "Add a home to get started.") }
        let sections = sections(home)
        let rows = sections.flatMap(\.rows)
        var shown: [Templates.Values] = []
        let favorites = favorites(home)
        if !favorites.isEmpty {
            shown.append([
                "id": "g-favorites", "name": "Favorites",
                "tiles": favorites.map { moment.tile($0, home, .favorites, back: path).values },
            ])
        }
        shown += sections.map { section in
            var values: Templates.Values = [
                "id": section.part, "name": section.name, "count": section.count,
                "tiles": section.rows.map { moment.tile($0, home, back: path).values },
            ]
            if let room = section.room { values["path"] = "/rooms/\(room)" }
            return values
        }
        var values: Templates.Values = [
            "name": home.name, "summary": summary(rows), "chips": chips(home, moment), "sections": shown,
            "nothing": isFiltered
                ? "Nothing matches this filter." : "This home is empty. Add an accessory to get started.",
        ]
        if home.accessories.isEmpty { values["offer"] = await BridgeOffer.values(bridgeSocket, moment) }
        if moment.homes.count > 1 {
            values["otherHomes"] = [
                "homes": moment.homes.map { other in
                    [
                        "name": other.name, "path": other.isPrimary ? "/" : "/?home=\(other.id)",
                        "current": other.id == home.id,
                    ] as Templates.Values
                }
            ]
        }
        if !filter.hasMakersOwn, home.rows(filter.withMakersOwn).count > home.rows(filter).count {
            values["more"] = [
                "path": link(home, ["makers-own": "1"]), "name": "Show vendor-specific values",
            ]
        }
        return PageContent(
            title: home.name, main: Templates.render("home", values), values: home.valuesShown(of: rows.map(\.id)))
    }

    func parts(_ changed: Set<Service.ID>, _ moment: Moment) -> [(id: String, html: String)]? {
        guard PageContent.inPlaceOfHomes(moment) == nil, let home = moment.home else { return nil }
        let sections = sections(home)
        let rows = sections.flatMap(\.rows)
        let favorites = favorites(home)
        let tiles =
            rows.filter { changed.contains($0.id) }.map { moment.tile($0, home, back: path) }
            + favorites.filter { changed.contains($0.id) }.map { moment.tile($0, home, .favorites, back: path) }
        let counts = sections.filter { $0.rows.contains { changed.contains($0.id) } }.map { section in
            (id: "n-" + section.part, html: Templates.render("count", section.count))
        }
        return [("summary", Templates.render("summary", ["summary": summary(rows)]))] + counts
            + tiles.map { ($0.id, $0.html) }
    }

    private func summary(_ rows: [ServiceRow]) -> String {
        let summary = rows.summary
        return summary.isEmpty ? (rows.isEmpty ? "" : "All quiet.") : summary.capitalizedFirst
    }

    // MARK: Links

    private func chips(_ home: Home, _ moment: Moment) -> [Templates.Values] {
        func chip(_ name: String, _ query: [String: String], isCurrent: Bool) -> Templates.Values {
            ["name": name, "path": link(home, query), "current": isCurrent]
        }
        var chips = [chip("Rooms", [:], isCurrent: !isFiltered && grouping == .room)]
        chips += home.zones.sortedForDisplay.map { chip($0.name, ["zone": "\($0.id)"], isCurrent: zone == $0.id) }
        chips += [
            chip("Kinds", ["by": "kind"], isCurrent: !isFiltered && grouping == .kind),
            chip("Categories", ["by": "category"], isCurrent: !isFiltered && grouping == .category),
        ]
        if !home.zones.isEmpty {
            chips.append(chip("Zones", ["by": "zone"], isCurrent: !isFiltered && grouping == .zone))
        }
        if home.rows().contains(where: \.isFavorite) {
            chips.append(chip("Favorites", ["favorites": "1"], isCurrent: filter.isOfFavorites))
        }
        let makers = Set(home.accessories.map(\.manufacturer)).filter { !$0.isEmpty }.sorted()
        if (2...6).contains(makers.count) {
            chips += makers.map { chip($0, ["maker": $0], isCurrent: filter.makers == [$0]) }
        }
        return chips
    }

    private func link(_ home: Home, _ query: [String: String]) -> String {
        var query = query
        if !home.isPrimary { query["home"] = "\(home.id)" }
        return "/" + Query(query).text
    }
}

extension ProductSection {
    /// The ID of the section's element.
    fileprivate var part: String { "g-" + (room.map { "\($0)" } ?? name.formEncoded) }

    /// The template values of the summary after the section's name.
    fileprivate var count: Templates.Values { ["part": part, "summary": rows.summary] }
}

extension ProductFilter {
    var withMakersOwn: ProductFilter {
        var filter = self
        filter.hasMakersOwn = true
        return filter
    }
}

extension Home {
    /// Returns the characteristics that the rows of services show, including the battery levels of all accessories.
    func valuesShown(of services: [Service.ID]) -> Set<Characteristic.ID> {
        let wanted = Set(services)
        var values: Set<Characteristic.ID> = []
        for accessory in accessories {
            for service in accessory.services where wanted.contains(service.id) || service.type == .battery {
                values.formUnion(service.characteristics.filter(\.isForPeople).map(\.id))
            }
        }
        return values
    }
}
