import HomeClient
import HomeModel
import HomePresentation
import TerminalKit
import Texts

/// The page of the automations, with their states, next runs and last results.
struct AutomationsPage: LivePage {
    let manager: HomeManager
    let path: String
    let choice: Home.ID?
    var place: String { "/more" }

    func changes(_ site: Site) async -> AsyncStream<Void>? { AutomationChanges.stream(of: site.manager) }

    func content(_ moment: Moment) async -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing(localized("There are no homes yet.")) }
        let summary = AutomationSummary(home: home, time: .current(of: home))
        var values: Templates.Values = ["home": home.name, "up": "/" + moment.homeQuery]
        var statuses: [Trigger.ID: TriggerStatus] = [:]
        if !home.triggers.isEmpty {
            do throws(HomeError) {
                for status in try await manager.triggerStatuses(of: home.id) { statuses[status.trigger] = status }
            } catch {
                values["reason"] =
                    localized("The next and last runs can't be loaded: \(error.localizedMessage)").sentence
            }
        }
        let automations = home.triggers.sortedForDisplay.map { trigger in
            PageContent.Part(
                id: "t-\(trigger.id)", "automation-row",
                summary.values(of: trigger, statuses[trigger.id], isOwner: moment.visitor.isEditor, back: path))
        }
        values["automations"] = automations.map(\.html)
        if moment.visitor.isEditor {
            values["owner"] = [
                "new": "/automations/new" + moment.homeQuery, "people": "/people" + moment.homeQuery,
            ]
        }
        return PageContent(
            title: localized("Automations"), main: Templates.render("automations", values), parts: automations)
    }
}

/// Signals to redraw the pages of automations.
///
/// Evaluations of automations aren't changes of the home, and phrases such as "today" depend on the time.
enum AutomationChanges {
    /// The interval at which phrases such as "today" and the result of a check are updated.
    private static let interval = Duration.seconds(60)

    static func stream(of manager: HomeManager) -> AsyncStream<Void> {
        let (changes, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let events = manager.allEvents()
        let task = Task {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await event in events {
                        if case .home(let event) = event, case .triggerFired = event.change { sink.yield() }
                    }
                }
                group.addTask {
                    while (try? await Task.sleep(for: interval)) != nil { sink.yield() }
                }
            }
        }
        sink.onTermination = { _ in task.cancel() }
        return changes
    }
}
