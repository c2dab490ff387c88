import HomeModel
import HomePresentation
import Texts

/// The page of one aspect of a home's state, such as the lights that are on.
struct StatusPage: LivePage {
    let topic: HomeStatus.Topic
    let choice: Home.ID?
    var path: String { "/status/\(topic.rawValue)" + (choice.map { "?home=\($0)" } ?? "") }
    var place: String { "/" }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing(localized("There are no homes yet.")) }
        let status = home.status(topic)
        let parts: [PageContent.Part] = (status?.rows ?? []).map { row in
            var row = row
            row.accessoryName = [row.accessoryName, home.room(row.room).map(home.displayName)].compactMap(\.self)
                .joined(separator: ", ")
            return moment.tile(row, home, .status, back: path).part
        }
        var values: Templates.Values = [
            "home": home.name, "up": "/" + moment.homeQuery, "title": topic.title, "icon": topic.icon,
            "words": status.map { topic == .attention ? "" : $0.words.capitalizedFirst } ?? topic.nothing,
            "tiles": parts.map(\.html),
            "issues": (status?.issues ?? []).map { issue in
                var values: Templates.Values = ["id": "\(issue.id)", "name": issue.name, "words": issue.words]
                values["remedy"] = issue.remedy.map { $0.capitalizedFirst + "." }
                return values
            },
        ]
        if topic == .lights, let status, !status.rows.isEmpty {
            values["off"] = [
                "path": "/homes/\(home.id)/lights/off", "back": path,
                "name": status.rows.count == 1
                    ? localized("Turn \(status.rows[0].name) off") : localized("Turn all \(status.rows.count) off"),
            ]
        }
        return PageContent(
            title: topic.title, main: Templates.render("status", values), parts: parts,
            values: home.valuesShown(of: home.rows().map(\.id)))
    }
}

extension HomeStatus.Topic {
    /// The sentence if there is nothing to report.
    fileprivate var nothing: String {
        switch self {
        case .attention: localized("Everything works.")
        case .lights: localized("There are no lights.")
        case .climate: localized("There are no climate sensors.")
        case .security: localized("There are no locks, doors, windows or alarm systems.")
        }
    }
}
