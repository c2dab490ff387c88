/// The keys of an enum whose cases are JSON-RPC methods, such as `{"method":"rooms.add","params":{...}}`.
public protocol MethodKey: TaggedUnionKey {}

extension MethodKey {
    /// The name of the member that contains the method's name.
    public static var tag: String { "method" }
    /// The name of the member that contains the parameters.
    public static var content: String? { "params" }
}

/// A request or notification with its parameters: an enum whose `CodingKeys` are ``MethodKey``s.
public protocol MethodCall: Codable {}

extension MethodCall {
    /// The method's name.
    public var method: String { JSONValue.tag(of: self) }

    /// The parameters, as an object.
    public var params: JSONValue { JSONValue(encoding: self)["params"] ?? [:] }

    /// Decodes a call.
    ///
    /// - Parameters:
    ///   - method: The method's name.
    ///   - params: The parameters. An array is treated as an empty object.
    /// - Returns: The call, or `nil` if the method is unknown.
    /// - Throws: ``JSONDecodingError``, or an error of a parameter's `init(from:)`.
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
