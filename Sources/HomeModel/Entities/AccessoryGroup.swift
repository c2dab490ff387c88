import Texts

/// The ways to group a home's accessories for display.
@nonexhaustive
public enum AccessoryGrouping: String, Sendable, Hashable, CaseIterable {
    /// One group for each room that isn't empty.
    case room
    /// One group for each category in use.
    case category
}

/// Accessories that are displayed together.
public struct AccessoryGroup: Sendable, Hashable {
    /// The group's heading.
    public var name: String
    /// The group's accessories in display order.
    public var accessories: [Accessory]
    /// The room, if the group represents one.
    public var room: Room.ID?
}

extension Home {
    /// Returns the home's accessories in groups.
    ///
    /// The result doesn't depend on the order of the home's lists.
    ///
    /// - Returns: The groups in display order, without empty groups.
    public func grouped(by grouping: AccessoryGrouping) -> [AccessoryGroup] {
        switch grouping {
        case .room:
            let members = Dictionary(grouping: accessories, by: \.room)
            let filled = (rooms.sortedForDisplay + [defaultRoom]).filter { members[$0.id] != nil }
            return filled.map { room in
                AccessoryGroup(
                    name: displayName(of: room), accessories: (members[room.id] ?? []).sortedForDisplay, room: room.id)
            }
        case .category:
            let members = Dictionary(grouping: accessories) { $0.category.localizedDescription }
            let names = members.keys.sorted { (NameKey($0), $0) < (NameKey($1), $1) }
            return names.map { AccessoryGroup(name: $0, accessories: (members[$0] ?? []).sortedForDisplay, room: nil) }
        }
    }

    /// Returns a room's display name.
    ///
    /// The default room, which contains the accessories that aren't in any other room, is called `No room`.
    public func displayName(of room: Room) -> String { room.id == defaultRoom.id ? localized("No room") : room.name }
}
