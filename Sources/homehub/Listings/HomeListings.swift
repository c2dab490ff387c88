import BoundedJSON
import HomeModel
import HomePresentation
import SystemKit
import TerminalKit

/// Human-readable listings of homes, rooms, zones, groups, scenes and accessories.
///
/// Equal homes have equal listings.
enum HomeListings {
    static func homes(_ homes: [Home]) -> String {
        guard !homes.isEmpty else {
            return "You have no homes yet. To add one: \(ShellCommand.homehub) homes add NAME\n"
        }
        var table = Table(["NAME", "ROOMS", "ACCESSORIES", ""])
        for home in homes.sortedForDisplay {
            table.append([
                home.name, "\(home.rooms.count)", "\(home.accessories.count)", home.isPrimary ? "primary" : "",
            ])
        }
        return table.text
    }

    /// Returns the rooms of a home, including the default room if it isn't empty.
    static func rooms(of home: Home) -> String {
        let rooms = home.shownRooms
        guard !rooms.isEmpty else {
            return "\(home.name) has no rooms yet. To add one: \(ShellCommand.homehub) rooms add NAME\n"
        }
        var table = Table(["NAME", "ACCESSORIES", "ZONES", "STATE"])
        let things = Dictionary(grouping: home.rows(), by: \.room)
        for room in rooms {
            let zones = home.zones.filter { $0.rooms.contains(room.id) }.sortedForDisplay.map(\.name)
            table.append([
                home.displayName(of: room), "\(home.accessories(in: room.id).count)", zones.joined(separator: ", "),
                things[room.id]?.summary ?? "",
            ])
        }
        return table.text
    }

    static func zones(of home: Home) -> String {
        guard !home.zones.isEmpty else {
            return "\(home.name) has no zones yet. To add one: \(ShellCommand.homehub) zones add NAME\n"
        }
        var table = Table(["NAME", "ROOMS"])
        for zone in home.zones.sortedForDisplay {
            table.append([zone.name, home.rooms(in: zone).sortedForDisplay.map(\.name).joined(separator: ", ")])
        }
        return table.text
    }

    static func groups(of home: Home) -> String {
        guard !home.serviceGroups.isEmpty else {
            return "\(home.name) has no groups yet. To add one: \(ShellCommand.homehub) groups add NAME\n"
        }
        var table = Table(["NAME", "PARTS"])
        for group in home.serviceGroups.sortedForDisplay {
            let parts = home.services(in: group).compactMap { service in
                home.accessory(service.accessory).map { ValuePlace.shownName(of: service, $0) }
            }
            table.append([group.name, parts.isEmpty ? "nothing" : parts.sorted().joined(separator: ", ")])
        }
        return table.text
    }

    static func scenes(of home: Home) -> String {
        guard !home.actionSets.isEmpty else {
            return "\(home.name) has no scenes yet. To add one: \(ShellCommand.homehub) scenes add NAME\n"
        }
        var table = Table(["NAME", "ACTIONS"])
        for scene in home.actionSets.sortedForDisplay {
            let actions = scene.actions.compactMap { home.text(of: $0) }.sorted()
            table.append([scene.name, actions.isEmpty ? "nothing" : actions.joined(separator: "; ")])
        }
        return table.text
    }

    /// Lists the accessories of a home in groups, with one line per accessory, or per part if it has several.
    ///
    /// A filter omits accessories without matching parts.
    static func accessories(
        of home: Home, by grouping: ProductGrouping, _ filter: ProductFilter? = nil, isPainted: Bool = false
    ) -> String {
        guard !home.accessories.isEmpty else {
            return "\(home.name) has no accessories yet. To add one: \(ShellCommand.homehub) add\n"
        }
        if filter == nil, let grouping = AccessoryGrouping(rawValue: grouping.rawValue) {
            return home.grouped(by: grouping).map { group in
                var table = Table([group.name.sanitized, "", ""])
                for accessory in group.accessories { table.append(accessory) }
                return table.text(isPainted: isPainted)
            }.joined(separator: "\n")
        }
        let sections = home.sections(by: grouping, filter ?? ProductFilter())
        guard !sections.isEmpty else { return "Nothing in \(home.name) matches.\n" }
        return sections.map { section in
            var table = Table([section.name.sanitized, "", ""])
            for row in section.rows { table.append(row, name: "  " + row.qualifiedName) }
            return table.text(isPainted: isPainted)
        }.joined(separator: "\n")
    }

