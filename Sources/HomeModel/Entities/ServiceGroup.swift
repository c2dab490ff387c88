/// Services that people speak of together, wherever they are, such as *reading lights*.
public struct ServiceGroup: Codable, Sendable, Hashable, Identifiable {
    /// A service group's identity.
    public typealias ID = Identifier<ServiceGroup>

    /// Its identity.
    public let id: ID
    /// The home it is in.
    public let home: Home.ID
    /// What people call it.
    public package(set) var name: String
    /// Its services in the order in which they were added; a service may be in several groups.
    public package(set) var services: [Service.ID]

    package init(id: ID, home: Home.ID, name: String, services: [Service.ID] = []) {
        self.id = id
        self.home = home
        self.name = name
        self.services = services
    }
}
