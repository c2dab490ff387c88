public import HAPModel

/// A condition for the run of an automation, evaluated when an event fires.
@nonexhaustive
public indirect enum TriggerCondition: Codable, Sendable, Hashable {
    /// All conditions are true.
    case all([TriggerCondition])
    /// At least one condition is true.
    case any([TriggerCondition])
    /// The condition is false.
    case not(TriggerCondition)
    /// The local time is between two times: at or after `from`, and before `to`.
    ///
    /// If `to` is earlier than `from`, the period includes midnight.
    case time(from: TimeOfDay, to: TimeOfDay)
    /// The time is before or after a sun event.
    ///
    /// "After sunset" and "before sunrise" are true while the sun is below the horizon, all day during the polar night.
    case sun(SunRelation, SunTime)
    /// Today is one of the days.
    case weekday(Weekdays)
    /// A comparison of the characteristic's value is true. The condition is false while the value is unknown.
    case comparison(Characteristic.ID, ValueComparison, CharacteristicValue)
    /// Anyone, no one or the given person is at home.
    case presence(PresenceState)
}

/// The position of a time relative to a sun event.
@nonexhaustive
public enum SunRelation: String, Codable, Sendable, Hashable, CaseIterable {
    /// Before the event.
    case before
    /// At the event or after it.
    case after
}

/// A condition on the people of a home.
@nonexhaustive
public enum PresenceState: Codable, Sendable, Hashable {
    /// At least one person is at home.
    case anyoneHome
    /// No person is at home.
    case noOneHome
    /// The person is at home.
    case home(Resident.ID)
}

extension TriggerCondition {
    /// The conditions that this condition combines.
    var parts: [TriggerCondition] {
        switch self {
        case .all(let parts), .any(let parts): parts
        case .not(let part): [part]
        case .time, .sun, .weekday, .comparison, .presence: []
        }
    }

    /// The number of nested levels; 1 for a condition without parts.
    var depth: Int { 1 + (parts.map(\.depth).max() ?? 0) }

    /// This condition and all conditions that it contains.
    var flattened: [TriggerCondition] { [self] + parts.flatMap(\.flattened) }

    /// The characteristics in the condition.
    var characteristics: Set<Characteristic.ID> {
        Set(flattened.compactMap { if case .comparison(let id, _, _) = $0 { id } else { nil } })
    }

    var needsLocation: Bool { flattened.contains { if case .sun = $0 { true } else { false } } }
}
