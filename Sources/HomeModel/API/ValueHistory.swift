public import HAPModel

/// A past value of a characteristic, which was current until the next entry.
public struct HistoryEntry: Codable, Sendable, Hashable {
    /// The time at which the value was received.
    public let time: Timestamp
    /// The value.
    public let value: CharacteristicValue

    package init(time: Timestamp, value: CharacteristicValue) {
        self.time = time
        self.value = value
    }
}

extension HistoryEntry: HomeMessage {}

/// A request for the past values of a characteristic.
///
/// The reply begins with the entry that is current at ``since`` and continues in chronological order. It has at most
/// ``maximumCount`` entries. After a full reply, an app requests the entries since the last entry.
package struct HistoryRequest: HomeMessage {
    package var characteristic: Characteristic.ID
    package var since: Timestamp
    package var until: Timestamp
    /// The length in milliseconds of intervals for which only the last entry is returned; `nil` for all entries.
    package var interval: Int64?

    package init(characteristic: Characteristic.ID, since: Timestamp, until: Timestamp, interval: Int64? = nil) {
        self.characteristic = characteristic
        self.since = since
        self.until = until
        self.interval = interval
    }
}

extension Characteristic {
    /// A Boolean value that indicates whether past values are stored.
    ///
    /// They are stored for readable states, except for strings and bytes.
    package var hasHistory: Bool {
        switch metadata.format {
        case .string, .tlv8, .data: false
        default: isReadableState
        }
    }

    /// A Boolean value that indicates whether the value is a measurement, not a state.
    ///
    /// Frequent changes of a measurement can be combined, but each change of a state is stored.
    package var isMeasurement: Bool { metadata.format == .float || metadata.unit != nil }
}
