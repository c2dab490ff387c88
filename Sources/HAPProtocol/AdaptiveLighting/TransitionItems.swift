internal import HAPModel

/// One record of items inside the value of a transition characteristic; what is unknown is passed over.
struct TransitionItems {
    /// The longest value that is read: the longest curve takes some 30 KiB.
    static let maximumLength = 32 * 1024

    /// Stands between the entries of a list (HAP 3.3).
    static let separator = TLV8.Item(type: 0, value: [])

    private let items: [TLV8.Item]

    private init(_ items: [TLV8.Item]) { self.items = items }

    /// Reads a value that is no list.
    ///
    /// - Throws: `malformedTLV` or `tooLong`.
    init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        items = try Self.items(in: bytes)
    }

    /// Reads a list; needless separators make no records.
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

    /// An item's bytes; `nil` if it is not there.
    ///
    /// - Throws: `malformedTLV` if it is there twice.
    func bytes(_ type: UInt8) throws(TransitionViolation) -> [UInt8]? {
        let found = items.filter { $0.type == type }
        guard found.count <= 1 else { throw .malformedTLV }
        return found.first?.value
    }

    /// An item's bytes.
    ///
    /// - Throws: also `missing` if it is not there.
    func required(_ type: UInt8, _ name: TransitionViolation.Item) throws(TransitionViolation) -> [UInt8] {
        guard let value = try bytes(type) else { throw .missing(name) }
        return value
    }

    /// An unsigned number of one to eight bytes; `nil` if it is not there.
    ///
    /// - Throws: `invalid` if it is of another length, or greater than `maximum`.
    func number(
        _ type: UInt8, _ name: TransitionViolation.Item, maximum: UInt64 = .max
    ) throws(TransitionViolation) -> UInt64? {
        guard let value = try bytes(type) else { return nil }
        guard (1...8).contains(value.count) else { throw .invalid(name) }
        let number = value.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number <= maximum else { throw .invalid(name) }
        return number
    }

    /// A time of whole milliseconds that 32 bits can say, 49 days at most; `nil` if it is not there.
    ///
    /// - Throws: `invalid`.
    func duration(
        _ type: UInt8, _ name: TransitionViolation.Item, maximum: UInt64 = UInt64(UInt32.max)
    ) throws(TransitionViolation) -> Duration? {
        guard let number = try number(type, name, maximum: maximum) else { return nil }
        return .milliseconds(number)
    }

    /// A characteristic's number.
    ///
    /// - Throws: `missing`, or `invalid` for 0.
    func instanceID(_ type: UInt8) throws(TransitionViolation) -> InstanceID {
        guard let number = try number(type, .instanceID) else { throw .missing(.instanceID) }
        guard number > 0 else { throw .invalid(.instanceID) }
        return InstanceID(number)
    }

    /// A number with a fraction, of four bytes.
    ///
    /// - Throws: `missing`, or `invalid` if it is of another length, not finite or not within `range`.
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
    /// A number in the fewest of 1, 2, 4 and 8 bytes.
    init(type: UInt8, shortest number: UInt64) {
        let width: Int = [1, 2, 4].first { number >> ($0 * 8) == 0 } ?? 8
        self.init(type: type, value: (0..<width).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    /// A number in as many bytes as its type has.
    init<Number: FixedWidthInteger>(type: UInt8, fixed number: Number) {
        self.init(
            type: type,
            value: (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }
}

extension Duration {
    /// The time in whole milliseconds, rounded down; 0 if it is negative.
    var milliseconds: UInt64 { UInt64(clamping: attoseconds / 1_000_000_000_000_000) }
}
