import HAPModel
import HomeClient
import HomeModel
import HomePresentation

/// The homes at one moment, and who looks at them.
struct Moment {
    let snapshot: HomeSnapshot
    let visitor: Visitor
    /// Values that were asked for because they are not reported.
    let read: Set<Characteristic.ID>
    /// Whether the home hub answers.
    let isHubConnected: Bool
    /// The home that the reader chose; the primary one if that is not there.
    var choice: Home.ID?

    var home: Home? { snapshot.homes.shown(choice) }

    /// What is added to a path so that it is about the same home.
    var homeQuery: String {
        guard let home, !home.isPrimary else { return "" }
        return "?home=\(home.id)"
    }

    /// The home that has an accessory, a service or a room.
    func home(where isMeant: (Home) -> Bool) -> Home? { snapshot.homes.first(where: isMeant) }

    /// Whether a thing is shown as its accessory says.
    func isCurrent(_ service: Service) -> Bool {
        service.characteristics.allSatisfy {
            !$0.isWorthReading || $0.isNotificationEnabled || read.contains($0.id)
        }
    }

    func tile(_ row: ServiceRow, _ home: Home, _ place: Tile.Place = .section, back: String) -> Tile {
        let isCurrent = home.service(row.id).map(isCurrent) ?? true
        return Tile(row: row, home: home, place: place, back: back, isCurrent: isCurrent)
    }
}

extension Characteristic {
    /// Whether people see it and it can be asked for.
    var isWorthReading: Bool {
        isForPeople && !type.isMomentary && metadata.permissions.contains(.pairedRead)
    }
}

struct PageContent {
    var title: String
    /// The HTML within `main`.
    var main: String
    /// The values that it shows: they are asked for when it is opened, and watched as long as it is.
    var values: Set<Characteristic.ID> = []
    var isMissing = false
}

/// A page that changes by itself while it is looked at.
protocol LivePage: Sendable {
    /// The path with its query.
    var path: String { get }
    /// The page of the bar that this one belongs to.
    var place: String { get }
    /// The home that it is about, if its path says so.
    var choice: Home.ID? { get }

    func home(_ moment: Moment) -> Home?

    /// What else changes it, beside the homes; `nil` for nothing.
    func changes(_ site: Site) async -> AsyncStream<Void>?

    func content(_ moment: Moment) async -> PageContent

    /// The elements to draw again after some things changed, by id; `nil` for the whole page.
    func parts(_ changed: Set<Service.ID>, _ moment: Moment) -> [(id: String, html: String)]?
}

extension LivePage {
    var choice: Home.ID? { nil }
    func home(_ moment: Moment) -> Home? { moment.home }
    func changes(_ site: Site) async -> AsyncStream<Void>? { nil }
    func parts(_ changed: Set<Service.ID>, _ moment: Moment) -> [(id: String, html: String)]? { nil }
}

extension Query {
    /// The home that is asked for.
    var home: Home.ID? { self["home"].flatMap { Home.ID($0) } }
}

extension PageContent {
    /// What teaches where there is nothing to show.
    init(
        title: String, icon: String = "home", _ sentences: String..., command: String? = nil,
        action: (path: String, name: String)? = nil, form: String = ""
    ) {
        var values: Templates.Values = ["heading": title, "icon": icon, "sentences": sentences, "form": form]
        if let command { values["command"] = command }
        if let action { values["action"] = ["path": action.path, "name": action.name] }
        self.init(title: title, main: Templates.render("empty", values))
    }

    /// The content in place of every page while no home can be seen; `nil` if one can.
    static func inPlaceOfHomes(_ moment: Moment) -> PageContent? {
        let snapshot = moment.snapshot
        if snapshot.authorizationStatus.contains(.restricted) {
            return PageContent(
                title: "Not allowed", icon: "privacy", "The configuration of homehubd keeps this page from the homes.",
                "Whoever looks after this computer can change that: the key \"restrict\" in homehub.yaml.")
        }
        if snapshot.authorizationStatus.contains(.determined), !snapshot.authorizationStatus.contains(.authorized) {
            return PageContent(
                title: "Not allowed", icon: "privacy",
                "This page may not see the homes. It can be allowed at any time:",
                command: "homehub privacy allow \(HomeApp.id)")
        }
        if !snapshot.isCurrent, snapshot.homes.isEmpty {
            guard moment.isHubConnected else {
                return PageContent(
                    title: "The home hub doesn't answer", icon: "home",
                    "This page connects by itself as soon as the hub runs.", command: "systemctl status homehubd")
            }
            guard snapshot.authorizationStatus.contains(.authorized) else {
                return PageContent(
                    title: "Waiting for permission", icon: "privacy",
                    "This page has asked to see the homes. An administrator allows it with:",
                    command: "sudo homehub privacy allow \(HomeApp.id)")
            }
            return PageContent(title: "Loading", icon: "home", "The home hub is sending the homes.")
        }
        guard snapshot.homes.isEmpty else { return nil }
        guard moment.visitor.isOwner else {
            return PageContent(title: "No home yet", icon: "home", "There is no home yet. Its owner can add one.")
        }
        return PageContent(
            title: "No home yet", icon: "home", "What is yours to call it? Accessories are added to it afterwards.",
            form: Templates.render(
                "name-form", ["path": "/homes", "label": "Name of the home", "button": "Add the home", "kind": "home"]))
    }
}
