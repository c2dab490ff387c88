/// A format of type-length-value items, with one byte each for the type and the length.
///
/// Longer values are split into fragments of 255 bytes.
package enum TLV8 {
    /// An item whose fragments have been joined.
    package struct Item: Equatable, Sendable {
        package var type: UInt8
        package var value: [UInt8]
    }

    /// Parses items according to the strict rules of HAP 3.2.
    ///
    /// A fragment continues the previous item if it has the same type and the item's last fragment was full. If the
    /// last fragment was shorter, an item of the same type is an error. Between two values of one type, there must be
    /// an item of another type.
    ///
    /// - Parameters:
    ///   - bytes: The received items.
    ///   - separator: The type that may be repeated, because it only separates other items. It is FF in pairing
    ///     messages, and 00 in lists in the values of characteristics (HAP 3.3).
    /// - Returns: The items, including separators.
    /// - Throws: `malformedTLV`.
    package static func items(
        in bytes: [UInt8], separator: UInt8 = PairingItem.separator.rawValue
    ) throws(ProtocolViolation) -> [Item] {
        var items: [Item] = []
        var position = 0
        var lastFragment = 0
        while position < bytes.count {
            guard bytes.count - position >= 2 else { throw .malformedTLV }
            let type = bytes[position]
            let length = Int(bytes[position + 1])
            position += 2
            guard bytes.count - position >= length else { throw .malformedTLV }
            let value = bytes[position..<(position + length)]
            position += length
            if items.last?.type == type, type != separator {
                guard lastFragment == 255 else { throw .malformedTLV }
                items[items.count - 1].value += value
            } else {
                items.append(Item(type: type, value: Array(value)))
            }
            lastFragment = length
        }
        return items
    }

    /// Returns the bytes of items, in fragments of at most 255 bytes.
    ///
    /// If the length is a multiple of 255, no empty fragment follows.
    package static func encode(_ items: [Item]) -> [UInt8] {
        var bytes: [UInt8] = []
        for item in items {
            var start = 0
            repeat {
                let length = min(255, item.value.count - start)
                bytes.append(item.type)
                bytes.append(UInt8(length))
                bytes += item.value[start..<(start + length)]
                start += length
            } while start < item.value.count
        }
        return bytes
    }
}
