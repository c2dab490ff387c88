import BoundedJSON

// The JSON keys of the states, the history and the notifications of automations.

extension TriggerState.EventMemory {
    enum CodingKeys: String, CodingKey {
        case event
        case content = "memory"
        case skipped
    }
}

extension TriggerState.EventMemory.Content {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "kind"

        case occurrence, side, lasting
    }

    enum OccurrenceCodingKeys: String, CodingKey { case _0 = "number" }
}

// A memory without skipped occurrences omits their list.

extension KeyedEncodingContainer where Key == TriggerState.EventMemory.CodingKeys {
    mutating func encode(_ value: [SkippedOccurrences], forKey key: Key) throws {
        try encodeIfPresent(value.isEmpty ? nil : value, forKey: key)
    }
}

extension KeyedDecodingContainer where Key == TriggerState.EventMemory.CodingKeys {
    func decode(_ type: [SkippedOccurrences].Type, forKey key: Key) throws -> [SkippedOccurrences] {
        try decodeIfPresent(type, forKey: key) ?? []
    }
}

extension TriggerRecord: HomeMessage {
    enum CodingKeys: String, CodingKey { case id, trigger, time, cause, result, run, outcomes }
}

// The list of outcomes is omitted if it's empty.

extension KeyedEncodingContainer where Key == TriggerRecord.CodingKeys {
    mutating func encode(_ value: [ActionOutcome], forKey key: Key) throws {
        try encodeIfPresent(value.isEmpty ? nil : value, forKey: key)
    }
}

extension KeyedDecodingContainer where Key == TriggerRecord.CodingKeys {
    func decode(_ type: [ActionOutcome].Type, forKey key: Key) throws -> [ActionOutcome] {
        try decodeIfPresent(type, forKey: key) ?? []
    }
}

extension ActionOutcome: HomeMessage {
    enum CodingKeys: String, CodingKey {
        /// The action's members are encoded in the same object.
        case action = "_0"
        case error, time
    }
}

extension TriggerAction: HomeMessage {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "kind"

        case actionSet, write, restore, notify
    }

    enum ActionSetCodingKeys: String, CodingKey { case _0 = "actionSet", name }
    enum NotifyCodingKeys: String, CodingKey { case _0 = "text" }
}

extension TriggerStatus: HomeMessage {}

extension Daylight: HomeMessage {}

extension TriggerMessage: HomeMessage {}

extension TriggerCause: HomeMessage {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "cause"

        case event, endEvent, user
    }

    enum EventCodingKeys: String, CodingKey { case _0 = "event" }
    typealias EndEventCodingKeys = EventCodingKeys
}

extension TriggerResult: HomeMessage {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "result"

        case ran, ended, conditionFalse, wrongWeekday, missed, skippedByClock, clockNotSet, chainTooDeep, paused
    }

    enum ConditionFalseCodingKeys: String, CodingKey { case _0 = "part" }
}
