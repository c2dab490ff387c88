internal import HAPModel

extension AdaptiveLightingCurve {
    /// Parses the value of the configuration item that contains the curve.
    ///
    /// - Throws: ``TransitionViolation`` if the value isn't a valid curve.
    init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        var entries: [Entry] = []
        var instance: InstanceID?
        var range: ClosedRange<Int>?
        // No separator follows the last entry, so its record also contains the items that apply to the whole curve.
        for record in try TransitionItems.list(parsing: bytes) {
            if let entry = try record.bytes(1) {
                guard entries.count < Self.maximumEntries else { throw .tooLong }
                entries.append(try Entry(parsing: entry))
            }
            if try record.bytes(2) != nil {
                guard instance == nil else { throw .malformedTLV }
                instance = try record.instanceID(2)
            }
            if let value = try record.bytes(3) {
                guard range == nil else { throw .malformedTLV }
                range = try Self.brightnessRange(parsing: value)
            }
        }
        guard let instance else { throw .missing(.instanceID) }
        guard !entries.isEmpty else { throw .missing(.entry) }
        let curve =
            range.map { AdaptiveLightingCurve(entries: entries, brightness: instance, brightnessRange: $0) }
            ?? AdaptiveLightingCurve(entries: entries, brightness: instance)
        guard let curve else { throw .invalid(.curve) }
        self = curve
    }

    private static func brightnessRange(parsing bytes: [UInt8]) throws(TransitionViolation) -> ClosedRange<Int> {
        let items = try TransitionItems(parsing: bytes)
        guard let minimum = try items.number(1, .brightnessRange, maximum: 100),
            let maximum = try items.number(2, .brightnessRange, maximum: 100)
        else { throw .missing(.brightnessRange) }
        guard minimum <= maximum else { throw .invalid(.brightnessRange) }
        return Int(minimum)...Int(maximum)
    }

    /// Returns the value of the configuration item that contains the curve.
    ///
    /// With `explicitHolds`, an entry without a hold is encoded with a hold of 0.
    func encoded(explicitHolds: Bool) -> [UInt8] {
        let list = entries.map { [TLV8.Item(type: 1, value: $0.encoded(explicitHold: explicitHolds))] }
        let range = [
            TLV8.Item(type: 1, fixed: UInt32(brightnessRange.lowerBound)),
            TLV8.Item(type: 2, fixed: UInt32(brightnessRange.upperBound)),
        ]
        return TLV8.encode(
            Array(list.joined(separator: [TransitionItems.separator])) + [
                TLV8.Item(type: 2, shortest: brightness.rawValue), TLV8.Item(type: 3, value: TLV8.encode(range)),
            ])
    }
}

extension AdaptiveLightingCurve.Entry {
    fileprivate init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        let items = try TransitionItems(parsing: bytes)
        guard let offset = try items.duration(3, .offset) else { throw .missing(.offset) }
        let entry = Self(
            adjustmentFactor: try items.float(1, .adjustmentFactor, within: Self.factors),
            mired: try items.float(2, .mired, within: Self.mireds), offset: offset,
            hold: try items.duration(4, .hold))
        guard let entry else { throw .invalid(.entry) }
        self = entry
    }

    fileprivate func encoded(explicitHold: Bool) -> [UInt8] {
        var items = [
            TLV8.Item(type: 1, fixed: adjustmentFactor.bitPattern), TLV8.Item(type: 2, fixed: mired.bitPattern),
            TLV8.Item(type: 3, shortest: offset.milliseconds),
        ]
        if let hold = hold ?? (explicitHold ? .zero : nil) {
            items.append(TLV8.Item(type: 4, shortest: hold.milliseconds))
        }
        return TLV8.encode(items)
    }
}
