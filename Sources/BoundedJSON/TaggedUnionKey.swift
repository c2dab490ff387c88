/// The keys of an enum whose cases are each encoded as one flat object, such as `{"event":"roomAdded","room":{...}}`.
///
/// An enum with plain `CodingKey`s is encoded in Swift's own form: `{"roomAdded":{"room":{...}}}`.
public protocol TaggedUnionKey: CodingKey {
    /// The name of the member that contains the case's key.
    static var tag: String { get }
    /// The name of the member that contains the case's values; `nil` if the values are next to the tag.
    static var content: String? { get }
}

extension TaggedUnionKey {
    /// By default, the values are next to the tag.
    public static var content: String? { nil }
}

/// The keys with a special meaning.
enum KeyRule {
    /// The key of a value that is the object itself, and not a member of it.
    ///
    /// Swift uses this key for the only value of an enum's case if it has no label, and a type may use it in its
    /// `CodingKeys`. As the key of a case, it matches every object that matches no other case.
    static let itself = "_0"
    /// The first byte of a key that refers to a member of the enclosing object.
    ///
    /// If that object has no such member, the key refers to its `id`. Such a key is decoded, but not encoded.
    static let enclosing = UInt8(ascii: "^")

    static func isEnclosing(_ name: String) -> Bool { name.utf8.first == enclosing }
}
