import BoundedJSON

/// A person who may open the web page.
package struct Person: Sendable {
    /// The permissions of a person.
    package enum Role: String, Codable, Sendable, CaseIterable {
        /// All actions.
        case owner
        /// View and control accessories; no adding, renaming or removing.
        case guest
    }

    /// The unique name of the person.
    package var name: String
    package var role: Role
    package var token: AccessToken

    package init(name: String, role: Role, token: AccessToken = AccessToken()) {
        self.name = name
        self.role = role
        self.token = token
    }

    /// Creates a person from the JSON in the file.
    init?(json: JSONValue) {
        guard let name = json["name"]?.string, let role = json["role"]?.string.flatMap(Role.init),
            let token = json["token"]?.string.flatMap(AccessToken.init)
        else { return nil }
        self.init(name: name, role: role, token: token)
    }

    var json: JSONValue {
        ["name": .string(name), "role": .string(role.rawValue), "token": .string(token.secret)]
    }
}

extension [Person] {
    /// Returns the person with the given token; `nil` if there is none.
    ///
    /// It compares all tokens, so that the time it takes reveals nothing about them.
    package func holder(of token: AccessToken) -> Person? {
        reduce(nil) { found, person in person.token.matches(token) ? person : found }
    }
}
