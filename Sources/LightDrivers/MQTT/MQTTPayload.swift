package import BoundedJSON

/// A message: its bytes, and the text and the JSON value that they are.
package struct MQTTPayload: Sendable {
    /// The length in bytes from which reading takes so long that commands should not have to wait for it.
    private static let long = 1024

    package let bytes: [UInt8]
    /// The text it is; `nil` if it is not UTF-8.
    package let text: String?
    /// The value it is in JSON; `nil` if it is none.
    package let json: JSONValue?

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        text = String(validating: bytes, as: UTF8.self)
        json = try? JSONValue(parsing: bytes, maximumLength: MQTTLimits.listing)
    }

    /// A payload that is read on another thread if it is long.
    static func read(_ bytes: [UInt8]) async -> MQTTPayload {
        bytes.count < long ? MQTTPayload(bytes) : await parse(bytes)
    }

    @concurrent private static func parse(_ bytes: [UInt8]) async -> MQTTPayload { MQTTPayload(bytes) }
}
