package import HAPModel

/// A value of a characteristic, and when it was reported.
package struct TimestampedValue: Sendable, Hashable {
    package var value: CharacteristicValue
    /// In milliseconds since 1970 (UTC).
    package var time: Int64

    package init(_ value: CharacteristicValue, at time: Int64) {
        self.value = value
        self.time = time
    }
}
