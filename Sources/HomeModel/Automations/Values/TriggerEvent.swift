public import HAPModel

/// An event that starts a run of an automation, or ends it.
@nonexhaustive
public enum TriggerEvent: Codable, Sendable, Hashable {
    /// A local time is reached.
    case calendar(CalendarTime)
    /// The sun rises, sets, or reaches civil dawn or dusk, at the home's location.
    case significant(SunTime)
    /// The time is `first`, or a multiple of `every` later; if `every` is `nil`, the event fires only at `first`.
    case timer(first: Timestamp, every: Duration?)
    /// The characteristic's value becomes `value`, or changes in any way if `value` is `nil`.
    case characteristic(Characteristic.ID, value: CharacteristicValue?)
    /// The characteristic's value enters a range.
    case range(Characteristic.ID, ValueRange)
    /// The characteristic's value has passed a test for some time.
    case held(Characteristic.ID, ValueTest, duration: Duration)
    /// A button reports a press.
    case button(Characteristic.ID, PressKind)
    /// The accessory has been unreachable for some time.
    case unreachable(Accessory.ID, duration: Duration)
    /// People arrive or leave; an empty list means all people of the home.
    case presence(PresenceChange, people: [Resident.ID])
    /// Some time has passed since the run began. This is allowed only as an end event.
    case duration(Duration)
}

/// The kinds of button presses.
@nonexhaustive
public enum PressKind: String, Codable, Sendable, Hashable, CaseIterable {
    /// One press.
    case single
    /// Two presses.
    case double
    /// A long press.
    case long

    /// The value that a button's characteristic reports for the press.
    var value: CharacteristicValue {
        switch self {
        case .single: .integer(0)
        case .double: .integer(1)
        case .long: .integer(2)
        }
    }
}

/// A change of presence, with HomeKit's names.
@nonexhaustive
public enum PresenceChange: String, Codable, Sendable, Hashable, CaseIterable {
    /// The first of the people arrives.
    case firstEntry
    /// One of the people arrives.
    case everyEntry
    /// The last of the people leaves.
    case lastExit
    /// One of the people leaves.
    case everyExit
}

extension TriggerEvent {
    /// The characteristic whose values can fire the event.
    package var characteristic: Characteristic.ID? {
        switch self {
        case .characteristic(let id, _), .range(let id, _), .held(let id, _, _), .button(let id, _): id
        case .calendar, .significant, .timer, .unreachable, .presence, .duration: nil
        }
    }

    /// A Boolean value that indicates whether the event fires at times that are known in advance.
    package var isScheduled: Bool {
        switch self {
        case .calendar, .significant, .timer: true
        case .characteristic, .range, .held, .button, .unreachable, .presence, .duration: false
        }
    }

    var needsLocation: Bool { if case .significant = self { true } else { false } }
}
