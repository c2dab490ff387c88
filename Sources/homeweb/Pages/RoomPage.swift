import HAPModel
import HomeModel
import HomePresentation
import Texts

/// The page of a room: its accessories, its sensors, and its unreachable accessories with the reasons.
struct RoomPage: LivePage {
    let room: Room.ID
    let displays: HomeDisplays
    var path: String { "/rooms/\(room)" }
    var place: String { "/" }

    func home(_ moment: Moment) -> Home? { moment.home { $0.room(room) != nil } }

    func changes(_ site: Site) async -> AsyncStream<Void>? { displays.changes }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home(where: { $0.room(room) != nil }), let room = home.room(room) else {
            return .missing(localized("This room no longer exists."))
        }
        let display = displays.display(of: home.id)
        let tiles = display.tiles(in: room.id, of: home).map { moment.tile($0, home, back: path, display) }
        let parts = tiles.map(\.part)
        let isDefault = room.id == home.defaultRoomID
        let all = home.rows().filter { $0.room == room.id }
        let lit = all.filter { $0.problem == nil && $0.kind.isSwitchedOffTogether && $0.toggle?.isOn == true }
        var values: Templates.Values = [
            "id": "\(room.id)",
            "name": isDefault ? home.displayName(of: room) : room.name, "home": home.name,
            "up": "/" + (home.isPrimary ? "" : "?home=\(home.id)"),
            "strip": home.readings(in: room.id).strip(of: "\(room.id)", home, moment, isComplete: true),
            "tiles": parts.map(\.html),
            "sensors": home.sensors(in: room.id).map { moment.tile($0, home, back: path).values },
            "away": home.accessories(in: room.id).sortedForDisplay.compactMap { accessory in
                accessory.problem.map {
                    ["id": "\(accessory.id)", "name": accessory.name, "reason": $0.localizedDescription]
                        as Templates.Values
                }
            },
        ]
        if !lit.isEmpty {
            values["off"] = [
                "path": "\(path)/off",
                "name": lit.count == 1 ? localized("Turn \(lit[0].name) off") : localized("Turn all \(lit.count) off"),
                "back": path,
            ]
        }
        if moment.visitor.isEditor {
            if !tiles.isEmpty { values["arrange"] = ["path": "\(path)/order"] }
            if !isDefault { values["form"] = ["id": "\(room.id)", "home": "\(home.id)", "name": room.name] }
        }
        return PageContent(
            title: room.name, main: Templates.render("room", values), parts: parts,
            values: home.valuesShown(of: all.map(\.id)))
    }
}

extension ServiceType {
    /// Whether the service is switched off together with its room: not a lock, a heater or a television.
    var isSwitchedOffTogether: Bool { [.lightbulb, .switch, .outlet, .fan, .fanv2].contains(self) }
}

extension PageContent {
    /// Returns the content for an object that has been removed.
    static func missing(_ sentence: String) -> PageContent {
        var content = PageContent(
            title: localized("Not found"), icon: "warning", sentence, action: (path: "/", name: localized("Go to Home"))
        )
        content.isMissing = true
        return content
    }
}
