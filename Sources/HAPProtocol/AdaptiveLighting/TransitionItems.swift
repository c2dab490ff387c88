internal import HAPModel

/// A record of items in the value of a transition characteristic.
///
/// Unknown items are ignored.
struct TransitionItems {
    /// The maximum length of a value, in bytes.
    ///
    /// The longest curve takes about 30 KiB.
    static let maximumLength = 32 * 1024

    /// The item that separates the entries of a list (HAP 3.3).
    static let separator = TLV8.Item(type: 0, value: [])

    private let items: [TLV8.Item]

    private init(_ items: [TLV8.Item]) { self.items = items }

    /// Parses a value that isn't a list.
    ///
    /// - Throws: `malformedTLV` or `tooLong`.
    init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        items = try Self.items(in: bytes)
    }

    /// Parses a list.
    ///
    /// Redundant separators don't create records.
    ///
    /// - Throws: `malformedTLV` or `tooLong`.
    static func list(parsing bytes: [UInt8]) throws(TransitionViolation) -> [TransitionItems] {
        try items(in: bytes).split { $0 == separator }.map { TransitionItems(Array($0)) }
    }

    private static func items(in bytes: [UInt8]) throws(TransitionViolation) -> [TLV8.Item] {
        guard bytes.count <= maximumLength else { throw .tooLong }
        do {
            return try TLV8.items(in: bytes, separator: separator.type)
        } catch {
            throw .malformedTLV
        }
    }

    /// Returns an item's bytes, or `nil` if the item is missing.
    ///
    /// - Throws: `malformedTLV` if the item occurs twice.
    func bytes(_ type: UInt8) throws(TransitionViolation) -> [UInt8]? {
        let found = items.filter { $0.type == type }
        guard found.count <= 1 else { throw .malformedTLV }
        return found.first?.value
    }

    /// Returns an item's bytes.
    ///
    /// - Throws: `malformedTLV` if the item occurs twice, or `missing` if there is none.
    func required(_ type: UInt8, _ name: TransitionViolation.Item) throws(TransitionViolation) -> [UInt8] {
        guard let value = try bytes(type) else { throw .missing(name) }
        return value
    }

    /// Returns an unsigned integer of one to eight bytes, or `nil` if the item is missing.
    ///
    /// - Throws: `invalid` if the item has any other length, or if the number is greater than `maximum`.
    func number(
        _ type: UInt8, _ name: TransitionViolation.Item, maximum: UInt64 = .max
    ) throws(TransitionViolation) -> UInt64? {
        guard let value = try bytes(type) else { return nil }
        guard (1...8).contains(value.count) else { throw .invalid(name) }
        let number = value.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number <= maximum else { throw .invalid(name) }
        return number
    }

    /// Returns a duration in whole milliseconds, by default up to 32 bits (49 days), or `nil` if the item is missing.
    ///
    /// - Throws: `invalid` if the item has a wrong length, or if the number is greater than `maximum`.
    func duration(
        _ type: UInt8, _ name: TransitionViolation.Item, maximum: UInt64 = UInt64(UInt32.max)
    ) throws(TransitionViolation) -> Duration? {
        guard let number = try number(type, name, maximum: maximum) else { return nil }
        return .milliseconds(number)
    }

    /// Returns the instance ID of a characteristic.
    ///
    /// - Throws: `missing` if there is no such item, or `invalid` if the ID is 0.
    func instanceID(_ type: UInt8) throws(TransitionViolation) -> InstanceID {
        guard let number = try number(type, .instanceID) else { throw .missing(.instanceID) }
        guard number > 0 else { throw .invalid(.instanceID) }
        return InstanceID(number)
    }

    /// Returns a floating-point number of four bytes.
    ///
    /// - Throws: `missing` if there is no such item, or `invalid` if its length isn't four bytes, or if the number
    ///   isn't finite or isn't within `range`.
    func float(
        _ type: UInt8, _ name: TransitionViolation.Item, within range: ClosedRange<Float>
    ) throws(TransitionViolation) -> Float {
        let value = try required(type, name)
        guard value.count == 4 else { throw .invalid(name) }
        let float = Float(bitPattern: value.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        guard range.contains(float) else { throw .invalid(name) }
        return float
    }
}

extension TLV8.Item {
    /// Creates an item with a number in 1, 2, 4 or 8 bytes, as few as possible.
    init(type: UInt8, shortest number: UInt64) {
        let width: Int = [1, 2, 4].first { number >> ($0 * 8) == 0 } ?? 8
        self.init(type: type, value: (0..<width).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    /// Creates an item with a number in all bytes of its Swift type.
    init<Number: FixedWidthInteger>(type: UInt8, fixed number: Number) {
        self.init(
            type: type,
            value: (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded down; 0 for a negative duration.
    var milliseconds: UInt64 { UInt64(clamping: attoseconds / 1_000_000_000_000_000) }
}
