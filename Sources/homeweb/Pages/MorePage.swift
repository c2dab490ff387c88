import HomeModel
import Texts

/// The page with links to pages that aren't in the navigation bar.
struct MorePage: LivePage {
    var path: String { "/more" }
    var place: String { "/more" }

    func content(_ moment: Moment) -> PageContent {
        var links: [Templates.Values] = []
        if moment.visitor.seesAllRooms {
            links.append([
                "path": "/automations" + moment.homeQuery, "name": localized("Automations"), "icon": "automation",
                "about": localized("Automations with their next and last runs"),
            ])
        }
        if moment.visitor.isEditor {
            links += [
                [
                    "path": "/people" + moment.homeQuery, "name": localized("People and location"), "icon": "people",
                    "about": localized("Presence, sunrise and sunset, for automations"),
                ],
                [
                    "path": "/accessories" + moment.homeQuery, "name": localized("Accessories"), "icon": "list",
                    "about": localized("Select many to move, rename, hide or mark as favorites"),
                ],
                [
                    "path": "/rooms" + moment.homeQuery, "name": localized("Rooms and zones"), "icon": "room",
                    "about": localized("Add, rename and remove rooms and zones"),
                ],
                [
                    "path": "/names" + moment.homeQuery, "name": localized("Names"), "icon": "names",
                    "about": localized("Find names that could be better"),
                ],
            ]
        }
        if moment.visitor.isOwner {
            links += [
                [
                    "path": "/access", "name": localized("Access"), "icon": "key",
                    "about": localized("The people who may open this page: invite, change, revoke"),
                ],
                [
                    "path": "/privacy", "name": localized("Privacy"), "icon": "privacy",
                    "about": localized("Apps with access to your home"),
                ],
                [
                    "path": "/bridge", "name": localized("Bridge"), "icon": "bridge",
                    "about": localized("The lights that this computer makes available to HomeKit apps"),
                ],
            ]
        }
        if !moment.visitor.isTablet {
            links.append([
                "path": "/" + Query(["tablet": "1"]).text, "name": localized("Wall tablet"), "icon": "tablet",
                "about": localized("Larger tiles on a screen that stays on, in this browser"),
            ])
        }
        var values: Templates.Values = ["links": links]
        if let name = moment.visitor.name { values["leave"] = ["name": name] }
        return PageContent(title: localized("More"), main: Templates.render("more", values))
    }
}
