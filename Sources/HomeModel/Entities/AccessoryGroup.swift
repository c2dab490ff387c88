/// How the accessories of a home are put together for people.
@nonexhaustive
public enum AccessoryGrouping: String, Sendable, Hashable, CaseIterable {
    /// A group for each room that holds something.
    case room
    /// A group for each category that occurs.
    case category
}

/// Accessories that are shown together.
public struct AccessoryGroup: Sendable, Hashable {
    /// The group's heading.
    public var name: String
    /// What belongs into the group, in the order to show it.
    public var accessories: [Accessory]
    /// The room, if the group is one.
    public var room: Room.ID?
}

extension Home {
    /// The home's accessories in groups; the same home gives the same answer, whatever order its lists have.
    ///
    /// - Returns: the groups in the order to show them, none of them empty.
    public func grouped(by grouping: AccessoryGrouping) -> [AccessoryGroup] {
        switch grouping {
        case .room:
            let members = Dictionary(grouping: accessories, by: \.room)
            let filled = (CollectionOfOne(defaultRoom) + rooms).filter { members[$0.id] != nil }
            return filled.sortedForDisplay.map { room in
                AccessoryGroup(
                    name: displayName(of: room), accessories: (members[room.id] ?? []).sortedForDisplay, room: room.id)
            }
        case .category:
            let members = Dictionary(grouping: accessories) { $0.category.localizedDescription }
            let names = members.keys.sorted { (NameKey($0), $0) < (NameKey($1), $1) }
            return names.map { AccessoryGroup(name: $0, accessories: (members[$0] ?? []).sortedForDisplay, room: nil) }
        }
    }

    /// A room's name as it is shown: the default room, which bears the home's name, is marked as such.
    public func displayName(of room: Room) -> String {
        room.id == defaultRoom.id ? "\(name) (Default Room)" : room.name
    }
}
