import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import LineRPC
import Texts

/// The page of a home: its status, scenes, favorites, and rooms with their accessories.
///
/// With another grouping or a filter, it lists services instead.
struct HomePage: LivePage {
    let path: String
    let choice: Home.ID?
    let zone: Zone.ID?
    let grouping: ProductGrouping
    let filter: ProductFilter
    private let bridgeSocket: SocketLocation
    private let displays: HomeDisplays

    var place: String { "/" }

    init(path: String, query: Query, bridgeSocket: SocketLocation, displays: HomeDisplays) {
        self.path = path
        self.bridgeSocket = bridgeSocket
        self.displays = displays
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

    func title(_ moment: Moment) -> String? {
        PageContent.inPlaceOfHomes(moment)?.title ?? moment.home?.name
    }

    func needsOnlyBaseStyle(_ moment: Moment) -> Bool {
        PageContent.inPlaceOfHomes(moment) == nil && moment.home?.accessories.isEmpty == false
    }

    func changes(_ site: Site) async -> AsyncStream<Void>? { displays.changes }

    func display(_ moment: Moment) -> HomeDisplay? { moment.home.map { displays.display(of: $0.id) } }

    // MARK: Sections

    /// A group of tiles with a heading.
    private struct Section {
        var part: String
        var name: String
        var room: Room.ID?
        var rows: [ServiceRow]
        var readings: [RoomReading] = []
    }

    /// Whether the page lists services instead of showing rooms.
    private var isList: Bool { grouping != .room || filter != ProductFilter() }

    private func sections(_ home: Home) -> [Section] {
        let wanted = zone.map { zone in Set(home.zone(zone)?.rooms ?? []) }
        let isWanted = { (room: Room.ID) in wanted?.contains(room) ?? true }
        guard isList else {
            let display = displays.display(of: home.id)
            return display.rooms(of: home).filter { isWanted($0.id) }.compactMap { room in
                let rows = display.tiles(in: room.id, of: home)
                guard !rows.isEmpty || !home.sensors(in: room.id).isEmpty else { return nil }
                // The heading is a link to the page of the room, which shows hidden tiles.
                return Section(
                    part: "\(room.id)", name: home.displayName(of: room), room: room.id,
                    rows: rows.filter { !display.hidden.contains($0.id) }, readings: home.readings(in: room.id))
            }
        }
        return home.sections(by: grouping, filter).compactMap { section in
            let rows = section.rows.filter { isWanted($0.room) }
            let part = section.room.map { "\($0)" } ?? section.name.formEncoded
            return rows.isEmpty ? nil : Section(part: part, name: section.name, room: section.room, rows: rows)
        }
    }

    private func favorites(_ home: Home) -> [ServiceRow] {
        isList || zone != nil ? [] : displays.display(of: home.id).favorites(of: home)
    }

    func content(_ moment: Moment) async -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else {
            return PageContent(title: localized("No homes yet"), localized("Add a home to get started."))
        }
        let sections = sections(home)
        let display = displays.display(of: home.id)
        var values: Templates.Values = [
            "name": home.name, "views": home.accessories.isEmpty ? [] : views(home, moment), "isList": isList,
            "sections": sections.map { section in
                var values: Templates.Values = [
                    "id": "g-\(section.part)", "name": section.name,
                    "tiles": section.rows.map { moment.tile($0, home, back: path, display).values },
                ]
                if let room = section.room { values["path"] = "/rooms/\(room)" }
                if !isList { values["strip"] = section.readings.strip(of: section.part, home, moment) }
                return values
            },
            "nothing": isList || zone != nil
                ? localized("Nothing matches this filter.")
                : localized("This home is empty. Add an accessory to get started."),
        ]
        let favorites = favorites(home)
        if !isList {
            values["status"] = status(home)
            if sections.count > 2 {
                values["index"] = sections.map { ["id": "g-\($0.part)", "name": $0.name] as Templates.Values }
            }
            values["favorites"] = favorites.map {
                moment.tile($0, home, .favorites, back: path, display).values
            }
            if zone == nil {
                values["scenes"] = home.actionSets.sortedForDisplay.filter { !$0.actions.isEmpty }.map {
                    ["id": "\($0.id)", "name": $0.name, "back": path] as Templates.Values
                }
            }
        }
        if home.accessories.isEmpty {
            values["offer"] = await BridgeOffer.values(bridgeSocket, moment)
            if moment.visitor.isEditor { values["add"] = ["path": "/add" + moment.homeQuery] as Templates.Values }
        }
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
        let shown = isList ? sections.flatMap(\.rows).map(\.id) : home.rows().map(\.id)
        return PageContent(
            title: home.name, main: Templates.render("home", values), values: home.valuesShown(of: shown))
    }

