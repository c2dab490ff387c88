import HomeModel
import HomePresentation
import Texts

/// The names and rooms of several accessories, and whether they are favorites or hidden, which a visitor edits in one
/// table.
///
/// This value performs no changes. It checks them by the rules of the home hub.
struct Arrangement: Sendable {
    /// A change of the home.
    enum Change: Sendable, Equatable {
        case addRoom(name: String)
        case rename(Accessory.ID, name: String)
        /// Moves an accessory to the room with a name, or to no room if the name is empty.
        case move(Accessory.ID, room: String)
        case setFavorite(Service.ID, of: Accessory.ID, Bool)
        /// Hides the tiles of accessories on Home, or shows them again.
        case setHidden([Accessory.ID: Set<Service.ID>], Bool)
    }

    /// The maximum number of rows, more than the accessories of a bridge.
    static let rowLimit = 300

    private(set) var rows: [ArrangementRow]
    /// The reason why the table wasn't saved, in addition to those of its rows; empty without one.
    private(set) var notice = ""

    /// Whether the table can't be saved.
    var isRefused: Bool { !notice.isEmpty || rows.contains(where: \.isRefused) }

    // MARK: Suggestions

    /// Returns the accessories in the table of an accessory: those connected through it, and itself unless it's only a
    /// bridge.
    static func accessories(of accessory: Accessory, in home: Home) -> [Accessory] {
        let own = accessory.bridgedAccessories != nil && accessory.parts.isEmpty ? [] : [accessory]
        return own + home.accessories.filter { $0.bridge == accessory.id }.sortedForDisplay
    }

    /// Creates a table with suggestions: names without the manufacturer, and the rooms that names contain.
    init(of accessory: Accessory, in home: Home, _ display: HomeDisplay) {
        var graph = HomeGraph(homes: [home])
        var random = SystemRandomNumberGenerator()
        rows = Self.accessories(of: accessory, in: home).map { accessory in
            var row = ArrangementRow(accessory, in: home, display)
            guard let current = graph.home(home.id) else { return row }
            let hints = current.nameHints(of: accessory.id)
            var isBetter = hints.contains(.containsMaker)
            if accessory.room == home.defaultRoomID, let room = hints.lazy.compactMap(\.room).first.flatMap(home.room) {
                row.room = room.name
                isBetter = true
            }
            guard isBetter, let name = current.suggestedNames(from: accessory.name, for: accessory.id).first,
                // Names that are suggested later must differ from this one.
                (try? graph.perform(.renameAccessory(accessory.id, name: name), using: &random)) != nil
            else { return row }
            row.name = name
            return row
        }
    }

    // MARK: Selections

    /// Creates a table with the present settings of accessories.
    init(_ accessories: [Accessory], in home: Home, _ display: HomeDisplay) {
        rows = accessories.prefix(Self.rowLimit).map { ArrangementRow($0, in: home, display) }
    }

    /// Changes all rows.
    mutating func edit(_ change: (Int, inout ArrangementRow) -> Void) {
        for index in rows.indices { change(index, &rows[index]) }
    }

    // MARK: Form

    /// Reads a table from a form, in which the field `row` precedes the others of a row.
    init(_ form: Query) {
        rows = []
        for (name, value) in form.fields {
            if name == "row" {
                let parts = value.split(separator: ".")
                guard rows.count < Self.rowLimit, parts.count == 2, let id = Accessory.ID(String(parts[0])) else {
                    notice = localized("This form is outdated. Reload the page.")
                    return
                }
                rows.append(ArrangementRow(accessory: id, mark: String(parts[1])))
                continue
            }
            guard let last = rows.indices.last else { continue }
            switch name {
            case "name": rows[last].name = value.trimmed
            case "room": rows[last].room = value.trimmed
            case "favorite": rows[last].isFavorite = true
            case "hidden": rows[last].isHidden = true
            case "all-tiles": rows[last].affectsAllTiles = true
            default: break
            }
        }
    }

    /// Returns the necessary changes, in an order that the home hub accepts, and shows the reasons in the table if there
    /// is no such order.
    ///
    /// If an accessory has been removed or changed by another visitor, the table isn't saved, because the visitor
    /// hasn't seen that yet.
    mutating func changes(of accessory: Accessory, in home: Home, _ display: HomeDisplay) -> [Change] {
        changes(among: Self.accessories(of: accessory, in: home), in: home, display)
    }

