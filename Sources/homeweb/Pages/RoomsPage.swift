import HomeModel
import HomePresentation
import Texts

/// The page to manage rooms and zones.
struct RoomsPage: LivePage {
    let path: String
    let choice: Home.ID?
    let displays: HomeDisplays
    var place: String { "/more" }

    func changes(_ site: Site) async -> AsyncStream<Void>? { displays.changes }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing(localized("There are no homes yet.")) }
        let rooms = displays.display(of: home.id).rooms(of: home).filter { $0.id != home.defaultRoomID }
        var values: Templates.Values = [
            "home": ["id": "\(home.id)", "name": home.name], "back": path,
            "rooms": rooms.enumerated().map { index, room in
                let count = home.accessories(in: room.id).count
                var values = OrderPage.item("\(room.id)", room.name, at: index, of: rooms.count)
                values["about"] =
                    count == 0
                    ? localized("empty") : localized("\(count) accessory", plural: "\(count) accessories", count: count)
                return values
            },
            "zones": home.zones.sortedForDisplay.map { zone in
                [
                    "id": "\(zone.id)", "name": zone.name,
                    "members": home.rooms(in: zone).map {
                        ["id": "\($0.id)", "name": $0.name, "zone": "\(zone.id)", "zoneName": zone.name]
                            as Templates.Values
                    },
                    "others": rooms.filter { !zone.rooms.contains($0.id) }.map {
                        ["id": "\($0.id)", "name": $0.name] as Templates.Values
                    },
                ] as Templates.Values
            },
            "addRoom": nameForm(
                home, "/homes/\(home.id)/rooms", "room", localized("New room name"), localized("Add room")),
            "addZone": nameForm(
                home, "/homes/\(home.id)/zones", "zone", localized("New zone name"), localized("Add zone")),
        ]
        if !home.favorites.isEmpty {
            values["favorites"] = ["path": OrderPage.List.favorites(home.id).path] as Templates.Values
        }
        return PageContent(title: localized("Rooms and zones"), main: Templates.render("rooms", values))
    }

    private func nameForm(_ home: Home, _ path: String, _ kind: String, _ label: String, _ button: String) -> String {
        Templates.render(
            "name-form",
            ["path": path, "kind": kind, "in": "\(home.id)", "label": label, "button": button, "back": self.path])
    }
}
