import BoundedJSON

/// A link that signs one browser in, once.
///
/// Unlike a person's token, it may appear in the output of an installation, which the system logs.
package struct SignInLink: Sendable {
    /// The validity in seconds.
    package static let validity: Int64 = 3600

    /// The name of the person who is signed in.
    package let person: String
    package let token: AccessToken
    /// The time at which the link becomes invalid, in seconds since 1970.
    package let end: Int64

    /// Creates a link with a random token.
    package init(person: String, now: Int64) {
        self.person = person
        token = AccessToken()
        end = now + Self.validity
    }

    /// Creates a link from the JSON in the file.
    init?(json: JSONValue) {
        guard let person = json["person"]?.string, let token = json["token"]?.string.flatMap(AccessToken.init),
            let end = json["end"]?.int.map(Int64.init)
        else { return nil }
        (self.person, self.token, self.end) = (person, token, end)
    }

    var json: JSONValue {
        ["person": .string(person), "token": .string(token.secret), "end": .integer(end)]
    }

    /// Returns whether a token belongs to this link and can still be used.
    package func isValid(_ token: AccessToken, now: Int64) -> Bool {
        self.token.matches(token) && (end - Self.validity...end).contains(now)
    }
}