    static func favorites(of home: Home, isPainted: Bool = false) -> String {
        var filter = ProductFilter()
        filter.isOfFavorites = true
        let rows = home.rows(filter)
        guard !rows.isEmpty else {
            return "\(home.name) has no favorites yet. To add one: \(ShellCommand.homehub) favorite ACCESSORY\n"
        }
        var table = Table(["NAME", "STATE", ""])
        for row in rows { table.append(row, name: row.qualifiedName) }
        return table.text(isPainted: isPainted)
    }
}

extension Table {
    /// Appends a line for an accessory, or one for each of its parts.
    fileprivate mutating func append(_ accessory: Accessory) {
        let rows = accessory.rows()
        guard rows.count > 1 else {
            guard let row = rows.first else {
                append(["  " + accessory.name, accessory.idleWords, accessory.problem?.words ?? ""])
                return
            }
            append(row, name: "  " + accessory.name)
            return
        }
        append(["  " + accessory.name, "", accessory.problem?.words ?? rows.first?.battery?.lowWords ?? ""])
        for row in rows { append(row, name: "    " + row.name, isOneOfSeveral: true) }
    }

    fileprivate mutating func append(_ row: ServiceRow, name: String, isOneOfSeveral: Bool = false) {
        let note = isOneOfSeveral ? nil : row.problem?.words ?? row.battery?.lowWords
        let age = row.problem == nil ? row.lastRead.map { "read \($0.age())" } : nil
        let style: Style? =
            row.problem != nil ? .faint : row.state.isAlert ? .alert : row.state.isActive ? .strong : nil
        append([name, row.state.words, [note, age].compactMap(\.self).joined(separator: ", ")], style)
    }
}

extension ServiceState {
    /// The note about a low battery next to the accessory's state, or `nil` if the battery isn't low.
    fileprivate var lowWords: String? { isAlert ? "battery \(words)" : nil }
}

extension ServiceRow {
    /// The name, preceded by the accessory's name if that differs.
    fileprivate var qualifiedName: String { accessoryName.map { "\($0)/\(name)" } ?? name }
}

extension Accessory {
    /// The text that replaces the state of an accessory without a state.
    fileprivate var idleWords: String {
        bridgedAccessories.map { "bridge of \($0.count)" } ?? category.localizedDescription.lowercased()
    }
}

extension Home {
    /// The rooms in display order, and the default room if it isn't empty.
    var shownRooms: [Room] {
        let isUsed = accessories.contains { $0.room == defaultRoomID }
        return rooms.sortedForDisplay + (isUsed ? [defaultRoom] : [])
    }

    /// Returns the accessories in the order of their groups, each once.
    func accessories(by grouping: ProductGrouping, _ filter: ProductFilter?) -> [Accessory] {
        if filter == nil, let grouping = AccessoryGrouping(rawValue: grouping.rawValue) {
            return grouped(by: grouping).flatMap(\.accessories)
        }
        var ids: [Accessory.ID] = []
        for row in sections(by: grouping, filter ?? ProductFilter()).flatMap(\.rows) where !ids.contains(row.accessory)
        {
            ids.append(row.accessory)
        }
        return ids.compactMap { accessory($0) }
    }
}

extension AccessoryProblem {
    /// The problem and its remedy on the command line.
    var sentence: String {
        switch self {
        case .blocked:
            "it was blocked after too many protocol errors; to try again, use \(ShellCommand.homehub) unblock"
        case .unreachable, .fault: localizedDescription
        }
    }

    var listing: JSONValue { ["code": .string(code), "message": .string(sentence)] }
}
