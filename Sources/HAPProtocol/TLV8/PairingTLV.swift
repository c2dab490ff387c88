/// The body of a pairing message: named items in one record or, for lists, in several.
package struct PairingTLV: Equatable, Sendable {
    private var records: [[TLV8.Item]] = [[]]

    package init() {}

    /// Parses a body.
    ///
    /// Unknown items are ignored. Separators split the items into records.
    ///
    /// - Throws: `malformedTLV`, also for a known item that occurs twice in a record.
    package init(parsing bytes: [UInt8]) throws(ProtocolViolation) {
        for item in try TLV8.items(in: bytes) {
            guard let known = PairingItem(rawValue: item.type) else { continue }
            if known == .separator {
                guard item.value.isEmpty else { throw .malformedTLV }
                if records.last?.isEmpty == false { records.append([]) }
            } else {
                guard !records[records.count - 1].contains(where: { $0.type == item.type }) else { throw .malformedTLV }
                records[records.count - 1].append(item)
            }
        }
        if records.count > 1, records.last?.isEmpty == true { records.removeLast() }
    }

    /// The bytes of the body.
    package var encoded: [UInt8] {
        let separator = TLV8.Item(type: PairingItem.separator.rawValue, value: [])
        return TLV8.encode(Array(records.joined(separator: [separator])))
    }

    /// The value of an item, or `nil` if the message doesn't contain it.
    ///
    /// In a list, the value comes from the first record that contains the item.
    ///
    /// Separators between the items of a message have no meaning, as in Apple's HomeKit ADK.
    package subscript(item: PairingItem) -> [UInt8]? {
        get {
            for record in records {
                if let found = record.first(where: { $0.type == item.rawValue }) { return found.value }
            }
            return nil
        }
        set {
            records[0].removeAll { $0.type == item.rawValue }
            if let newValue { records[0].append(TLV8.Item(type: item.rawValue, value: newValue)) }
        }
    }

    /// The records of a list, each as a separate body.
    package var list: [PairingTLV] {
        records.map { items in
            var body = PairingTLV()
            body.records = [items]
            return body
        }
    }

    /// Adds a separator and a record or, if `joining` is `true`, adds the record's items to the first record.
    package mutating func append(_ record: PairingTLV, joining: Bool = false) {
        if joining {
            records[0] += record.records[0]
        } else {
            records.append(record.records[0])
        }
    }

    /// Returns an item that must be one byte long, or `nil` if it is missing.
    ///
    /// - Throws: `badItem` if the item isn't one byte long.
    package func byte(_ item: PairingItem) throws(ProtocolViolation) -> UInt8? {
        guard let value = self[item] else { return nil }
        guard value.count == 1 else { throw .badItem(item) }
        return value[0]
    }

    /// Returns the position of the message in its procedure, such as 3 for M3.
    ///
    /// - Throws: `badItem` if the state is missing or isn't one byte long.
    package func state() throws(ProtocolViolation) -> UInt8 {
        guard let state = try byte(.state) else { throw .badItem(.state) }
        return state
    }

    /// Returns a required item whose length must be within a range.
    ///
    /// - Throws: `badItem` if the item is missing or its length is outside the range.
    package func required(
        _ item: PairingItem, length: ClosedRange<Int>
    ) throws(ProtocolViolation) -> [UInt8] {
        guard let value = self[item], length.contains(value.count) else { throw .badItem(item) }
        return value
    }

    /// Returns a message that starts with its state.
    package static func message(_ state: UInt8, _ items: (PairingItem, [UInt8])...) -> PairingTLV {
        var body = PairingTLV()
        body[.state] = [state]
        for (item, value) in items { body[item] = value }
        return body
    }

    /// Returns a message that ends a procedure with an error.
    ///
    /// It contains only the state and the error.
    package static func failure(_ state: UInt8, _ error: PairingError) -> PairingTLV {
        message(state, (.error, [error.rawValue]))
    }
}
