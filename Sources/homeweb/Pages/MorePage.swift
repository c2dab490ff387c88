import HomeModel

/// The page with links to pages that aren't in the navigation bar.
struct MorePage: LivePage {
    var path: String { "/more" }
    var place: String { "/more" }

    func content(_ moment: Moment) -> PageContent {
        var links: [Templates.Values] = []
        if moment.visitor.seesAllRooms {
            links.append([
                "path": "/automations" + moment.homeQuery, "name": "Automations", "icon": "automation",
                "about": "Automations with their next and last runs",
            ])
        }
        if moment.visitor.isEditor {
            links += [
                [
                    "path": "/people" + moment.homeQuery, "name": "People and location", "icon": "people",
                    "about": "Presence, sunrise and sunset, for automations",
                ],
                [
                    "path": "/accessories" + moment.homeQuery, "name": "Accessories", "icon": "list",
                    "about": "Select many to move, rename or mark as favorites",
                ],
                [
                    "path": "/rooms" + moment.homeQuery, "name": "Rooms and zones", "icon": "room",
                    "about": "Add, rename and remove rooms and zones",
                ],
                [
                    "path": "/names" + moment.homeQuery, "name": "Names", "icon": "names",
                    "about": "Find names that could be better",
                ],
            ]
        }
        if moment.visitor.isOwner {
            links += [
                [
                    "path": "/access", "name": "Access", "icon": "key",
                    "about": "The people who may open this page: invite, change, revoke",
                ],
                ["path": "/privacy", "name": "Privacy", "icon": "privacy", "about": "Apps with access to your home"],
                [
                    "path": "/bridge", "name": "Bridge", "icon": "bridge",
                    "about": "The lights that this computer makes available to HomeKit apps",
                ],
            ]
        }
        if !moment.visitor.isTablet {
            links.append([
                "path": "/" + Query(["tablet": "1"]).text, "name": "Wall tablet", "icon": "tablet",
                "about": "Larger tiles on a screen that stays on, in this browser",
            ])
        }
        var values: Templates.Values = ["links": links]
        if let name = moment.visitor.name { values["leave"] = ["name": name] }
        return PageContent(title: "More", main: Templates.render("more", values))
    }
}
