/// A maker's proof that an accessory may be added: bytes that only the maker's app and the accessory understand.
public struct AccessoryOwnershipToken: Sendable, Hashable {
    /// How many bytes a token has.
    public static let length = 16...512

    /// The bytes, to be shown to the accessory alone.
    package let bytes: [UInt8]

    /// Takes a token as the maker's service issued it; `nil` for a length outside of ``length``.
    public init?(data: [UInt8]) {
        guard Self.length.contains(data.count) else { return nil }
        bytes = data
    }
}

// A token is as good as the accessory itself: it does not print by accident.
extension AccessoryOwnershipToken: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "(ownership token)" }
    /// Nothing to look into.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
