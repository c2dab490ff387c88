/// The keys of an enum whose cases are encoded as one flat object: `{"event":"roomAdded","room":{...}}`.
///
/// An enum with a plain `CodingKey` has Swift's own form, `{"roomAdded":{"room":{...}}}`.
public protocol TaggedUnionKey: CodingKey {
    /// The member with the case's key.
    static var tag: String { get }
    /// The member with the case's values, or `nil` if they are next to the tag.
    static var content: String? { get }
}

extension TaggedUnionKey {
    /// The values are next to the tag.
    public static var content: String? { nil }
}

/// The special keys.
enum KeyRule {
    /// The key of a value that is the object itself instead of a member.
    ///
    /// Swift uses this name for an enum's only value without a label, and a type may use it in its `CodingKeys`. As the
    /// key of a case, it matches every object that doesn't match another case.
    static let itself = "_0"
    /// The prefix of a key that refers to a member of the enclosing object.
    ///
    /// If that object has no such member, the key refers to its `id`. Such a key is decoded and not encoded.
    static let enclosing = UInt8(ascii: "^")

    static func isEnclosing(_ name: String) -> Bool { name.utf8.first == enclosing }
}
