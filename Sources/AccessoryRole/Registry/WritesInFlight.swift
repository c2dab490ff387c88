internal import HAPModel
internal import HAPProtocol

/// What a characteristic is really worth while writes to it are under way.
///
/// Reads show a written value at once. Only when the last write has ended it is known which value holds: the last one
/// that the device took, or what it said by itself since, or the one from before. Subscribers are told that one, not the
/// steps on the way, so that no app's slider jumps back to what another wrote before; and no controller is notified of what it
/// knows already.
struct WritesInFlight: Equatable {
    /// A write, as far as this machine tells writes apart: by how much the device had said when it began.
    struct Ticket: Equatable {
        fileprivate let reports: Int
    }

    private struct KnownValue: Equatable {
        let connection: ConnectionID
        var value: CharacteristicValue
    }

    /// What the end of the last write leads to.
    struct Outcome: Equatable {
        let value: CharacteristicValue
        /// Who does not know the value; `nil` if everybody does.
        let audience: CharacteristicChange.Audience?
    }

    /// The last value that subscribers were notified of; `nil` if they are to be notified at the end in any case.
    private var announced: CharacteristicValue?
    /// The value that holds if all writes under way fail.
    private var confirmed: CharacteristicValue
    /// The value that each successful writer knows; mostly one.
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

    /// The device said a value.
    mutating func reported(_ value: CharacteristicValue) {
        confirmed = value
        reports += 1
    }

    /// Subscribers are to be notified of the value that holds at the end, also if it is the one that they know.
    mutating func deferAnnouncement() { announced = nil }

    /// A write has ended.
    ///
    /// - Returns: what holds now, if no other write is under way.
    mutating func ended(
        _ ticket: Ticket, _ value: CharacteristicValue, success: Bool, origin: ConnectionID?
    ) -> Outcome? {
        if success {
            // What the device said since the write began counts more than its yes.
            if ticket.reports == reports { confirmed = value }
            if let origin { remember(origin, value) }
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
