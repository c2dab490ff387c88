/// A home as it was at one revision: everything that apps see of it.
///
/// A snapshot never changes under its holder; objects refer to each other by id.
public struct Home: Codable, Sendable, Hashable, Identifiable {
    /// A home's identity.
    public typealias ID = Identifier<Home>

    /// Its identity.
    public let id: ID
    /// What people call it; no other home has that name.
    public package(set) var name: String
    /// Whether it is the home that apps show first; exactly one is.
    public package(set) var isPrimary: Bool
    /// How many writes made it what it is.
    public package(set) var revision: UInt64
    /// The identity of the room for whatever has none.
    public let defaultRoomID: Room.ID
    /// The rooms in order of age, without the default room.
    public package(set) var rooms: [Room]
    /// The zones in order of age.
    public package(set) var zones: [Zone]
    /// The accessories in order of age: standalone ones, bridges, and those behind bridges.
    public package(set) var accessories: [Accessory]
    /// The scenes in order of age.
    public package(set) var actionSets: [ActionSet]
    /// The service groups in order of age.
    public package(set) var serviceGroups: [ServiceGroup]

    package init(
        id: ID, name: String, isPrimary: Bool = false, revision: UInt64 = 1, defaultRoomID: Room.ID, rooms: [Room] = [],
        zones: [Zone] = [], accessories: [Accessory] = [], actionSets: [ActionSet] = [],
        serviceGroups: [ServiceGroup] = []
    ) {
        self.id = id
        self.name = name
        self.isPrimary = isPrimary
        self.revision = revision
        self.defaultRoomID = defaultRoomID
        self.rooms = rooms
        self.zones = zones
        self.accessories = accessories
        self.actionSets = actionSets
        self.serviceGroups = serviceGroups
    }

    /// The room in which accessories are until they are assigned to another; it bears the home's name.
    public var defaultRoom: Room { Room(id: defaultRoomID, home: id, name: name) }
}

// MARK: Looking up

extension Home {
    /// A room of this home, the default room included.
    public func room(_ id: Room.ID) -> Room? {
        id == defaultRoomID ? defaultRoom : rooms.first { $0.id == id }
    }

    /// A zone of this home.
    public func zone(_ id: Zone.ID) -> Zone? { zones.first { $0.id == id } }

    /// An accessory of this home.
    public func accessory(_ id: Accessory.ID) -> Accessory? {
        for index in accessories.indices where accessories[index].id == id { return accessories[index] }
        return nil
    }

    /// A scene of this home.
    public func actionSet(_ id: ActionSet.ID) -> ActionSet? { actionSets.first { $0.id == id } }

    /// A service group of this home.
    public func serviceGroup(_ id: ServiceGroup.ID) -> ServiceGroup? { serviceGroups.first { $0.id == id } }

    /// The services of a group, in the order in which they were added to it.
    public func services(in group: ServiceGroup) -> [Service] { group.services.compactMap { service($0) } }

    /// A service of any accessory of this home.
    public func service(_ id: Service.ID) -> Service? { accessory(of: id)?.service(id) }

    /// The accessory whose part a service is.
    public func accessory(of id: Service.ID) -> Accessory? { accessories.first { $0.service(id) != nil } }

    /// A characteristic of any accessory of this home.
    public func characteristic(_ id: Characteristic.ID) -> Characteristic? {
        for index in accessories.indices {
            if let characteristic = accessories[index].characteristic(id) { return characteristic }
        }
        return nil
    }

    /// The accessories in a room.
    public func accessories(in room: Room.ID) -> [Accessory] { accessories.filter { $0.room == room } }

    /// The rooms of a zone, in the order in which they were added to it.
    public func rooms(in zone: Zone) -> [Room] { zone.rooms.compactMap { room($0) } }

    /// The places that names of accessories and services should not repeat.
    public var nameLocations: [NameLocation] {
        rooms.map { NameLocation(name: $0.name, place: .room($0.id)) }
            + zones.map { NameLocation(name: $0.name, place: .zone($0.id)) }
    }
}
