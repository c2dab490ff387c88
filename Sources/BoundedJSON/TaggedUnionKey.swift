/// The keys of an enum whose cases travel in one flat object: `{"event":"roomAdded","room":{...}}`.
///
/// Swift's own form, `{"roomAdded":{"room":{...}}}`, is what an enum has whose keys are a plain `CodingKey`.
public protocol TaggedUnionKey: CodingKey {
    /// The member that holds the case's key.
    static var tag: String { get }
    /// The member that holds the case's values; `nil` if they stand beside the tag.
    static var content: String? { get }
}

extension TaggedUnionKey {
    /// The values stand beside the tag.
    public static var content: String? { nil }
}

/// What a key's text may say beside the member's name.
enum KeyRule {
    /// The key of a value that is the object itself, and no member of it.
    ///
    /// Swift names an enum's only value so if it has no label, and a type may name a property so in its `CodingKeys`. As
    /// the key of a case it means every object that is no other case.
    static let itself = "_0"
    /// What stands before the name of a member of the enclosing object.
    ///
    /// If that object has no such member, its `id` is meant. Such a key is read and not written.
    static let enclosing = UInt8(ascii: "^")

    static func isEnclosing(_ name: String) -> Bool { name.utf8.first == enclosing }
}
