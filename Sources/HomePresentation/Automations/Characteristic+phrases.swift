import HAPModel
package import HomeModel

/// The predicates that describe a value after the accessory's name in a sentence.
struct ValuePhrase: Sendable {
    /// The predicate when the value begins to apply: `turns on`.
    let becomes: String
    /// The predicates in the present tense: `is on` and `isn't on`.
    let present: (true: String, false: String)
    /// The predicates in the past tense: `was on` and `wasn't on`.
    let past: (true: String, false: String)
    /// The predicate when the value has applied for some time: `has been on`.
    let lasts: String

    static let lowBattery = ValuePhrase(
        becomes: "reports a low battery", present: ("has a low battery", "doesn't have a low battery"),
        past: ("had a low battery", "didn't have a low battery"), lasts: "has had a low battery")

    private init(
        becomes: String, present: (true: String, false: String), past: (true: String, false: String), lasts: String
    ) {
        self.becomes = becomes
        self.present = present
        self.past = past
        self.lasts = lasts
    }

    /// Creates the predicates for an adjective, such as `open`.
    init(_ adjective: String, becomes: String? = nil) {
        self.becomes = becomes ?? "becomes \(adjective)"
        present = ("is \(adjective)", "isn't \(adjective)")
        past = ("was \(adjective)", "wasn't \(adjective)")
        lasts = "has been \(adjective)"
    }

    /// Creates the predicates for a detection, such as `detects motion`.
    init(detects noun: String) {
        becomes = "detects \(noun)"
        present = ("detects \(noun)", "doesn't detect \(noun)")
        past = ("detected \(noun)", "didn't detect \(noun)")
        lasts = "has detected \(noun)"
    }

    /// Creates the predicates for the absence of a detection, such as `no longer detects motion`.
    init(detectsNo noun: String) {
        becomes = "no longer detects \(noun)"
        present = ("doesn't detect \(noun)", "detects \(noun)")
        past = ("didn't detect \(noun)", "detected \(noun)")
        lasts = "hasn't detected \(noun)"
    }
}

extension Characteristic {
    /// Returns the predicates for a value that describes the whole accessory; `nil` for other values, such as a
    /// brightness.
    func phrase(for value: CharacteristicValue) -> ValuePhrase? {
        let number = value.bool.map { $0 ? 1 : 0 } ?? value.number.flatMap { Int64(exactly: $0) }
        guard let number else { return nil }
        if let noun = Self.detections[type] {
            return number == 1 ? ValuePhrase(detects: noun) : number == 0 ? ValuePhrase(detectsNo: noun) : nil
        }
        if type == .statusLowBattery { return number == 1 ? .lowBattery : nil }
        if type == .currentPosition, number == 0 { return ValuePhrase("closed", becomes: "closes") }
        if type == .securitySystemCurrentState, let word = Self.alarmStates[number] {
            return ValuePhrase(word, becomes: number > 2 ? "is \(word)" : nil)
        }
        guard Self.adjectives.contains(type), let word = type.words(for: number) else { return nil }
        return ValuePhrase(word, becomes: Self.changes[word])
    }

    /// The name of the value in a sentence, such as `brightness` or `temperature`.
    package var noun: String {
        if type == .securitySystemTargetState { return "mode" }
        // "Temperature" alone means the current temperature.
        let isTarget = word.hasPrefix("target-")
        let name = isTarget || label == "State" || label == "Mode" ? localizedDescription : label
        let words = name.lowercased()
        return words.hasPrefix("current ") ? String(words.dropFirst("current ".count)) : words
    }

    private static let alarmStates: [Int64: String] = [
        0: "armed, at home", 1: "armed, away", 2: "armed, night", 3: "disarmed", 4: "triggered",
    ]

    private static let detections: [CharacteristicType: String] = [
        .carbonDioxideDetected: "too much carbon dioxide", .carbonMonoxideDetected: "carbon monoxide",
        .leakDetected: "a leak", .motionDetected: "motion", .obstructionDetected: "an obstruction",
        .smokeDetected: "smoke",
    ]

    /// Characteristics whose values are adjectives for the accessory, such as `open` or `locked`.
    private static let adjectives: Set<CharacteristicType> = [
        .active, .contactSensorState, .currentDoorState, .inUse, .lockCurrentState, .lockTargetState, .mute,
        .occupancyDetected, .on, .outletInUse, .targetDoorState, .currentFanState,
        .currentAirPurifierState, .currentHeatingCoolingState, .currentHeaterCoolerState, .statusTampered,
    ]

    /// The phrases that replace "becomes" and an adjective.
    private static let changes = [
        "on": "turns on", "off": "turns off", "open": "opens", "closed": "closes", "locked": "locks",
        "unlocked": "unlocks", "running": "starts running",
    ]
}
