/// The reason for rejecting the value of a transition characteristic.
///
/// It contains only names, so that no data from a peer reaches a log.
package enum TransitionViolation: Error, Equatable, Sendable {
    /// The bytes aren't TLV8, or an item that may occur only once occurs twice.
    case malformedTLV
    /// The value has more bytes, or its curve more entries, than any hub sends.
    case tooLong
    /// An item is missing.
    case missing(Item)
    /// An item has a wrong length or a value that isn't allowed.
    case invalid(Item)

    /// The missing or invalid item.
    package enum Item: String, Equatable, Sendable {
        case request, response, version, configuration, instanceID, characteristicKind
        case parameters, transitionID, start, enable, elapsed, updateInterval, notifyThreshold
        case curve, entry, adjustmentFactor, mired, offset, hold, brightnessRange
    }
}
