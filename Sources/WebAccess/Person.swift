import BoundedJSON

/// Somebody who may open the page.
package struct Person: Sendable {
    /// What the page lets somebody do.
    package enum Role: String, Codable, Sendable, CaseIterable {
        /// Everything.
        case owner
        /// See and switch; not add, rename or remove.
        case guest
    }

    /// What the person is called; no other has that name.
    package var name: String
    package var role: Role
    package var token: AccessToken

    package init(name: String, role: Role, token: AccessToken = AccessToken()) {
        self.name = name
        self.role = role
        self.token = token
    }

    /// Takes a person out of the file.
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
    /// Returns the holder of a token; every token is compared, so that the time reveals nothing.
    package func holder(of token: AccessToken) -> Person? {
        reduce(nil) { found, person in person.token.matches(token) ? person : found }
    }
}
