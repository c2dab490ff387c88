import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import SystemKit
import Texts

/// The homes at one time, and the visitor.
struct Moment {
    let snapshot: HomeSnapshot
    let visitor: Visitor
    /// The homes, without the parts that the visitor may not see.
    let homes: [Home]
    /// The values that were read because they aren't reported.
    let read: Set<Characteristic.ID>
    /// Whether the home hub is connected.
    let isHubConnected: Bool
    /// The home that the visitor chose.
    ///
    /// If it doesn't exist, the primary home is used.
    var choice: Home.ID?

    var home: Home? { homes.shown(choice) }

    /// The query to append to a path so that it refers to the same home.
    var homeQuery: String {
        guard let home, !home.isPrimary else { return "" }
        return "?home=\(home.id)"
    }

    /// Returns the first home that matches, for example because it contains an accessory, a service or a room.
    func home(where isMeant: (Home) -> Bool) -> Home? { homes.first(where: isMeant) }

    /// Returns whether all shown values of a service are current.
    func isCurrent(_ service: Service) -> Bool { service.characteristics.allSatisfy(isCurrent) }

    private func isCurrent(_ characteristic: Characteristic) -> Bool {
        !characteristic.isWorthReading
            || !characteristic.isOutdated && (characteristic.isNotificationEnabled || read.contains(characteristic.id))
    }

    /// Returns the age of the oldest value that isn't current, such as `12 min ago`; `nil` if all are current or younger
    /// than a minute.
    func age(of services: [Service]) -> String? {
        services.flatMap(\.characteristics).filter { !isCurrent($0) && $0.value != nil }.compactMap(\.valueTime).min()?
            .ageOfValue
    }

    func tile(
        _ row: ServiceRow, _ home: Home, _ place: Tile.Place = .section, back: String, _ display: HomeDisplay? = nil
    ) -> Tile {
        let service = home.service(row.id)
        return Tile(
            row: row, home: home, place: place, back: back, isCurrent: service.map(isCurrent) ?? true,
            age: service.flatMap { age(of: [$0]) }, isWide: display?.wide.contains(row.id) == true)
    }
}

extension Characteristic {
    /// Whether users see the value and it can be read.
    var isWorthReading: Bool {
        isForPeople && !type.isMomentary && metadata.permissions.contains(.pairedRead)
    }
}

extension Timestamp {
    /// The age of a value received at this time; `nil` for less than a minute.
    var ageOfValue: String? { duration(to: .now) < .seconds(60) ? nil : age() }
}

struct PageContent {
    /// An element whose changes are sent without the rest of the page.
    struct Part {
        let id: String
        let html: String
    }

    var title: String
    /// The HTML within `main`.
    var main: String
    /// The elements of ``main`` that often change, with their exact HTML.
    var parts: [Part] = []
    /// The rows of ``main`` if new rows are added at their beginning.
    var rows: RowList?
    /// The values on the page.
    ///
    /// They are read when it is opened, and observed while it is open.
    var values: Set<Characteristic.ID> = []
    var isMissing = false
    /// The path of the page that replaces this one, or `nil` if this one is shown.
    var successor: String?

    /// Returns the parts that differ from older content; `nil` if anything else differs, too.
    func parts(changedSince old: PageContent) -> [Part]? {
        guard title == old.title, parts.map(\.id) == old.parts.map(\.id), frame == old.frame else { return nil }
        return zip(parts, old.parts).compactMap { $0.html == $1.html ? nil : $0 }
    }

    /// The HTML without the parts.
    private var frame: [UInt8] {
        let html = Array(main.utf8)
        var found: [Range<Int>] = []
        for part in parts {
            let part = Array(part.html.utf8)
            // Most parts follow each other.
            let start = html.index(of: part, from: found.last?.upperBound ?? 0) ?? html.index(of: part, from: 0)
            if let start { found.append(start..<start + part.count) }
        }
        var frame: [UInt8] = []
        var end = 0
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.lowerBound >= end {
            frame += html[end..<range.lowerBound]
            end = range.upperBound
        }
        return frame + html[end...]
    }
}

extension PageContent.Part {
    /// Renders an element with a template.
    init(id: String, _ template: String, _ values: Templates.Values) {
        self.init(id: id, html: Templates.render(template, values))
    }
}

extension [UInt8] {
    /// Returns the first index at which other bytes begin.
    fileprivate func index(of other: [UInt8], from start: Int) -> Int? {
        guard !other.isEmpty, count - other.count >= start else { return nil }
        return (start...count - other.count).first { index in
            self[index] == other[0] && self[index..<index + other.count].elementsEqual(other)
        }
    }
}

/// A page with live updates.
protocol LivePage: Sendable {
    /// The path with its query.
    var path: String { get }
    /// The page of the navigation bar that this page belongs to.
    var place: String { get }
    /// The home that the path of the page contains, if any.
    var choice: Home.ID? { get }

    func home(_ moment: Moment) -> Home?

    /// Returns the title of a page that has content at any time, so that it can be sent before the content; `nil` if
    /// something else may be returned in its place.
    func title(_ moment: Moment) -> String?

