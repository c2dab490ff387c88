/// A snapshot of a home at one revision, with everything that apps can see.
///
/// A snapshot never changes. Objects refer to each other by ID.
public struct Home: Codable, Sendable, Hashable, Identifiable {
    /// The type of a home's ID.
    public typealias ID = Identifier<Home>

    /// The home's ID.
    public let id: ID
    /// The home's name, which is unique among homes.
    public package(set) var name: String
    /// A Boolean value that indicates whether this is the home that apps show first.
    ///
    /// Exactly one home is primary.
    public package(set) var isPrimary: Bool
    /// The revision, which each write increments.
    public package(set) var revision: UInt64
    /// The ID of the room for accessories without an assigned room.
    public let defaultRoomID: Room.ID
    /// The rooms, oldest first, without the default room.
    public package(set) var rooms: [Room]
    /// The zones, oldest first.
    public package(set) var zones: [Zone]
    /// The accessories, oldest first: standalone accessories, bridges and bridged accessories.
    public package(set) var accessories: [Accessory]
    /// The scenes, oldest first.
    public package(set) var actionSets: [ActionSet]
    /// The service groups, oldest first.
    public package(set) var serviceGroups: [ServiceGroup]
    /// The automations, oldest first.
    public package(set) var triggers: [Trigger]
    /// The people whose presence automations can use, oldest first.
    public package(set) var people: [Resident]
    /// The location and the time zone; `nil` until they are set.
    public package(set) var location: HomeLocation?

    package init(
        id: ID, name: String, isPrimary: Bool = false, revision: UInt64 = 1, defaultRoomID: Room.ID, rooms: [Room] = [],
        zones: [Zone] = [], accessories: [Accessory] = [], actionSets: [ActionSet] = [],
        serviceGroups: [ServiceGroup] = [], triggers: [Trigger] = [], people: [Resident] = [],
        location: HomeLocation? = nil
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
        self.triggers = triggers
        self.people = people
        self.location = location
    }

    /// The room of accessories without an assigned room.
    ///
    /// It has the home's name.
    public var defaultRoom: Room { Room(id: defaultRoomID, home: id, name: name) }
}

// MARK: Lookup

extension Home {
    /// Returns the room with the given ID, including the default room.
    public func room(_ id: Room.ID) -> Room? {
        id == defaultRoomID ? defaultRoom : rooms.first { $0.id == id }
    }

    /// Returns the zone with the given ID.
    public func zone(_ id: Zone.ID) -> Zone? { zones.first { $0.id == id } }

    /// Returns the accessory with the given ID.
    public func accessory(_ id: Accessory.ID) -> Accessory? {
        for index in accessories.indices where accessories[index].id == id { return accessories[index] }
        return nil
    }

    /// Returns the scene with the given ID.
    public func actionSet(_ id: ActionSet.ID) -> ActionSet? { actionSets.first { $0.id == id } }

    /// Returns the service group with the given ID.
    public func serviceGroup(_ id: ServiceGroup.ID) -> ServiceGroup? { serviceGroups.first { $0.id == id } }

    /// Returns the automation with the given ID.
    public func trigger(_ id: Trigger.ID) -> Trigger? { triggers.first { $0.id == id } }

    /// Returns the person with the given ID.
    public func person(_ id: Resident.ID) -> Resident? { people.first { $0.id == id } }

    /// Returns the services of a group in the order in which they were added.
    public func services(in group: ServiceGroup) -> [Service] { group.services.compactMap { service($0) } }

    /// Returns the service with the given ID from any accessory.
    public func service(_ id: Service.ID) -> Service? { accessory(of: id)?.service(id) }

    /// Returns the accessory that has the given service.
    public func accessory(of id: Service.ID) -> Accessory? { accessories.first { $0.service(id) != nil } }

    /// Returns the characteristic with the given ID from any accessory.
    public func characteristic(_ id: Characteristic.ID) -> Characteristic? {
        for index in accessories.indices {
            if let characteristic = accessories[index].characteristic(id) { return characteristic }
        }
        return nil
    }

    /// Returns the accessories in a room.
    public func accessories(in room: Room.ID) -> [Accessory] { accessories.filter { $0.room == room } }

    /// Returns the rooms of a zone in the order in which they were added.
    public func rooms(in zone: Zone) -> [Room] { zone.rooms.compactMap { room($0) } }

    /// The rooms and zones, whose names accessories and services shouldn't repeat.
    public var nameLocations: [NameLocation] {
        rooms.map { NameLocation(name: $0.name, place: .room($0.id)) }
            + zones.map { NameLocation(name: $0.name, place: .zone($0.id)) }
    }
}
