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

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        text = String(validating: bytes, as: UTF8.self)
        json = try? JSONValue(parsing: bytes, maximumLength: MQTTLimits.listing)
    }

    /// Parses a payload, concurrently if it is long.
    static func read(_ bytes: [UInt8]) async -> MQTTPayload {
        bytes.count < long ? MQTTPayload(bytes) : await parse(bytes)
    }

    @concurrent private static func parse(_ bytes: [UInt8]) async -> MQTTPayload { MQTTPayload(bytes) }
}
