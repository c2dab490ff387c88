import ArgumentParser
import BoundedJSON
import HAPModel
import HomeClient
import HomePresentation
import TerminalKit

struct ReadCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read current values from accessories.",
        discussion: """
            For example: homehub read "Reading Lamp" brightness. If you don't name values, all values of the accessory's \
            main part are read. For a room or zone, the values of all its accessories are read.
            """)

    @Argument(
        help: "An accessory, ACCESSORY/PART, a room or a zone, by name or ID.", completion: .names(.values))
    var target: String

    @Argument(help: "The values to read, by the names that homehub show prints.", completion: .names(.values))
    var values: [String] = []

    @Flag(help: "Also read the other parts and hidden values.")
    var all = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let target = try await session.home.valueTarget(target)
        var places: [ValuePlace] = []
        for value in values { places.append(try target.place(value)) }
        if values.isEmpty {
            let all = target.places(allowing: .pairedRead, isComplete: all)
            // A button has no value, so it is read only if it is named.
            let held = all.filter { !$0.characteristic.type.isMomentary }
            places = held.isEmpty ? all : held
        }
        guard !places.isEmpty else { throw HomeError(.notFound, detail: "\(target.name) has no readable values") }
        let results = try await session.saying("reading values from the accessories") {
            try await session.manager.readValues(of: places.map(\.characteristic.id))
        }
        try ValueReport(places, results).show(in: session, isSingle: values.count == 1)
    }
}

struct WriteCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Control an accessory, a room, a zone, a group or a kind of accessory.",
        discussion: """
            For example: homehub write "Reading Lamp" on=yes brightness=40, homehub write "Reading Lamp" brightness=+10, \
            homehub write kitchen lights off, or homehub write blinds close. Instead of values, you can use the words \
            on, off, toggle, open, close, lock and unlock. A number with a sign changes the current value by that \
            amount. For values that can be negative, use value+=5 or value-=5. All values are checked before anything \
            changes. To see the valid values, use homehub show.
            """)

    @Argument(
        help: ArgumentHelp(
            "An accessory, ACCESSORY/PART, room, zone, group or kind, and the changes.",
            valueName: "target ... change"),
        completion: .names(.changes))
    var words: [String] = []

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard words.count > 1 else {
            throw ValidationError("Name an accessory and a change, such as homehub write \"Reading Lamp\" on=yes")
        }
    }

    func run(_ session: HomeSession) async throws {
        let order = try await session.home.writeOrder(typed: words)
        let read = try await session.saying("reading values from the accessories") {
            try await session.manager.readValues(of: order.unread.map(\.characteristic.id))
        }
        let changes = try order.changes(given: read.compactMapValues { try? $0.get() })
        if changes.isEmpty, read.values.contains(where: { (try? $0.get()) != nil }) {
            session.note(["the value is already at its limit"])
        }
        let values = Dictionary(uniqueKeysWithValues: changes.map { ($0.place.characteristic.id, $0.value) })
        let written = try await session.saying("sending values to the accessories") {
            try await session.manager.writeValues(values)
        }
        // For values that weren't written, the report shows the result of reading them.
        var report = ValueReport(order.items.map(\.place), read.merging(written) { $1 })
        report.asked(changes)
        try report.show(in: session, isSilent: true)
    }
}

/// The results of reading or writing values.
struct ValueReport {
    private let places: [ValuePlace]
    private var values: [Characteristic.ID: CharacteristicValue] = [:]
    private var errors: [Characteristic.ID: HomeError] = [:]
    private let partialSuccess: HomeError.Code
    /// The changes with rounded numbers, by characteristic.
    private var rounded: [Characteristic.ID: ValueChange] = [:]

    /// Creates a report of values in the given order.
    ///
    /// If only some of them failed, ``error`` has the code `partialSuccess`.
    init(
        _ places: [ValuePlace], _ results: [Characteristic.ID: Result<CharacteristicValue, HomeError>],
        partialSuccess: HomeError.Code = .readWritePartialSuccess
    ) {
        self.places = places
        self.partialSuccess = partialSuccess
        for place in places {
            switch results[place.characteristic.id] {
            case .success(let value): values[place.characteristic.id] = value
            case .failure(let error): errors[place.characteristic.id] = error
            case nil: errors[place.characteristic.id] = HomeError(.notFound)
            }
        }
    }

    /// Records the typed numbers that were rounded, so that the report can mention them.
    mutating func asked(_ changes: [ValueChange]) {
        for change in changes where change.asked != nil && errors[change.place.characteristic.id] == nil {
            rounded[change.place.characteristic.id] = change
        }
    }

    /// The values as a table, with dashes for failures.
    var text: String {
        let hasOneAccessory = Set(places.map(\.shownName)).count == 1
        var table = Table(hasOneAccessory ? ["NAME", "VALUE"] : ["ACCESSORY", "NAME", "VALUE"])
        for place in places {
            let now = value(of: place).map(place.characteristic.text) ?? "-"
            table.append((hasOneAccessory ? [] : [place.shownName]) + [place.characteristic.word, now])
        }
        return table.text
    }

    var listing: JSONValue {
        .array(
            places.map { place in
                let asked = rounded[place.characteristic.id]?.asked
                return place.listing(value: value(of: place), asked: asked, error: error(of: place))
            })
    }

    /// An error that describes all failures, or `nil` if there are none.
    var error: HomeError? {
        let failures = places.compactMap { place in error(of: place).map { (place, $0) } }
        guard let (place, first) = failures.first else { return nil }
        let what = "\(place.characteristic.word) of \(place.shownName)"
        guard places.count > 1 else {
            return HomeError(
                first.code, detail: "\(what): \(first.problem)", remedy: first.effectiveRemedy,
                accessory: first.accessory, suggestions: first.suggestions)
        }
        let sentences = failures.prefix(8).map { "\($0.characteristic.word) of \($0.shownName): \($1.message)" }
        return HomeError(
            failures.count < places.count ? partialSuccess : .readWriteFailure,
            detail: "\(failures.count) of \(places.count) values failed: \(sentences.joined(separator: "; "))")
    }

    /// Prints the values as a table, or only the value if a single value was requested.
    ///
    /// If `isSilent` is `true`, the values are printed only with `--json`.
    ///
    /// - Throws: An error that describes all failures.
    func show(in session: HomeSession, isSingle: Bool = false, isSilent: Bool = false) throws {
        if isSilent {
            session.print(json: listing)
        } else if isSingle, let place = places.first {
            session.print(value(of: place).map { place.characteristic.text(of: $0) + "\n" } ?? "", json: listing)
        } else {
            session.print(text, json: listing)
        }
        session.note(places.compactMap { rounded[$0.characteristic.id]?.note })
        if let error { throw error }
    }

    private func value(of place: ValuePlace) -> CharacteristicValue? { values[place.characteristic.id] }

    private func error(of place: ValuePlace) -> HomeError? { errors[place.characteristic.id] }
}
