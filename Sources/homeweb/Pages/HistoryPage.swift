import HomeModel
import SystemKit

/// The page of the latest changes, newest first.
struct HistoryPage: LivePage {
    let history: History
    var path: String { "/history" }
    var place: String { "/history" }

    func changes(_ site: Site) async -> AsyncStream<Void>? { history.changes }

    /// Returns whether a visitor may see an entry.
    ///
    /// A guest of some rooms sees only changes in these rooms.
    private func isVisible(_ entry: History.Entry, _ moment: Moment) -> Bool {
        guard !moment.visitor.seesAllRooms else { return true }
        let words = (entry.path ?? "").split(separator: "/").map(String.init)
        guard words.count == 2 else { return false }
        return moment.homes.contains { home in
            switch words[0] {
            case "services": Service.ID(words[1]).flatMap(home.service) != nil
            case "accessories": Accessory.ID(words[1]).flatMap(home.accessory) != nil
            case "rooms": home.rooms.contains { "\($0.id)" == words[1] }
            default: false
            }
        }
    }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        let entries: [Templates.Values] = history.entries.filter { isVisible($0, moment) }.map { entry in
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
