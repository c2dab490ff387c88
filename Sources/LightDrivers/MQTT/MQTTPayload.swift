package import BoundedJSON

/// A message's payload as bytes, text and JSON.
package struct MQTTPayload: Sendable {
    /// The length in bytes from which parsing may take so long that commands shouldn't have to wait for it.
    private static let long = 1024

    package let bytes: [UInt8]
    /// The text, or `nil` if the payload isn't UTF-8.
    package let text: String?
    /// The JSON value, or `nil` if the payload isn't JSON.
    package let json: JSONValue?

    /// A Boolean value that indicates whether the broker stored the message before the subscription.
    package let isRetained: Bool

    package init(_ bytes: [UInt8], isRetained: Bool = false) {
        self.bytes = bytes
        self.isRetained = isRetained
        text = String(validating: bytes, as: UTF8.self)
        json = try? JSONValue(parsing: bytes, maximumLength: MQTTLimits.listing)
    }

    /// Parses a payload, concurrently if it is long.
    static func read(_ bytes: [UInt8], isRetained: Bool) async -> MQTTPayload {
        bytes.count < long ? MQTTPayload(bytes, isRetained: isRetained) : await parse(bytes, isRetained: isRetained)
    }

    @concurrent private static func parse(_ bytes: [UInt8], isRetained: Bool) async -> MQTTPayload {
        MQTTPayload(bytes, isRetained: isRetained)
    }
}
