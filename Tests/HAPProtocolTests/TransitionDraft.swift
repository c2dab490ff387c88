import Testing

@testable import HAPProtocol

/// The items of an update, each of which a test may change or omit.
struct Draft {
    /// A change to the update, and the resulting violation; `nil` if the update stays valid.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout Draft) -> Void
        let violation: TransitionViolation?

        init(
            _ name: String, _ violation: TransitionViolation? = nil, _ change: @escaping @Sendable (inout Draft) -> Void
        ) {
            testDescription = name
            self.violation = violation
            self.change = change
        }
    }

    var instance: [UInt8]? = [9]
    var transitionID: [UInt8]? = [UInt8](repeating: 7, count: 16)
    var start: [UInt8]? = [1, 2, 3, 4, 5, 0, 0, 0]
    var opaque: [UInt8]? = [UInt8](repeating: 8, count: 8)
    var enable: [UInt8]? = [1]
    var entries = [entry(offset: [0]), entry()]
    var brightness: [UInt8]? = [8]
    var range: [UInt8]? = tlv((1, [10, 0, 0, 0]), (2, [100, 0, 0, 0]))
    var interval: [UInt8]? = [0x60, 0xEA]
    var threshold: [UInt8]? = [0xC0, 0x27, 0x09, 0]
    var extra: [UInt8] = []
    var separator: [UInt8] = [0, 0]

    static func tlv(_ items: (UInt8, [UInt8]?)...) -> [UInt8] {
        TLV8.encode(items.compactMap { type, value in value.map { TLV8.Item(type: type, value: $0) } })
    }

    static func bytes(_ float: Float) -> [UInt8] { TLV8.Item(type: 0, fixed: float.bitPattern).value }

    static func entry(
        factor: [UInt8]? = bytes(-1), mired: [UInt8]? = bytes(300), offset: [UInt8]? = [1], hold: [UInt8]? = nil
    ) -> [UInt8] {
        tlv((1, factor), (2, mired), (3, offset), (4, hold))
    }

    var request: [UInt8] {
        let list = entries.map { Self.tlv((1, $0)) }.joined(separator: separator)
        let curve = Array(list) + Self.tlv((2, brightness), (3, range))
        let parameters = Self.tlv((1, transitionID), (2, start), (3, opaque))
        let configuration =
            Self.tlv((1, instance), (2, parameters), (3, enable), (5, curve), (6, interval), (8, threshold)) + extra
        return Self.tlv((2, Self.tlv((1, configuration))))
    }

    static let table: [Row] = [
        Row("untouched") { _ in },
        Row("no instance id", .missing(.instanceID)) { $0.instance = nil },
        Row("instance id 0", .invalid(.instanceID)) { $0.instance = [0] },
        Row("instance id of 8 bytes") { $0.instance = [9, 0, 0, 0, 0, 0, 0, 1] },
        Row("instance id of 9 bytes", .invalid(.instanceID)) { $0.instance = [9, 0, 0, 0, 0, 0, 0, 0, 0] },
        Row("no transition id", .missing(.transitionID)) { $0.transitionID = nil },
        Row("transition id of 15 bytes", .invalid(.transitionID)) { $0.transitionID?.removeLast() },
        Row("no start", .missing(.start)) { $0.start = nil },
        Row("start of no byte", .invalid(.start)) { $0.start = [] },
        Row("start of 9 bytes", .invalid(.start)) { $0.start?.append(0) },
        Row("greatest start") { $0.start = [UInt8](repeating: 255, count: 8) },
        Row("no opaque bytes") { $0.opaque = nil },
        Row("parameters without end", .invalid(.parameters)) { $0.opaque = [UInt8](repeating: 0, count: 256) },
        Row("enable 0 disables") { $0.enable = [0] },
        Row("enable 2", .invalid(.enable)) { $0.enable = [2] },
        Row("enable of no byte", .invalid(.enable)) { $0.enable = [] },
        Row("no entries", .missing(.entry)) { $0.entries = [] },
        Row("one entry, no time", .invalid(.curve)) { $0.entries = [entry(offset: [0])] },
        Row("one entry") { $0.entries = [entry()] },
        Row("empty entry", .missing(.offset)) { $0.entries = [[]] },
        Row("entries without separator", .malformedTLV) { $0.separator = [] },
        Row("separators of pairing lists", .malformedTLV) { $0.separator = [0xFF, 0] },
        Row("a separator with a value", .malformedTLV) { $0.separator = [0, 1, 0] },
        Row("two separators") { $0.separator = [0, 0, 0, 0] },
        Row("no factor", .missing(.adjustmentFactor)) { $0.entries[0] = entry(factor: nil) },
        Row("factor of 3 bytes", .invalid(.adjustmentFactor)) { $0.entries[0] = entry(factor: [0, 0, 0]) },
        Row("factor NaN", .invalid(.adjustmentFactor)) { $0.entries[0] = entry(factor: bytes(.nan)) },
        Row("factor signalling NaN", .invalid(.adjustmentFactor)) {
            $0.entries[0] = entry(factor: bytes(.signalingNaN))
        },
        Row("factor -infinity", .invalid(.adjustmentFactor)) { $0.entries[0] = entry(factor: bytes(-.infinity)) },
        Row("factor 1e30", .invalid(.adjustmentFactor)) { $0.entries[0] = entry(factor: bytes(1e30)) },
        Row("factor above 0") { $0.entries[0] = entry(factor: bytes(0.5)) },
        Row("factor -0") { $0.entries[0] = entry(factor: bytes(-0.0)) },
        Row("factor subnormal") { $0.entries[0] = entry(factor: [1, 0, 0, 0]) },
        Row("no mired", .missing(.mired)) { $0.entries[0] = entry(mired: nil) },
        Row("mired infinite", .invalid(.mired)) { $0.entries[0] = entry(mired: bytes(.infinity)) },
        Row("mired below 0", .invalid(.mired)) { $0.entries[0] = entry(mired: bytes(-1)) },
        Row("mired of 8 bytes", .invalid(.mired)) { $0.entries[0] = entry(mired: bytes(300) + bytes(300)) },
        Row("no offset", .missing(.offset)) { $0.entries[0] = entry(offset: nil) },
        Row("offset of 33 bits", .invalid(.offset)) { $0.entries[0] = entry(offset: [0, 0, 0, 0, 1]) },
        Row("greatest offset and hold") {
            $0.entries[1] = entry(offset: [255, 255, 255, 255], hold: [255, 255, 255, 255])
        },
        Row("hold of 33 bits", .invalid(.hold)) { $0.entries[0] = entry(hold: [0, 0, 0, 0, 1, 0, 0, 0]) },
        Row("unknown in an entry") { $0.entries[0] += tlv((9, [1, 2])) },
        Row("mired twice", .malformedTLV) { $0.entries[0] += tlv((2, bytes(300))) },
        Row("no Brightness", .missing(.instanceID)) { $0.brightness = nil },
        Row("Brightness 0", .invalid(.instanceID)) { $0.brightness = [0, 0] },
        Row("range upside down", .invalid(.brightnessRange)) { $0.range = tlv((1, [60]), (2, [50])) },
        Row("range of one") { $0.range = tlv((1, [60]), (2, [60])) },
        Row("range beyond 100", .invalid(.brightnessRange)) { $0.range = tlv((1, [0]), (2, [101, 0, 0, 0])) },
        Row("range without end", .missing(.brightnessRange)) { $0.range = tlv((1, [0])) },
        Row("interval 0", .invalid(.updateInterval)) { $0.interval = [0, 0] },
        Row("interval of 4 bytes") { $0.interval = [0x60, 0xEA, 0, 0] },
        Row("interval of 17 bits", .invalid(.updateInterval)) { $0.interval = [0, 0, 1] },
        Row("interval of no byte", .invalid(.updateInterval)) { $0.interval = [] },
        Row("threshold 0") { $0.threshold = [0] },
        Row("threshold of 33 bits", .invalid(.notifyThreshold)) { $0.threshold = [0, 0, 0, 0, 1] },
        Row("unknown items") { $0.extra = tlv((4, [1]), (7, []), (0xFF, [1])) },
        Row("unknown twice") { $0.extra = tlv((4, [1]), (7, []), (4, [1])) },
        Row("a second curve", .malformedTLV) { $0.extra = tlv((5, [])) },
        Row("half an item", .malformedTLV) { $0.extra = [7] },
    ]
}
