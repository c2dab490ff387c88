/// A person whose presence automations can use.
///
/// Programs, such as a script on the router, report the presence.
public struct Resident: Codable, Sendable, Hashable, Identifiable {
    /// The type of a person's ID.
    public typealias ID = Identifier<Resident>

    /// The person's ID.
    public let id: ID
    /// The ID of the home.
    public let home: Home.ID
    /// The person's name.
    public package(set) var name: String
    /// A Boolean value that indicates whether the person is at home.
    public package(set) var isHome: Bool

    package init(id: ID, home: Home.ID, name: String, isHome: Bool = false) {
        self.id = id
        self.home = home
        self.name = name
        self.isHome = isHome
    }
}
