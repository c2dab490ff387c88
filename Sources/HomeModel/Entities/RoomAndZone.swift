/// A room of a home.
public struct Room: Codable, Sendable, Hashable, Identifiable {
    /// The type of a room's ID.
    public typealias ID = Identifier<Room>

    /// The room's ID.
    public let id: ID
    /// The ID of the room's home.
    public let home: Home.ID
    /// The room's name.
    public package(set) var name: String

    package init(id: ID, home: Home.ID, name: String) {
        self.id = id
        self.home = home
        self.name = name
    }
}

/// Rooms that users address together, such as *upstairs*.
public struct Zone: Codable, Sendable, Hashable, Identifiable {
    /// The type of a zone's ID.
    public typealias ID = Identifier<Zone>

    /// The zone's ID.
    public let id: ID
    /// The ID of the zone's home.
    public let home: Home.ID
    /// The zone's name.
    public package(set) var name: String
    /// The zone's rooms in the order in which they were added.
    ///
    /// A room can belong to several zones.
    public package(set) var rooms: [Room.ID]

    package init(id: ID, home: Home.ID, name: String, rooms: [Room.ID] = []) {
        self.id = id
        self.home = home
        self.name = name
        self.rooms = rooms
    }
}
