import ArgumentParser
import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import TerminalKit

struct ActivityCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity", abstract: "Show who or what changed your home.",
        discussion: """
            For example: homehub activity Kitchen --since 7d. Each change has its cause: a person, an app, a scene or an \
            automation. Changes without one were made by the accessory itself. The hub keeps the activity for 30 days. \
            For measurements, such as temperatures, use homehub history.
            """)

    @Argument(help: "An accessory, a room or a zone, by name or ID.", completion: .names(.values))
    var target: String?

    @Option(
        help: ArgumentHelp("The length of the period until now, such as 90m, 24h or 7d.", valueName: "time"))
    var since = Period(hours: 24)

    @Flag(help: "Delete the activity and the past values of the accessory, or of the whole home.")
    var delete = false

    @Flag(help: "Don't ask for confirmation before deleting.")
    var yes = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        guard !delete else { return try await delete(from: home, session) }
        let accessories = try target.map { try Self.accessories(of: try home.valueTarget($0)) }
        let start = since.start(before: .now)
        var entries: [ActivityEntry] = []
        repeat {
            let page = try await session.manager.activity(
                of: home.id, accessories: accessories, before: entries.last?.id, from: start, count: Self.pageSize)
            entries += page
            guard page.count == Self.pageSize else { break }
        } while !Task.isCancelled
        entries.reverse()
        let phrases = ActivityPhrases(home: home, time: .current(of: home))
        session.print(Self.table(entries, phrases), json: .array(entries.map { Self.listing($0, phrases) }))
        if entries.isEmpty { session.note(["there is no activity in this period"]) }
    }

    private static let pageSize = 100

    private func delete(from home: Home, _ session: HomeSession) async throws {
        var accessory: Accessory?
        if let target {
            guard case .accessory(let found) = try home.valueTarget(target) else {
                throw HomeError(.invalidParameter, detail: "\(target) isn't an accessory")
            }
            accessory = found
        }
        let name = accessory?.name ?? home.name
        try await session.confirm("This deletes the activity and the past values of \(name).", yes: yes)
        try await session.manager.removeHistory(of: home.id, accessory: accessory?.id)
        session.print("Deleted the history of \(name.sanitized).\n", json: [:])
    }

    private static func accessories(of target: ValueTarget) throws -> Set<Accessory.ID> {
        switch target {
        case .accessory(let accessory), .part(_, let accessory), .value(_, _, let accessory): [accessory.id]
        case .place(let accessories, _): Set(accessories.map(\.id))
        }
    }

    private static func table(_ entries: [ActivityEntry], _ phrases: ActivityPhrases) -> String {
        guard !entries.isEmpty else { return "" }
        var table = Table(["TIME", "BY", "CHANGE"])
        for entry in entries {
            let line = phrases.line(entry)
            let time = LocalTime.text(of: entry.time.description)
            table.append([time, line.requester ?? "", line.text])
            for detail in line.details { table.append(["", "", "  " + detail.text]) }
        }
        return table.text
    }

    private static func listing(_ entry: ActivityEntry, _ phrases: ActivityPhrases) -> JSONValue {
        guard case .object(var object) = entry.json else { return entry.json }
        object["text"] = .string(phrases.line(entry).text)
        return .object(object)
    }
}
