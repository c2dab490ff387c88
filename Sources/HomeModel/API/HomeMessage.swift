package import BoundedJSON

/// Something that travels between an app and the daemon, as JSON.
///
/// Unknown members are ignored, so that a newer side may say more; what is missing or of the wrong type is an error
/// that names it. What is `nil` is left out.
package protocol HomeMessage: Codable, Sendable, Hashable {}

extension HomeMessage {
    /// Reads the message.
    ///
    /// - Throws: 27 if a member is missing, 3 if one is of the wrong type, 1003 for a kind that is not known.
    package init(json: JSONValue) throws(HomeError) {
        do { self = try json.decoded(as: Self.self) } catch { throw HomeError(decoding: error) }
    }

    package var json: JSONValue { JSONValue(encoding: self) }
}

extension Array: HomeMessage where Element: HomeMessage {}

/// A request or notification between an app and the daemon.
package protocol HomeCall: MethodCall, Sendable, Hashable {}

extension HomeCall {
    /// Reads a call; `nil` if there is no such method.
    ///
    /// - Throws: 27 if a parameter is missing, 3 if one is of the wrong type, 1003 for a kind that is not known.
    package init?(method: String, params: JSONValue) throws(HomeError) {
        do {
            guard let call = try Self.decoded(method: method, params: params) else { return nil }
            self = call
        } catch { throw HomeError(decoding: error) }
    }
}

extension HomeError {
    /// Says which member of a message is wrong; never what it holds, which may be a setup code.
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

/// The keys of a type whose `false` and empty lists of identities are left out.
protocol OmittingKey: CodingKey {}

// The compiler's own coding takes these where the key is of that kind.

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
