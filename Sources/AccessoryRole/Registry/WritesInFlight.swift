internal import HAPModel
internal import HAPProtocol

/// The state of a characteristic while values are being written to it.
///
/// Reads return a written value immediately. The final value is known only when the last write has ended: it is the
/// last value that the device accepted, a later report from the device, or the value before the writes. Subscribers are
/// notified only of the final value, so a slider in one app doesn't jump back to an earlier write from another app. A
/// controller that already knows the final value gets no event.
struct WritesInFlight: Equatable {
    /// A write, identified by the number of reports that the device had sent before the write started.
    struct Ticket: Equatable {
        fileprivate let reports: Int
    }

    private struct KnownValue: Equatable {
        let connection: ConnectionID
        var value: CharacteristicValue
    }

    /// The result when the last write has ended.
    struct Outcome: Equatable {
        let value: CharacteristicValue
        /// The connections to notify; `nil` if all subscribers know the value.
        let audience: CharacteristicChange.Audience?
    }

    /// The last value that subscribers were notified of; `nil` to notify them of the final value even if they know it.
    private var announced: CharacteristicValue?
    /// The value that applies if all writes in flight fail.
    private var confirmed: CharacteristicValue
    /// The last value that each successful writer knows; there is usually only one writer.
    private var lastKnown: [KnownValue] = []
    private var reports = 0
    private var count = 0

    init(current: CharacteristicValue) {
        announced = current
        confirmed = current
    }

    mutating func began() -> Ticket {
        count += 1
        return Ticket(reports: reports)
    }

    /// Records a value that the device reported during the writes.
    mutating func reported(_ value: CharacteristicValue) {
        confirmed = value
        reports += 1
    }

    /// Ensures that subscribers are notified of the final value, even if they already know it.
    mutating func deferAnnouncement() { announced = nil }

    /// Ends a write.
    ///
    /// - Parameters:
    ///   - ticket: The ticket of the write.
    ///   - value: The value for the device.
    ///   - known: The value that the writer sent, if `value` was rounded; the writer doesn't know the rounded value.
    ///   - success: Whether the device accepted the value.
    ///   - origin: The writer's connection.
    /// - Returns: The final value; `nil` if another write is still in flight.
    mutating func ended(
        _ ticket: Ticket, _ value: CharacteristicValue, known: CharacteristicValue? = nil, success: Bool,
        origin: ConnectionID?
    ) -> Outcome? {
        if success {
            // A report that arrived after the start of the write takes precedence over the written value.
            if ticket.reports == reports { confirmed = value }
            if let origin { remember(origin, known ?? value) }
        }
        count -= 1
        return count == 0 ? Outcome(value: confirmed, audience: audience) : nil
    }

    private mutating func remember(_ connection: ConnectionID, _ value: CharacteristicValue) {
        if let index = lastKnown.firstIndex(where: { $0.connection == connection }) {
            lastKnown[index].value = value
        } else {
            lastKnown.append(KnownValue(connection: connection, value: value))
        }
    }

    private var audience: CharacteristicChange.Audience? {
        if confirmed == announced {
            let outdated = lastKnown.compactMap { $0.value == confirmed ? nil : $0.connection }
            return outdated.isEmpty ? nil : .only(outdated)
        }
        let upToDate = lastKnown.compactMap { $0.value == confirmed ? $0.connection : nil }
        return upToDate.isEmpty ? .everybody : .everybodyBut(upToDate)
    }
}
