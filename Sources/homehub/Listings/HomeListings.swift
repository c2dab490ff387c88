import BoundedJSON
import HomeModel
import TerminalKit

/// What people see of homes, rooms, zones, groups and scenes; the same homes give the same text.
enum HomeListings {
    /// All homes.
    static func homes(_ homes: [Home]) -> String {
        guard !homes.isEmpty else { return "There is no home yet; homehub homes add NAME makes one.\n" }
        var table = Table(["NAME", "ROOMS", "ACCESSORIES", ""])
        for home in homes.sortedForDisplay {
            table.append([
                home.name, "\(home.rooms.count)", "\(home.accessories.count)", home.isPrimary ? "primary" : "",
            ])
        }
        return table.text
    }

    /// The rooms of a home, the default room if something is in it.
    static func rooms(of home: Home) -> String {
        let rooms = home.shownRooms
        guard !rooms.isEmpty else { return "There are no rooms in \(home.name); homehub rooms add NAME makes one.\n" }
        var table = Table(["NAME", "ACCESSORIES", "ZONES"])
        for room in rooms {
            let zones = home.zones.filter { $0.rooms.contains(room.id) }.sortedForDisplay.map(\.name)
            table.append([
                home.displayName(of: room), "\(home.accessories(in: room.id).count)", zones.joined(separator: ", "),
            ])
        }
        return table.text
    }

    /// The zones of a home.
    static func zones(of home: Home) -> String {
        guard !home.zones.isEmpty else { return "There are no zones in \(home.name).\n" }
        var table = Table(["NAME", "ROOMS"])
        for zone in home.zones.sortedForDisplay {
            table.append([zone.name, home.rooms(in: zone).sortedForDisplay.map(\.name).joined(separator: ", ")])
        }
        return table.text
    }

    /// The service groups of a home, with what is in them.
    static func groups(of home: Home) -> String {
        guard !home.serviceGroups.isEmpty else {
            return "There are no groups in \(home.name); homehub groups add NAME makes one.\n"
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

    /// The scenes of a home, with what they set.
    static func scenes(of home: Home) -> String {
        guard !home.actionSets.isEmpty else { return "There are no scenes in \(home.name).\n" }
        var table = Table(["NAME", "SETS"])
        for scene in home.actionSets.sortedForDisplay {
            let actions = scene.actions.compactMap { home.text(of: $0) }.sorted()
            table.append([scene.name, actions.isEmpty ? "nothing" : actions.joined(separator: "; ")])
        }
        return table.text
    }

    /// The accessories of a home in groups.
    static func accessories(of home: Home, by grouping: AccessoryGrouping) -> String {
        guard !home.accessories.isEmpty else {
            return "There are no accessories in \(home.name); homehub add adds one.\n"
        }
        return home.grouped(by: grouping).map { group in
            var table = Table([group.name.sanitized, "", ""])
            for accessory in group.accessories {
                let other =
                    switch grouping {
                    case .room: accessory.category.localizedDescription
                    case .category: home.room(accessory.room).map(home.displayName) ?? ""
                    }
                table.append(["  " + accessory.name, other, accessory.problemText])
            }
            return table.text
        }.joined(separator: "\n")
    }
}

extension Home {
    /// The rooms in the order to show them; the default room is among them if something is in it.
    var shownRooms: [Room] {
        let isUsed = accessories.contains { $0.room == defaultRoomID }
        return (rooms + (isUsed ? [defaultRoom] : [])).sortedForDisplay
    }

    /// The accessories as their groups show them.
    func accessories(by grouping: AccessoryGrouping) -> [Accessory] { grouped(by: grouping).flatMap(\.accessories) }

    /// What is known of a value of this home.
    func place(of id: Characteristic.ID) -> ValuePlace? {
        for accessory in accessories {
            for service in accessory.services {
                if let characteristic = service.characteristics.first(where: { $0.id == id }) {
                    return ValuePlace(accessory: accessory, service: service, characteristic: characteristic)
                }
            }
        }
        return nil
    }

    /// What a scene does to one value; `nil` if the value is gone.
    func text(of action: CharacteristicWriteAction) -> String? {
        guard let place = place(of: action.characteristic) else { return nil }
        return "\(place.shownName) \(place.characteristic.sentence(of: action.targetValue))"
    }
}

extension Accessory {
    /// What is wrong with it; nothing if all is well.
    var problemText: String { problem?.text ?? "" }

    /// What is wrong with it; `nil` if all is well.
    var problem: AccessoryProblem? {
        if isBlocked { return .blocked }
        if isReachable { return nil }
        return fault.map(AccessoryProblem.fault) ?? .unreachable
    }
}

/// Why an accessory is of no use now.
enum AccessoryProblem: Equatable {
    case blocked
    case unreachable
    case fault(AccessoryFault)

    /// What programs tell it by.
    var code: String {
        switch self {
        case .blocked: "blocked"
        case .unreachable: "unreachable"
        case .fault(let fault): fault.rawValue
        }
    }

    /// A few words for a list, and for what is said of an accessory.
    var text: String {
        switch self {
        case .blocked: "blocked"
        case .unreachable: "does not answer"
        case .fault(.forgotten): "does not know this home any more"
        case .fault(.pairedElsewhere): "is paired with somebody else"
        case .fault(.invalidAnswers): "answers what HAP does not allow"
        }
    }

    /// What is wrong and what to do.
    var sentence: String {
        switch self {
        case .blocked: "it broke HAP's rules too often and is left alone; homehub unblock tries it again"
        case .unreachable: "it does not answer; check that it has power and is near"
        case .fault(let fault): fault.localizedDescription
        }
    }

    var listing: JSONValue { ["code": .string(code), "message": .string(sentence)] }
}

extension ValuePlace {
    /// The accessory's name, and the part's if that is not the main one or has a name of its own to tell it by.
    var shownName: String { Self.shownName(of: service, accessory) }

    static func shownName(of service: Service, _ accessory: Accessory) -> String {
        let isMain = service.id == accessory.primaryService?.id || !service.isUserInteractive
        return isMain || NameKey(service.name) == NameKey(accessory.name)
            ? accessory.name : "\(accessory.name)/\(service.name)"
    }
}
