import HomeModel
import SystemKit
import Texts

/// The page of the scenes, each with a button to run it.
struct ScenesPage: LivePage {
    let path: String
    let choice: Home.ID?
    var place: String { "/scenes" }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing(localized("There are no homes yet.")) }
        let scenes = home.actionSets.sortedForDisplay.map { scene in
            PageContent.Part(
                id: "a-\(scene.id)", "scene-tile",
                [
                    "id": "\(scene.id)", "name": scene.name, "state": scene.stateWords.capitalizedFirst,
                    "running": scene.isExecuting, "empty": scene.actions.isEmpty,
                ])
        }
        var values: Templates.Values = ["home": home.name, "up": "/" + moment.homeQuery, "scenes": scenes.map(\.html)]
        if moment.visitor.isEditor {
            values["add"] = Templates.render(
                "name-form",
                [
                    "path": "/homes/\(home.id)/scenes", "kind": "scene", "in": "\(home.id)",
                    "label": localized("New scene name"),
                    "button": localized("Add scene"),
                ])
        }
        if moment.visitor.seesAllRooms { values["automations"] = "/automations" + moment.homeQuery }
        return PageContent(title: localized("Scenes"), main: Templates.render("scenes", values), parts: scenes)
    }
}

extension ActionSet {
    var stateWords: String {
        if isExecuting { return localized("running") }
        guard !actions.isEmpty else { return localized("empty") }
        let count = localized("\(actions.count) action", plural: "\(actions.count) actions", count: actions.count)
        guard let lastExecutionTime else { return count }
        return count + ", " + localized("last run \(TimeWords.words(for: lastExecutionTime))")
    }
}

/// Human-readable times.
enum TimeWords {
    /// Returns the age of a time, or the time itself if it is older than a day: `just now`, `5 minutes ago`,
    /// `2026-11-24 18:05 UTC`.
    static func words(for moment: Timestamp, now: Timestamp = .now) -> String {
        let seconds = max(0, moment.duration(to: now).components.seconds)
        switch seconds {
        case ..<60: return localized("just now")
        case ..<3600:
            let minutes = Int(seconds / 60)
            return localized("\(minutes) minute ago", plural: "\(minutes) minutes ago", count: minutes)
        case ..<86400:
            let hours = Int(seconds / 3600)
            return localized("\(hours) hour ago", plural: "\(hours) hours ago", count: hours)
        default:
            let text = WallClock.text(of: moment.millisecondsSince1970)
            return text.prefix(10) + " " + text.dropFirst(11).prefix(5) + " UTC"
        }
    }
}
