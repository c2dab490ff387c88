import HomeClient
import HomeModel
import HomePresentation
import TerminalKit
import Texts

/// The page of the activity: each change with its cause, newest first, grouped by day.
struct ActivityPage: LivePage {
    /// The number of entries on a page.
    private static let count = 60

    let manager: HomeManager
    let feed: ActivityFeed
    let query: Query

    var path: String { "/activity" + query.text }
    var place: String { "/activity" }
    var choice: Home.ID? { query.home }
    var version: UInt64? { isLatest ? feed.version : 0 }

    private var before: ActivityEntry.ID? { query["before"].flatMap { ActivityEntry.ID($0) } }
    private var isLatest: Bool { before == nil }

    func changes(_ site: Site) async -> AsyncStream<Void>? { isLatest ? feed.changes : nil }

    /// Returns the chosen home, or else the home of the chosen room or accessory.
    func home(_ moment: Moment) -> Home? {
        guard query.home == nil else { return moment.home }
        return moment.home {
            let filter = ActivityFilter(query, $0)
            return filter.room != nil || filter.accessory != nil
        } ?? moment.home
    }

    private static func homeQuery(_ home: Home) -> String { home.isPrimary ? "" : "?home=\(home.id)" }

    func content(_ moment: Moment) async -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = home(moment) else { return .missing(localized("This home no longer exists.")) }
        let filter = ActivityFilter(query, home)
        var values = filter.values(homeQuery: Self.homeQuery(home))
        if moment.visitor.isOwner, let accessory = filter.accessory {
            values["remove"] = "/privacy/history?home=\(home.id)&accessory=\(accessory.id)"
        }
        do {
            let entries = try await manager.activity(
                of: home.id, in: filter.room.map { [$0] }, accessories: filter.accessories(for: moment.visitor),
                before: before, count: Self.count)
            return content(entries, home, filter, values, moment)
        } catch {
            values["reason"] = localized("The activity can't be loaded: \(error.localizedMessage)").sentence
            return PageContent(title: localized("Activity"), main: Templates.render("activity", values))
        }
    }

    private func content(
        _ entries: [ActivityEntry], _ home: Home, _ filter: ActivityFilter, _ values: Templates.Values, _ moment: Moment
    ) -> PageContent {
        var values = values
        let phrases = ActivityPhrases(home: home, time: .current(of: home))
        let days = phrases.days(entries.compactMap { $0.shown(to: moment.visitor, home) })
        var rows: [RowList.Row] = []
        values["days"] = days.map { day in
            let list = "day-\(day.date)"
            let lines = day.lines.map { line in
                let row = ActivityRow(line: line, home: home, phrases: phrases, showsRoom: filter.room == nil)
                rows.append(RowList.Row(id: row.id, html: row.html, list: list))
                return row.html
            }
            return ["list": list, "name": day.name, "rows": lines] as Templates.Values
        }
        values["isEmpty"] = days.isEmpty && isLatest
        values["older"] =
            entries.count == Self.count ? entries.last.map { filter.path(Self.homeQuery(home), before: $0.id) } : nil
        values["latest"] = isLatest ? nil : filter.path(Self.homeQuery(home))
        let main = Templates.render("activity", values)
        let frame = rows.first.flatMap { main.firstRange(of: $0.html) }.map { String(main[..<$0.lowerBound]) } ?? main
        return PageContent(title: localized("Activity"), main: main, rows: RowList(frame: frame, rows: rows))
    }
}

extension ActivityEntry {
    /// Returns the entry without names that a visitor may not see; `nil` if nothing remains.
    ///
    /// A guest of some rooms sees neither other people nor other rooms, nor automations and scenes of other rooms.
    func shown(to visitor: Visitor, _ home: Home) -> ActivityEntry? {
        guard !visitor.seesAllRooms else { return self }
        let changes = changes.filter { change in
            guard case .moved(_, let room) = change else { return true }
            return home.rooms.contains { $0.name == room }
        }
        guard !changes.isEmpty else { return nil }
        var cause = cause
        if cause.trigger != nil || cause.actionSet.map({ home.actionSet($0) == nil }) == true { cause.name = nil }
        if let person = cause.person, person != visitor.name { cause.person = localized("Another person") }
        return ActivityEntry(id: id, home: self.home, time: time, cause: cause, changes: changes)
    }
}
