/// An error that indicates that a JSON value doesn't have the form of the expected message.
///
/// It names the invalid member, but never contains its value, which may be a setup code or a key.
public struct JSONDecodingError: Error, Equatable, Sendable {
    /// The problem with a member.
    public enum Reason: Equatable, Sendable {
        /// The member is missing or `null`.
        case missing
        /// The value has the wrong type, or is outside the range of its type.
        case wrongType
        /// The tag of a union has an unknown value, of which the error contains at most 64 characters.
        case unknownKind(String)
    }

    /// The problem.
    public let reason: Reason
    /// The path of the member, such as `rooms[1].name`; empty for the message itself.
    public private(set) var path: String

    /// Creates an error for the member at a path.
    public init(_ reason: Reason, at path: String = "") {
        self.reason = reason
        self.path = path
    }

    /// Returns the error with a path that starts one level higher.
    ///
    /// A `DecodingError` becomes ``Reason/wrongType``, because its description may contain the value. All other errors
    /// are returned unchanged.
    static func prefixed(_ error: any Error, with step: String) -> any Error {
        var result: JSONDecodingError
        switch error {
        case let error as JSONDecodingError: result = error
        case is DecodingError: result = JSONDecodingError(.wrongType)
        default: return error
        }
        result.path = joined(step, result.path)
        return result
    }

    private static func joined(_ step: String, _ path: String) -> String {
        if step.isEmpty || path.isEmpty { return step + path }
        return path.utf8.first == UInt8(ascii: "[") ? step + path : "\(step).\(path)"
    }
}

extension JSONDecodingError: CustomStringConvertible {
    /// The member and its problem, as the end of a sentence.
    public var description: String {
        switch reason {
        case .missing: "\"\(path)\" is missing"
        case .wrongType where path.isEmpty: "it has the wrong type"
        case .wrongType: "\"\(path)\" has a value of the wrong type"
        case .unknownKind(let name): "the \(path) \"\(name)\" is unknown"
        }
    }
}
