import BoundedJSON

// The JSON keys of the stored states and the history of automations.

extension TriggerState.EventMemory {
    enum CodingKeys: String, CodingKey {
        case event
        case content = "memory"
    }
}

extension TriggerState.EventMemory.Content {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "kind"

        case occurrence, side, lasting
    }

    enum OccurrenceCodingKeys: String, CodingKey { case _0 = "number" }
}

extension TriggerCause {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "cause"

        case event, endEvent, user
    }

    enum EventCodingKeys: String, CodingKey { case _0 = "event" }
    typealias EndEventCodingKeys = EventCodingKeys
}

extension TriggerResult {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "result"

        case ran, ended, conditionFalse, wrongWeekday, missed, clockNotSet, chainTooDeep, paused
    }

    enum ConditionFalseCodingKeys: String, CodingKey { case _0 = "part" }
}
