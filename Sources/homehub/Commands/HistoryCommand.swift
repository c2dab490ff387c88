import ArgumentParser
import BoundedJSON
import HAPModel
import HomeClient
import HomePresentation
import TerminalKit

struct HistoryCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show past values of accessories.",
        discussion: """
            For example: homehub history "Hall Sensor" temperature --since 7d. If you don't name values, the values of the \
            accessory's main part are shown. The hub keeps values for 30 days.
            """)

    @Argument(
        help: "An accessory, ACCESSORY/PART, a room or a zone, by name or ID.", completion: .names(.values))
    var target: String

    @Argument(help: "The values to show, by the names that homehub show prints.", completion: .names(.values))
    var values: [String] = []

    @Option(
        help: ArgumentHelp(
            "The length of the period until now, such as 90m, 24h or 7d.", valueName: "time"))
    var since = Period(hours: 24)

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let target = try await session.home.valueTarget(target)
        var places: [ValuePlace] = []
        for value in values { places.append(try target.place(value)) }
        if values.isEmpty { places = target.places(allowing: .pairedRead).filter(\.characteristic.hasHistory) }
        guard !places.isEmpty else { throw HomeError(.notFound, detail: "\(target.name) has no values with a history") }
        let end = Timestamp.now
        let start = since.start(before: end)
        var past: [PastValue] = []
        for place in places {
            let entries = try await session.manager.history(of: place.characteristic.id, from: start, to: end)
            past += entries.map { PastValue(place: place, entry: $0) }
        }
        // The sort is stable: values with the same time keep the order of their places.
        past.sort { $0.entry.time < $1.entry.time }
        session.print(Self.table(past), json: .array(past.map(\.listing)))
        if past.isEmpty { session.note(["no values of \(target.name) are stored yet"]) }
    }

    private static func table(_ past: [PastValue]) -> String {
        guard !past.isEmpty else { return "" }
        let hasOneAccessory = Set(past.map(\.place.shownName)).count == 1
        var table = Table(hasOneAccessory ? ["TIME", "NAME", "VALUE"] : ["TIME", "ACCESSORY", "NAME", "VALUE"])
        for value in past {
            let characteristic = value.place.characteristic
            table.append(
                [LocalTime.text(of: value.entry.time.description)] + (hasOneAccessory ? [] : [value.place.shownName])
                    + [characteristic.word, characteristic.text(of: value.entry.value)])
        }
        return table.text
    }
}

/// A past value of a characteristic.
private struct PastValue {
    let place: ValuePlace
    let entry: HistoryEntry

    var listing: JSONValue {
        var object: JSONObject = ["time": .integer(entry.time.millisecondsSince1970)]
        if case .object(let members) = place.listing(value: entry.value) {
            for member in members.members { object[member.name] = member.value }
        }
        return .object(object)
    }
}

/// The length of a period, such as `90m`, `24h` or `7d`.
struct Period: ExpressibleByArgument {
    private let minutes: Int64

    init(hours: Int64) { minutes = hours * 60 }

    init?(argument: String) {
        let units: [Character: Int64] = ["m": 1, "h": 60, "d": 24 * 60]
        guard let unit = argument.last.flatMap({ units[$0] }), let number = Int64(argument.dropLast()),
            (1...366 * 24 * 60 / unit).contains(number)
        else { return nil }
        minutes = number * unit
    }

    var defaultValueDescription: String { "24h" }

    func start(before end: Timestamp) -> Timestamp {
        Timestamp(millisecondsSince1970: end.millisecondsSince1970 - minutes * 60_000)
    }
}
