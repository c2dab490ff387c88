/// A room of a home.
public struct Room: Codable, Sendable, Hashable, Identifiable {
    /// A room's identity.
    public typealias ID = Identifier<Room>

    /// Its identity.
    public let id: ID
    /// The home it is in.
    public let home: Home.ID
    /// What people call it.
    public package(set) var name: String

    package init(id: ID, home: Home.ID, name: String) {
        self.id = id
        self.home = home
        self.name = name
    }
}

/// Rooms that people speak of together, such as *upstairs*.
public struct Zone: Codable, Sendable, Hashable, Identifiable {
    /// A zone's identity.
    public typealias ID = Identifier<Zone>

    /// Its identity.
    public let id: ID
    /// The home it is in.
    public let home: Home.ID
    /// What people call it.
    public package(set) var name: String
    /// Its rooms in the order in which they were added; a room may be in several zones.
    public package(set) var rooms: [Room.ID]

    package init(id: ID, home: Home.ID, name: String, rooms: [Room.ID] = []) {
        self.id = id
        self.home = home
        self.name = name
        self.rooms = rooms
    }
}
