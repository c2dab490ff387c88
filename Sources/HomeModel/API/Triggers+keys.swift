import BoundedJSON

// The JSON keys of automations. Durations are encoded in seconds.

extension Trigger: HomeMessage {
    enum CodingKeys: String, CodingKey {
        case id, home, name, isEnabled
        /// The definition's members are encoded in the same object.
        case definition = "_0"
        case missingParts
    }
}

extension KeyedEncodingContainer where Key == Trigger.CodingKeys {
    mutating func encode(_ value: [String], forKey key: Key) throws {
        try encodeIfPresent(value.isEmpty ? nil : value, forKey: key)
    }
}

extension KeyedDecodingContainer where Key == Trigger.CodingKeys {
    func decode(_ type: [String].Type, forKey key: Key) throws -> [String] {
        try decodeIfPresent(type, forKey: key) ?? []
    }
}

extension Resident: HomeMessage {}

extension HomeLocation: HomeMessage {
    enum CodingKeys: String, CodingKey { case latitude, longitude, timeZone }

    /// Decodes a location; throws an error if a coordinate or the time zone's name is invalid.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            latitude: values.decode(Double.self, forKey: .latitude),
            longitude: values.decode(Double.self, forKey: .longitude),
            timeZone: values.decodeIfPresent(String.self, forKey: .timeZone))
    }
}

extension TriggerDefinition: HomeMessage {
    enum CodingKeys: String, OmittingKey {
        case events, endEvents, condition, weekdays, executeOnce
        case missedRunPolicy = "missedRuns"
        case actionSets, steps
    }
}

// Members with their default value aren't encoded.

extension KeyedEncodingContainer where Key == TriggerDefinition.CodingKeys {
    mutating func encode(_ value: [TriggerEvent], forKey key: Key) throws {
        try encodeIfPresent(value.isEmpty ? nil : value, forKey: key)
    }

    mutating func encode(_ value: [TriggerStep], forKey key: Key) throws {
        try encodeIfPresent(value.isEmpty ? nil : value, forKey: key)
    }

    mutating func encode(_ value: Weekdays, forKey key: Key) throws {
        try encodeIfPresent(value == .everyDay ? nil : value, forKey: key)
    }

    mutating func encode(_ value: MissedRunPolicy, forKey key: Key) throws {
        try encodeIfPresent(value == .default ? nil : value, forKey: key)
    }
}

extension KeyedDecodingContainer where Key == TriggerDefinition.CodingKeys {
    func decode(_ type: [TriggerEvent].Type, forKey key: Key) throws -> [TriggerEvent] {
        try decodeIfPresent(type, forKey: key) ?? []
    }

    func decode(_ type: [TriggerStep].Type, forKey key: Key) throws -> [TriggerStep] {
        try decodeIfPresent(type, forKey: key) ?? []
    }

    func decode(_ type: Weekdays.Type, forKey key: Key) throws -> Weekdays {
        try decodeIfPresent(type, forKey: key) ?? .everyDay
    }

    func decode(_ type: MissedRunPolicy.Type, forKey key: Key) throws -> MissedRunPolicy {
        try decodeIfPresent(type, forKey: key) ?? .default
    }
}

extension TriggerEvent: HomeMessage {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "kind"

        case calendar, significant, timer, characteristic, range, held, button, unreachable, presence, duration
    }

    enum TimerCodingKeys: String, SecondsKey { case first, every }
    enum CharacteristicCodingKeys: String, CodingKey { case _0 = "characteristic", value }
    enum RangeCodingKeys: String, CodingKey { case _0 = "characteristic", _1 = "range" }
    enum HeldCodingKeys: String, SecondsKey { case _0 = "characteristic", _1 = "_0", duration = "for" }
    enum ButtonCodingKeys: String, CodingKey { case _0 = "characteristic", _1 = "press" }
    enum UnreachableCodingKeys: String, SecondsKey { case _0 = "accessory", duration = "for" }
    enum PresenceCodingKeys: String, OmittingKey { case _0 = "change", people }
    enum DurationCodingKeys: String, SecondsKey { case _0 = "for" }
}

extension TriggerCondition: HomeMessage {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "kind"

        case all, any, not, time, sun, weekday, comparison, presence
    }

    enum AllCodingKeys: String, CodingKey { case _0 = "of" }
    typealias AnyCodingKeys = AllCodingKeys
    typealias NotCodingKeys = AllCodingKeys
    enum SunCodingKeys: String, CodingKey { case _0 = "relation", _1 = "_0" }
    enum WeekdayCodingKeys: String, CodingKey { case _0 = "days" }
    enum ComparisonCodingKeys: String, CodingKey { case _0 = "characteristic", _1 = "is", _2 = "value" }
    enum PresenceCodingKeys: String, CodingKey { case _0 = "people" }
}

extension PresenceState {
    private enum CodingKeys: String, CodingKey { case home }

    /// Decodes `"anyoneHome"`, `"noOneHome"` or `{"home":ID}`.
    public init(from decoder: any Decoder) throws {
        switch try JSONValue(from: decoder) {
        case "anyoneHome": self = .anyoneHome
        case "noOneHome": self = .noOneHome
        default: self = .home(try decoder.container(keyedBy: CodingKeys.self).decode(Resident.ID.self, forKey: .home))
        }
    }

    /// Encodes the state in the form that ``init(from:)`` decodes.
    public func encode(to encoder: any Encoder) throws {
        let json: JSONValue =
            switch self {
            case .anyoneHome: "anyoneHome"
            case .noOneHome: "noOneHome"
            case .home(let person): ["home": .string("\(person)")]
            }
        try json.encode(to: encoder)
    }
}

extension TriggerStep: HomeMessage {
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "kind"

        case write, wait, notify
    }

    enum WriteCodingKeys: String, CodingKey { case _0 = "values" }
    enum WaitCodingKeys: String, SecondsKey { case _0 = "for" }
    enum NotifyCodingKeys: String, CodingKey { case _0 = "text" }
}

extension MissedRunPolicy {
    private enum CodingKeys: String, SecondsKey { case runWithin }

    /// Decodes `"skip"` or `{"runWithin":SECONDS}`.
    public init(from decoder: any Decoder) throws {
        if case "skip" = try JSONValue(from: decoder) {
            self = .skip
        } else {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self = .runWithin(try values.decode(Duration.self, forKey: .runWithin))
        }
    }

    /// Encodes the policy in the form that ``init(from:)`` decodes.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .skip:
            try JSONValue.string("skip").encode(to: encoder)
        case .runWithin(let duration):
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(duration, forKey: .runWithin)
        }
    }
}

extension SunTime {
    enum CodingKeys: String, SecondsKey { case event, offset }
}

extension ValueRange {
    enum CodingKeys: String, CodingKey {
        case minimum = "min"
        case maximum = "max"
    }
}

/// The keys of a type whose durations are encoded in whole seconds.
protocol SecondsKey: CodingKey {}

extension KeyedEncodingContainer where Key: SecondsKey {
    mutating func encode(_ value: Duration, forKey key: Key) throws {
        try encode(value.components.seconds, forKey: key)
    }

    mutating func encodeIfPresent(_ value: Duration?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }
}

extension KeyedDecodingContainer where Key: SecondsKey {
    func decode(_ type: Duration.Type, forKey key: Key) throws -> Duration {
        .seconds(try decode(Int64.self, forKey: key))
    }

    func decodeIfPresent(_ type: Duration.Type, forKey key: Key) throws -> Duration? {
        try decodeIfPresent(Int64.self, forKey: key).map { .seconds($0) }
    }
}
