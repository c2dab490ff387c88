/// Why a JSON value is not the message that was expected.
///
/// It says which member is wrong and never what the member holds: that may be a setup code or a key.
public struct JSONDecodingError: Error, Equatable, Sendable {
    /// What is wrong with the member.
    public enum Reason: Equatable, Sendable {
        /// It is not there, or `null`.
        case missing
        /// It is of another type, or outside the range of its type.
        case wrongType
        /// It names a kind that the type does not have; at most 64 characters of the name.
        case unknownKind(String)
    }

    /// What is wrong.
    public let reason: Reason
    /// Where: `rooms[1].name`; empty for the message itself.
    public private(set) var path: String

    /// Makes an error.
    public init(_ reason: Reason, at path: String = "") {
        self.reason = reason
        self.path = path
    }

    /// The same error, seen from the value that has the member.
    ///
    /// Errors of types that are no messages pass unchanged. Errors of the standard library lose their description,
    /// which may quote the value.
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
    /// The member and what is wrong with it, as the end of a sentence.
    public var description: String {
        switch reason {
        case .missing: "\"\(path)\" is missing"
        case .wrongType where path.isEmpty: "it has the wrong type"
        case .wrongType: "\"\(path)\" has a value of the wrong type"
        case .unknownKind(let name): "the \(path) \"\(name)\" is not known"
        }
    }
}
