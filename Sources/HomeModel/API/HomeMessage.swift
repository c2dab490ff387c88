package import BoundedJSON

/// A JSON message between an app and the daemon.
///
/// Unknown members are ignored, so that a newer app or daemon can add members. Missing members and members of the wrong
/// type are errors that name the member. `nil` members are omitted.
package protocol HomeMessage: Codable, Sendable, Hashable {}

extension HomeMessage {
    /// Decodes the message.
    ///
    /// - Throws: `HomeError` with code 27 if a member is missing, 3 if a member has the wrong type, or 1003 if the
    ///   message contains an object of an unknown kind.
    package init(json: JSONValue) throws(HomeError) {
        do { self = try json.decoded(as: Self.self) } catch { throw HomeError(decoding: error) }
    }

    package var json: JSONValue { JSONValue(encoding: self) }
}

extension Array: HomeMessage where Element: HomeMessage {}

/// A request or notification between an app and the daemon.
package protocol HomeCall: MethodCall, Sendable, Hashable {}

extension HomeCall {
    /// Decodes a call; returns `nil` if the method doesn't exist.
    ///
    /// - Throws: `HomeError` with code 27 if a parameter is missing, 3 if a parameter has the wrong type, or 1003 if
    ///   the parameters contain an object of an unknown kind.
    package init?(method: String, params: JSONValue) throws(HomeError) {
        do {
            guard let call = try Self.decoded(method: method, params: params) else { return nil }
            self = call
        } catch { throw HomeError(decoding: error) }
    }
}

extension HomeError {
    /// Creates an error that names the malformed member, but not its value, which may be a setup code.
    fileprivate init(decoding error: any Error) {
        switch error {
        case let error as HomeError: self = error
        case let error as JSONDecodingError:
            switch error.reason {
            case .missing: self.init(.missingParameter, detail: "the request is malformed: \(error)")
            case .wrongType: self.init(.invalidParameter, detail: "the request is malformed: \(error)")
            case .unknownKind: self.init(.protocolMismatch, detail: "\(error)")
            }
        default: self.init(.invalidParameter, detail: "the request is malformed")
        }
    }
}

/// The keys of a type whose encoding omits `false` and empty lists of identifiers.
protocol OmittingKey: CodingKey {}

// Synthesized `Codable` implementations call these overloads if their keys conform to `OmittingKey`.

extension KeyedEncodingContainer where Key: OmittingKey {
    mutating func encode(_ value: Bool, forKey key: Key) throws {
        try encodeIfPresent(value ? value : nil, forKey: key)
    }

    mutating func encode<Entity>(_ value: [Identifier<Entity>], forKey key: Key) throws {
        try encodeIfPresent(value.isEmpty ? nil : value, forKey: key)
    }
}

extension KeyedDecodingContainer where Key: OmittingKey {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try decodeIfPresent(type, forKey: key) ?? false
    }

    func decode<Entity>(_ type: [Identifier<Entity>].Type, forKey key: Key) throws -> [Identifier<Entity>] {
        try decodeIfPresent(type, forKey: key) ?? []
    }
}