    func parts(_ changed: Set<Service.ID>, _ moment: Moment) -> [(id: String, html: String)]? {
        guard PageContent.inPlaceOfHomes(moment) == nil, let home = moment.home else { return nil }
        let sections = sections(home)
        let display = displays.display(of: home.id)
        let tiles =
            sections.flatMap(\.rows).filter { changed.contains($0.id) }.map {
                moment.tile($0, home, back: path, display)
            }
            + favorites(home).filter { changed.contains($0.id) }.map {
                moment.tile($0, home, .favorites, back: path, display)
            }
        let parts = tiles.map { ($0.id, $0.html) }
        guard !isList else { return parts }
        let strips = sections.filter { $0.readings.contains { !changed.isDisjoint(with: $0.services) } }.map {
            section in
            let strip = section.readings.strip(of: section.part, home, moment)
            return (id: "n-\(section.part)", html: Templates.render("strip", strip))
        }
        return [("status", Templates.render("status-chips", status(home)))] + strips + parts
    }

    private func status(_ home: Home) -> Templates.Values {
        let chips = home.status.map { status in
            [
                "path": "/status/\(status.topic.rawValue)" + (home.isPrimary ? "" : "?home=\(home.id)"),
                "title": status.topic.title, "words": status.words.capitalizedFirst, "icon": status.topic.icon,
                "classes": (status.isActive ? " on" : "") + (status.isAlert ? " alert" : ""),
            ] as Templates.Values
        }
        return ["chips": chips]
    }

    // MARK: Other views

    private func views(_ home: Home, _ moment: Moment) -> [Templates.Values] {
        let isFiltered = zone != nil || filter != ProductFilter()
        func view(_ name: String, _ query: [String: String], isCurrent: Bool) -> Templates.Values {
            ["name": name, "path": link(home, query), "current": isCurrent]
        }
        var views = [view(localized("Rooms"), [:], isCurrent: !isFiltered && grouping == .room)]
        views += home.zones.sortedForDisplay.map { view($0.name, ["zone": "\($0.id)"], isCurrent: zone == $0.id) }
        views.append(view(localized("Device types"), ["by": "kind"], isCurrent: !isFiltered && grouping == .kind))
        if !home.zones.isEmpty {
            views.append(view(localized("Zones"), ["by": "zone"], isCurrent: !isFiltered && grouping == .zone))
        }
        let makers = Set(home.accessories.map(\.manufacturer)).filter { !$0.isEmpty }.sorted()
        if (2...6).contains(makers.count) {
            views += makers.map { view($0, ["maker": $0], isCurrent: filter.makers == [$0]) }
        }
        if home.rows(ProductFilter().withMakersOwn).count > home.rows().count {
            views.append(view(localized("Vendor-specific values"), ["makers-own": "1"], isCurrent: filter.hasMakersOwn))
        }
        return views
    }

    private func link(_ home: Home, _ query: [String: String]) -> String {
        var query = query
        if !home.isPrimary { query["home"] = "\(home.id)" }
        return "/" + Query(query).text
    }
}

extension HomeStatus.Topic {
    /// The icon of the topic.
    var icon: String {
        switch self {
        case .attention: "warning"
        case .lights: "light"
        case .climate: "temperature"
        case .security: "lock"
        }
    }
}

extension [RoomReading] {
    /// Returns the template values of a room's strip of readings.
    ///
    /// Unless it's complete, it omits states that are as expected, such as of a dry leak sensor.
    func strip(of part: String, _ home: Home, _ moment: Moment, isComplete: Bool = false) -> Templates.Values {
        let readings = filter { isComplete || $0.isNotable }.map { reading in
            let services = reading.services.compactMap(home.service)
            let isCurrent = services.allSatisfy(moment.isCurrent)
            let words = [reading.words.capitalizedFirst, moment.age(of: services)].compactMap(\.self)
            return [
                "icon": reading.kind.icon, "title": reading.title, "words": words.joined(separator: ", "),
                "classes": (reading.isAlert ? "alert" : "") + (isCurrent ? "" : " stale"),
            ] as Templates.Values
        }
        return ["part": part, "readings": readings]
    }
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
