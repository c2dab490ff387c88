/// Why the value of a transition characteristic is refused.
///
/// Names only, so that nothing a peer sent reaches a log.
package enum TransitionViolation: Error, Equatable, Sendable {
    /// Bytes that are no TLV8, or have an item twice where it may stand once.
    case malformedTLV
    /// More bytes or more curve entries than any hub sends.
    case tooLong
    /// An item is not there.
    case missing(Item)
    /// An item of a wrong length, or with a value that makes no sense.
    case invalid(Item)

    /// What is missing or invalid.
    package enum Item: String, Equatable, Sendable {
        case request, response, version, configuration, instanceID, characteristicKind
        case parameters, transitionID, start, enable, elapsed, updateInterval, notifyThreshold
        case curve, entry, adjustmentFactor, mired, offset, hold, brightnessRange
    }
}
