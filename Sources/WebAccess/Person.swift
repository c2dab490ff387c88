import BoundedJSON
import HomeModel

/// A person who may open the web page.
package struct Person: Sendable {
    /// The permissions of a person.
    package enum Role: String, Codable, Sendable, CaseIterable {
        /// Everything, including the access of others.
        case owner
        /// All actions in the home, without managing the bridge and the access of people and apps.
        case member
        /// View and control accessories, but not add, rename or remove them.
        case guest
    }

    /// The maximum number of rooms of a guest.
    package static let roomLimit = 100

    /// The unique name of the person.
    package var name: String
    package var role: Role
    /// The IDs of the rooms that a guest sees, or `nil` for all.
    package var rooms: Set<String>?
    /// Whether the person may unlock, open doors and garages, and disarm alarms.
    package var mayOpen: Bool
    package var token: AccessToken

    package init(
        name: String, role: Role, rooms: Set<String>? = nil, mayOpen: Bool = true, token: AccessToken = AccessToken()
    ) {
        self.name = name
        self.role = role
        self.rooms = role == .guest ? rooms : nil
        self.mayOpen = role == .owner || mayOpen
        self.token = token
    }

    /// Creates a person from the JSON in the file.
    init?(json: JSONValue) {
        guard let name = json["name"]?.string, let role = json["role"]?.string.flatMap(Role.init),
            let token = json["token"]?.string.flatMap(AccessToken.init)
        else { return nil }
        var rooms: Set<String>?
        if let list = json["rooms"] {
            guard let names = list.array?.map(\.string), names.count <= Self.roomLimit, !names.contains(nil) else {
                return nil
            }
            rooms = Set(names.compactMap(\.self))
        }
        guard let mayOpen = json["mayOpen"].map(\.bool) ?? true else { return nil }
        self.init(name: name, role: role, rooms: rooms, mayOpen: mayOpen, token: token)
    }

    var json: JSONValue {
        var json: JSONObject = [
            "name": .string(name), "role": .string(role.rawValue), "token": .string(token.secret),
        ]
        if let rooms { json["rooms"] = .array(rooms.sorted().map(JSONValue.string)) }
        if !mayOpen { json["mayOpen"] = .bool(false) }
        return .object(json)
    }
}

/// The reason why the list of people can't be changed.
package enum PeopleError: Error, Equatable {
    /// The name isn't valid.
    case invalidName
    /// Another person has that name.
    case nameInUse
    /// The list is full.
    case tooManyPeople
    /// No person has that name.
    case unknownPerson
    /// The person is the only owner, and only owners can give access to others.
    case onlyOwner
    /// The permissions have changed since they were shown.
    case changed
}

extension [Person] {
    /// Returns the person with the given token; `nil` if there is none.
    ///
    /// All tokens are compared, so that the duration reveals nothing about them.
    package func holder(of token: AccessToken) -> Person? {
        reduce(nil) { found, person in person.token.matches(token) ? person : found }
    }

    /// Returns the index of the person with the given name.
    ///
    /// Letter case and spaces are ignored.
    package func index(of name: String) throws(PeopleError) -> Int {
        guard let index = firstIndex(where: { NameKey($0.name) == NameKey(name) }) else { throw .unknownPerson }
        return index
    }

    /// Adds a person.
    package mutating func invite(_ person: Person) throws(PeopleError) {
        guard NameRules.isValid(person.name) else { throw .invalidName }
        guard !contains(where: { NameKey($0.name) == NameKey(person.name) }) else { throw .nameInUse }
        guard count < PeopleFile.limit else { throw .tooManyPeople }
        append(person)
    }

    /// Changes the permissions of a person, whose token stays valid.
    package mutating func update(_ person: Person) throws(PeopleError) {
        let index = try index(of: person.name)
        if person.role != .owner { try checkOwners(without: index) }
        let (name, token) = (self[index].name, self[index].token)
        self[index] = Person(
            name: name, role: person.role, rooms: person.rooms, mayOpen: person.mayOpen, token: token)
    }

    /// Gives a person a new token, so that all browsers with the old token are signed out.
    package mutating func renewToken(of name: String) throws(PeopleError) {
        self[try index(of: name)].token = AccessToken()
    }

    /// Removes a person, whose browsers are signed out.
    package mutating func withdraw(_ name: String) throws(PeopleError) {
        let index = try index(of: name)
        try checkOwners(without: index)
        remove(at: index)
    }

    private func checkOwners(without index: Int) throws(PeopleError) {
        guard self[index].role != .owner || count(where: { $0.role == .owner }) > 1 else { throw .onlyOwner }
    }
}
