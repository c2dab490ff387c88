import HomeModel
import SystemKit

/// The page of the latest changes, newest first.
struct HistoryPage: LivePage {
    let history: History
    var path: String { "/history" }
    var place: String { "/history" }

    func changes(_ site: Site) async -> AsyncStream<Void>? { history.changes }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        // A guest of some rooms sees what happened there.
        let places = Set(moment.homes.flatMap { home in (home.rooms + [home.defaultRoom]).map(home.displayName) })
        let entries: [Templates.Values] = history.entries.filter {
            moment.visitor.seesAllRooms || places.contains($0.place)
        }.map { entry in
            let text = WallClock.text(of: entry.time.millisecondsSince1970)
            var values: Templates.Values = [
                "moment": text, "time": text.prefix(10) + " " + text.dropFirst(11).prefix(8) + " UTC",
                "sentence": entry.sentence,
            ]
            if !entry.place.isEmpty { values["place"] = entry.place }
            if !entry.who.isEmpty { values["who"] = entry.who }
            if let path = entry.path { values["path"] = path }
            return values
        }
        return PageContent(title: "History", main: Templates.render("history", ["entries": entries]))
    }
}
