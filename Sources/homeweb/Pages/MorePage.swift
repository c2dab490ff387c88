import HomeModel

/// The page with links to pages that aren't in the navigation bar.
struct MorePage: LivePage {
    var path: String { "/more" }
    var place: String { "/more" }

    func content(_ moment: Moment) -> PageContent {
        var links: [Templates.Values] = []
        if moment.visitor.isOwner {
            links = [
                [
                    "path": "/rooms" + moment.homeQuery, "name": "Rooms and zones", "icon": "room",
                    "about": "Add, rename and remove them",
                ],
                [
                    "path": "/names" + moment.homeQuery, "name": "Names", "icon": "names",
                    "about": "Names that are hard to say, with better ones",
                ],
                ["path": "/privacy", "name": "Privacy", "icon": "privacy", "about": "Which apps may see the home"],
                [
                    "path": "/bridge", "name": "Bridge", "icon": "bridge",
                    "about": "The lights of this computer, for HomeKit's controllers",
                ],
            ]
        }
        var values: Templates.Values = ["links": links]
        if let name = moment.visitor.name { values["leave"] = ["name": name] }
        return PageContent(title: "More", main: Templates.render("more", values))
    }
}
