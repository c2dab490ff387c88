/// Services that users address together regardless of their rooms, such as *reading lights*.
public struct ServiceGroup: Codable, Sendable, Hashable, Identifiable {
    /// The type of a service group's ID.
    public typealias ID = Identifier<ServiceGroup>

    /// The service group's ID.
    public let id: ID
    /// The ID of the service group's home.
    public let home: Home.ID
    /// The service group's name.
    public package(set) var name: String
    /// The group's services in the order in which they were added.
    ///
    /// A service can belong to several groups.
    public package(set) var services: [Service.ID]

    package init(id: ID, home: Home.ID, name: String, services: [Service.ID] = []) {
        self.id = id
        self.home = home
        self.name = name
        self.services = services
    }
}
