package import BoundedJSON

/// What a message says: as text, or as JSON, which a long one is read as before anybody has to wait for it.
package struct MQTTPayload: Sendable {
    /// The length in bytes from which reading takes so long that commands should not have to wait for it.
    private static let long = 1024

    package let bytes: [UInt8]
    private let parsed: JSONValue?
    private let isParsed: Bool

    /// A payload that is read when it is asked for.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        parsed = nil
        isParsed = false
    }

    private init(parsing bytes: [UInt8]) {
        self.bytes = bytes
        parsed = Self.json(bytes)
        isParsed = true
    }

    /// A payload that is read now, on another thread if it is long.
    static func read(_ bytes: [UInt8]) async -> MQTTPayload {
        bytes.count < long ? MQTTPayload(bytes) : await parse(bytes)
    }

    @concurrent private static func parse(_ bytes: [UInt8]) async -> MQTTPayload { MQTTPayload(parsing: bytes) }

    /// The value it is in JSON; `nil` if it is none.
    package var json: JSONValue? { isParsed ? parsed : Self.json(bytes) }

    /// The text it is; `nil` if it is not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    private static func json(_ bytes: [UInt8]) -> JSONValue? {
        try? JSONValue(parsing: bytes, maximumLength: MQTTLimits.payload)
    }
}