    /// Returns the changes of a table of accessories; see ``changes(of:in:_:)``.
    mutating func changes(among accessories: [Accessory], in home: Home, _ display: HomeDisplay) -> [Change] {
        let present = Dictionary(
            uniqueKeysWithValues: accessories.map {
                ($0.id, (accessory: $0, row: ArrangementRow($0, in: home, display)))
            })
        let removed = rows.filter { present[$0.accessory] == nil }
        rows.removeAll { present[$0.accessory] == nil }
        let changed = rows.indices.filter { rows[$0].mark != present[rows[$0].accessory]?.row.mark }
        for index in changed { present[rows[index].accessory].map { rows[index] = $0.row } }
        notice = Self.notice(removed: removed.map(\.name), changed: changed.map { rows[$0].name })
        let noRoom = NameKey(home.displayName(of: home.defaultRoom))
        for index in rows.indices where NameKey(rows[index].room) == noRoom { rows[index].room = "" }
        var changes = names(home)
        var hidden: [Bool: [Accessory.ID: Set<Service.ID>]] = [:]
        for row in rows {
            guard let (accessory, shown) = present[row.accessory] else { continue }
            if NameKey(row.room) != NameKey(shown.room) { changes.append(.move(row.accessory, room: row.room)) }
            if row.isFavorite != shown.isFavorite, let service = accessory.primaryService?.id {
                changes.append(.setFavorite(service, of: row.accessory, row.isFavorite))
            }
            let tiles = accessory.tiles.map(\.id).filter { display.hidden.contains($0) != row.isHidden }
            if !tiles.isEmpty, row.isHidden != shown.isHidden || row.affectsAllTiles {
                hidden[row.isHidden, default: [:]][row.accessory] = Set(tiles)
            }
        }
        return changes + hidden.map { .setHidden($1, $0) }
    }

    private static func notice(removed: [String], changed: [String]) -> String {
        var sentences: [String] = []
        if let name = removed.first {
            sentences.append(
                removed.count == 1
                    ? localized("\(name) was removed in the meantime.")
                    : localized("\(removed.count) accessories were removed in the meantime, including \(name)."))
        }
        if let name = changed.first {
            sentences.append(
                changed.count == 1
                    ? localized("\(name) was changed in the meantime.")
                    : localized("\(changed.count) accessories were changed in the meantime, including \(name)."))
        }
        guard !sentences.isEmpty else { return "" }
        let all = [localized("Nothing was saved.")] + sentences + [localized("Check the table and save it again.")]
        return all.joined(separator: " ")
    }

    /// Returns the changes of names and the new rooms, and shows the reasons of those that aren't possible.
    ///
    /// A name may become available when another accessory gets a different one.
    private mutating func names(_ home: Home) -> [Change] {
        var graph = HomeGraph(homes: [home])
        var random = SystemRandomNumberGenerator()
        var changes: [Change] = []
        var waiting = wishes(home)
        while true {
            var refusals: [(Change, HomeError)] = []
            for wish in waiting {
                do throws(HomeError) {
                    if let write = wish.write(home.id) { _ = try graph.perform(write, using: &random) }
                    changes.append(wish)
                } catch {
                    // A name that only differs in case or spaces stays as it is.
                    if error.code != .renameWithSimilarName { refusals.append((wish, error)) }
                }
            }
            guard !refusals.isEmpty, refusals.count < waiting.count else {
                for (wish, error) in refusals { refuse(wish, WebError(error)) }
                return changes
            }
            waiting = refusals.map(\.0)
        }
    }

    private func wishes(_ home: Home) -> [Change] {
        var rooms = Set(home.rooms.map { NameKey($0.name) })
        var wishes: [Change] = []
        for row in rows {
            if !row.room.isEmpty, rooms.insert(NameKey(row.room)).inserted { wishes.append(.addRoom(name: row.room)) }
            if home.accessory(row.accessory)?.name != row.name {
                wishes.append(.rename(row.accessory, name: row.name))
            }
        }
        return wishes
    }

    /// Shows the reason why a change wasn't made.
    mutating func refuse(_ change: Change, _ error: WebError) {
        if case .setHidden = change { notice = error.message }
        var reason = error.message
        if !error.suggestions.isEmpty {
            reason += " " + localized("You could use: \(error.suggestions.prefix(3).joined(separator: ", ")).")
        }
        for index in rows.indices {
            switch change {
            case .addRoom(let name) where NameKey(rows[index].room) == NameKey(name): rows[index].roomRefusal = reason
            case .rename(rows[index].accessory, _), .setFavorite(_, of: rows[index].accessory, _):
                rows[index].nameRefusal = reason
            case .move(rows[index].accessory, _): rows[index].roomRefusal = reason
            default: break
            }
        }
    }

    /// Marks the rows as seen in their current state, so that the table can be sent again after a partial failure.
    mutating func renewMarks(_ home: Home, _ display: HomeDisplay) {
        for index in rows.indices {
            guard let accessory = home.accessory(rows[index].accessory) else { continue }
            rows[index].mark = ArrangementRow(accessory, in: home, display).mark
        }
    }
}

extension Arrangement.Change {
    /// Returns the hub's write for a change of names.
    fileprivate func write(_ home: Home.ID) -> HomeWrite? {
        switch self {
        case .addRoom(let name): .addRoom(home, name: name)
        case .rename(let accessory, let name): .renameAccessory(accessory, name: name)
        case .move, .setFavorite, .setHidden: nil
        }
    }
}

extension NameHint {
    /// The room that the name contains.
    fileprivate var room: Room.ID? {
        guard case .containsLocation(let location) = self, case .room(let room) = location.place else { return nil }
        return room
    }
}