    /// Returns the order, the sizes and the visibility of the tiles, or `nil` if they don't matter.
    ///
    /// If they change, the entire page is redrawn.
    func display(_ moment: Moment) -> HomeDisplay?

    /// Returns signals of changes that aren't changes of the homes, or `nil` if there are none.
    func changes(_ site: Site) async -> AsyncStream<Void>?

    /// Returns whether the rules of base.css are all that the content needs until a visitor does something.
    func needsOnlyBaseStyle(_ moment: Moment) -> Bool

    func content(_ moment: Moment) async -> PageContent

    /// The number of the current content, for a page that is redrawn only when this number changes; `nil` if the page
    /// is redrawn when the home changes.
    var version: UInt64? { get }

    /// Returns the elements to redraw after changes of services, by ID, or `nil` for the entire page.
    func parts(_ changed: Set<Service.ID>, _ moment: Moment) -> [(id: String, html: String)]?
}

extension LivePage {
    var choice: Home.ID? { nil }
    var version: UInt64? { nil }
    func home(_ moment: Moment) -> Home? { moment.home }
    func title(_ moment: Moment) -> String? { nil }
    func needsOnlyBaseStyle(_ moment: Moment) -> Bool { false }
    func display(_ moment: Moment) -> HomeDisplay? { nil }
    func changes(_ site: Site) async -> AsyncStream<Void>? { nil }
    func parts(_ changed: Set<Service.ID>, _ moment: Moment) -> [(id: String, html: String)]? { nil }

    /// Returns the page without its content.
    func frame(_ title: String, _ moment: Moment) -> Layout {
        var layout = Layout(title: title, visitor: moment.visitor, place: place)
        layout.homeQuery = moment.homeQuery
        layout.needsOnlyBaseStyle = needsOnlyBaseStyle(moment)
        if !moment.snapshot.isCurrent, !moment.homes.isEmpty { layout.notice = Notice.away }
        return layout
    }

    /// Returns the page with its content.
    func layout(_ content: PageContent, _ moment: Moment) -> Layout {
        var layout = frame(content.title, moment)
        layout.content = content.main
        layout.live = "/live" + Query(["page": path, "mark": LiveStream.mark(of: content.main)]).text
        return layout
    }
}

extension Query {
    /// The requested home.
    var home: Home.ID? { self["home"].flatMap { Home.ID($0) } }
}

extension PageContent {
    /// Creates the content of an empty page: a heading, an explanation and an optional action.
    init(
        title: String, icon: String = "home", _ sentences: String..., command: String? = nil,
        action: (path: String, name: String)? = nil, form: String = ""
    ) {
        var values: Templates.Values = ["heading": title, "icon": icon, "sentences": sentences, "form": form]
        if let command { values["command"] = command }
        if let action { values["action"] = ["path": action.path, "name": action.name] }
        self.init(title: title, main: Templates.render("empty", values))
    }

    /// Returns the content that replaces every page while no home is available, or `nil` if one is available.
    static func inPlaceOfHomes(_ moment: Moment) -> PageContent? {
        let snapshot = moment.snapshot
        if snapshot.authorizationStatus.contains(.restricted) {
            return PageContent(
                title: localized("Not allowed"), icon: "privacy",
                localized("The configuration of homehubd denies this page access to the homes."),
                localized("To change this, edit \"restrict\" in homehub.yaml."))
        }
        if snapshot.authorizationStatus.contains(.determined), !snapshot.authorizationStatus.contains(.authorized) {
            return PageContent(
                title: localized("Not allowed"), icon: "privacy",
                localized("This page isn't allowed to access the homes. An administrator can allow it with:"),
                command: "\(ShellCommand.homehubAsRoot) privacy allow \(HomeApp.id)")
        }
        if !snapshot.isCurrent, snapshot.homes.isEmpty {
            guard moment.isHubConnected else {
                return PageContent(
                    title: localized("The home hub isn't responding"), icon: "home",
                    localized("This page reconnects automatically. To see whether the hub is running, use:"),
                    command: "systemctl status homehubd")
            }
            guard snapshot.authorizationStatus.contains(.authorized) else {
                return PageContent(
                    title: localized("Waiting for permission"), icon: "privacy",
                    localized("This page has requested access to the homes. An administrator can allow it with:"),
                    command: "\(ShellCommand.homehubAsRoot) privacy allow \(HomeApp.id)")
            }
            return PageContent(title: localized("Loading"), icon: "home", localized("Loading your homes…"))
        }
        guard moment.homes.isEmpty else { return nil }
        guard moment.visitor.isEditor else {
            guard snapshot.homes.isEmpty else {
                return PageContent(
                    title: localized("No rooms"), icon: "home",
                    localized("The rooms that you were invited to no longer exist."),
                    localized("Ask the owner of this home."))
            }
            return PageContent(title: localized("No homes yet"), icon: "home", localized("An owner can add a home."))
        }
        return PageContent(
            title: localized("No homes yet"), icon: "home",
            localized("Choose a name for your home. Then you can add accessories."),
            form: Templates.render(
                "name-form",
                [
                    "path": "/homes", "label": localized("Home name"), "button": localized("Add home"), "kind": "home",
                    "example": localized("For example, Beach House"),
                ]))
    }
}
