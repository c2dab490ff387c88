/// A vendor's proof that an accessory may be added: bytes that only the vendor's app and the accessory understand.
public struct AccessoryOwnershipToken: Sendable, Hashable {
    /// The allowed number of bytes.
    public static let length = 16...512

    /// The bytes, which only the accessory may receive.
    package let bytes: [UInt8]

    /// Creates a token from the bytes that the vendor's service issued; returns `nil` if their number isn't in
    /// ``length``.
    public init?(data: [UInt8]) {
        guard Self.length.contains(data.count) else { return nil }
        bytes = data
    }
}

// A token authorizes adding the accessory, so it must not be printed by accident.
extension AccessoryOwnershipToken: CustomStringConvertible, CustomReflectable {
    /// A placeholder that doesn't contain the token.
    public var description: String { "(ownership token)" }
    /// An empty mirror, so that dumps don't contain the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
