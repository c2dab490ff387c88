internal import HAPModel
internal import HAPProtocol

/// What a characteristic is really worth while writes to it are under way.
///
/// Reads show a written value at once. Only when the last write has ended it is known which value holds: the last one
/// that the device took, or that it reported by itself, or the one from before. Subscribers are told that one, not the
/// steps on the way, so that nobody's slider jumps back to what somebody else wrote before.
struct WritesInFlight: Equatable {
    /// The value that holds if all writes under way fail.
    private var confirmed: CharacteristicValue
    /// Whose write the confirmed value was.
    private var origin: ConnectionID?
    /// The value that subscribers were told last.
    private var announced: CharacteristicValue
    private var count = 0

    init(current: CharacteristicValue) {
        confirmed = current
        announced = current
    }

    /// What the end of the last write leads to.
    struct Outcome: Equatable {
        let value: CharacteristicValue
        let origin: ConnectionID?
        /// Whether subscribers have not been told this value.
        let isNews: Bool
    }

    mutating func began() { count += 1 }

    /// The device said a value by itself.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - isAnnounced: whether subscribers are told at once, because it differs from what reads show.
    mutating func reported(_ value: CharacteristicValue, isAnnounced: Bool) {
        confirmed = value
        if isAnnounced {
            announced = value
            origin = nil
        }
    }

    /// A write has ended.
    ///
    /// - Returns: what holds now, if no other write is under way.
    mutating func ended(_ value: CharacteristicValue, success: Bool, origin: ConnectionID?) -> Outcome? {
        if success {
            confirmed = value
            self.origin = origin
        }
        count -= 1
        guard count == 0 else { return nil }
        return Outcome(value: confirmed, origin: self.origin, isNews: confirmed != announced)
    }
}
