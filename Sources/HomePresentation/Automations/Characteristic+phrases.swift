import HAPModel
package import HomeModel
import Texts

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

    static var lowBattery: ValuePhrase {
        ValuePhrase(
            becomes: localized("reports a low battery"),
            present: (localized("has a low battery"), localized("doesn't have a low battery")),
            past: (localized("had a low battery"), localized("didn't have a low battery")),
            lasts: localized("has had a low battery"))
    }

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
        self.becomes = becomes ?? localized("becomes \(adjective)")
        present = (localized("is \(adjective)"), localized("isn't \(adjective)"))
        past = (localized("was \(adjective)"), localized("wasn't \(adjective)"))
        lasts = localized("has been \(adjective)")
    }

    /// Creates the predicates for a detection, such as `detects motion`.
    init(detects noun: String) {
        becomes = localized("detects \(noun)")
        present = (localized("detects \(noun)"), localized("doesn't detect \(noun)"))
        past = (localized("detected \(noun)"), localized("didn't detect \(noun)"))
        lasts = localized("has detected \(noun)")
    }

    /// Creates the predicates for the absence of a detection, such as `no longer detects motion`.
    init(detectsNo noun: String) {
        becomes = localized("no longer detects \(noun)")
        present = (localized("doesn't detect \(noun)"), localized("detects \(noun)"))
        past = (localized("didn't detect \(noun)"), localized("detected \(noun)"))
        lasts = localized("hasn't detected \(noun)")
    }
}

extension Characteristic {
    /// Returns the predicates for a value that describes the whole accessory; `nil` for other values, such as a
    /// brightness.
    func phrase(for value: CharacteristicValue) -> ValuePhrase? {
        let number = value.bool.map { $0 ? 1 : 0 } ?? value.number.flatMap { Int64(exactly: $0) }
        guard let number else { return nil }
        if let noun = Self.detections[type] {
            return number == 1
                ? ValuePhrase(detects: noun.localized) : number == 0 ? ValuePhrase(detectsNo: noun.localized) : nil
        }
        if type == .statusLowBattery { return number == 1 ? .lowBattery : nil }
        if type == .currentPosition, number == 0 {
            return ValuePhrase(localized("closed"), becomes: localized("closes"))
        }
        if type == .securitySystemCurrentState, let word = Self.alarmStates[number]?.localized {
            return ValuePhrase(word, becomes: number > 2 ? localized("is \(word)") : nil)
        }
        guard Self.adjectives.contains(type), let word = type.words(for: number) else { return nil }
        return ValuePhrase(Self.adjective(word), becomes: Self.changes[word]?.localized)
    }

    /// Returns the word for a state as an adjective, for languages that use a verb without a subject.
    private static func adjective(_ word: String) -> String {
        switch word {
        case "closing": localized("closing", context: "adjective")
        case "cooling": localized("cooling", context: "adjective")
        case "dehumidifying": localized("dehumidifying", context: "adjective")
        case "heating": localized("heating", context: "adjective")
        case "humidifying": localized("humidifying", context: "adjective")
        case "jammed": localized("jammed", context: "adjective")
        case "not running": localized("not running", context: "adjective")
        case "opening": localized("opening", context: "adjective")
        case "purifying": localized("purifying", context: "adjective")
        case "running": localized("running", context: "adjective")
        default: localized(key: word)
        }
    }

    /// The name of the value in a sentence, such as `brightness` or `temperature`.
    package var noun: String {
        // "Temperature" alone means the current temperature.
        let isTarget = word.hasPrefix("target-") && englishLabel != "Mode"
        return isTarget ? localizedInSentence(key: localizedDescription) : labelInSentence
    }

    private static let alarmStates: [Int64: LocalizableText] = [
        0: "armed, at home", 1: "armed, away", 2: "armed, night", 3: "disarmed", 4: "triggered",
    ]

    private static let detections: [CharacteristicType: LocalizableText] = [
        .carbonDioxideDetected: "too much carbon dioxide", .carbonMonoxideDetected: "carbon monoxide",
        .leakDetected: "a leak", .motionDetected: "motion", .obstructionDetected: "an obstruction",
        .smokeDetected: "smoke",
    ]

    /// Characteristics whose values are adjectives for the accessory, such as `open` or `locked`.
    private static let adjectives: Set<CharacteristicType> = [
        .active, .contactSensorState, .currentDoorState, .inUse, .lockCurrentState, .lockTargetState, .mute,
        .occupancyDetected, .on, .outletInUse, .targetDoorState, .currentFanState,
        .currentAirPurifierState, .currentHeatingCoolingState, .currentHeaterCoolerState,
        .currentHumidifierDehumidifierState, .statusTampered,
    ]

    /// The phrases that replace "becomes" and an adjective.
    private static let changes: [String: LocalizableText] = [
        "on": "turns on", "off": "turns off", "open": "opens", "closed": "closes", "locked": "locks",
        "unlocked": "unlocks", "running": "starts running",
    ]
}
