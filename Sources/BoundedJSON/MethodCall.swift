/// The keys of an enum whose cases are methods of JSON-RPC: `{"method":"rooms.add","params":{...}}`.
public protocol MethodKey: TaggedUnionKey {}

extension MethodKey {
    /// The member that holds the method's name.
    public static var tag: String { "method" }
    /// The member that holds the parameters.
    public static var content: String? { "params" }
}

/// A request or notification with its parameters: an enum whose `CodingKeys` are ``MethodKey``s.
public protocol MethodCall: Codable {}

extension MethodCall {
    /// The method's name.
    public var method: String { JSONValue.tag(of: self) }

    /// The parameters: an object.
    public var params: JSONValue { JSONValue(encoding: self)["params"] ?? [:] }

    /// Reads a call; `nil` if there is no such method.
    ///
    /// A list of parameters holds none that has a name.
    ///
    /// - Throws: ``JSONDecodingError``, and what the `init(from:)` of a parameter throws.
    public static func decoded(method: String, params: JSONValue) throws -> Self? {
        let params: JSONValue = if case .array = params { [:] } else { params }
        do {
            let call: JSONValue = ["method": .string(method), "params": params]
            return try call.decoded(as: Self.self)
        } catch let error as JSONDecodingError {
            guard case .unknownKind = error.reason, error.path == "method" else { throw error }
            return nil
        }
    }
}
