import BoundedJSON
import DeviceKit
import HAPModel

/// A button of a device, or a dial, whose directions are two buttons (Lights 9.3).
///
/// A remote control has several buttons.
struct HueButton: Sendable {
    /// The types of button resources.
    static let types = ["button", "bell_button", dial]
    private static let dial = "relative_rotary"
    private static let directions = [("clock_wise", "Clockwise"), ("counter_clock_wise", "Counterclockwise")]

    let owner: String
    let buttons: [PushButton]
    private let words: [String: PropertyValues]
    /// The time of the last press, as text that sorts by time.
    private var updated: String?

    /// Parses a complete resource; `nil` if it is invalid.
    init?(_ json: JSONValue, type: String) {
        guard let owner = json["owner"]?["rid"]?.string, HueSession.isID(owner) else { return nil }
        self.owner = owner
        updated = Self.time(json)
        guard type != Self.dial else {
            let turns = Self.directions.map { word, name in
                (word, PushButton(id: "dial-\(name.lowercased())", name: "Dial \(name)", presses: [.single]))
            }
            buttons = turns.map { $0.1 }
            words = Dictionary(uniqueKeysWithValues: turns.map { ($0, $1.events(.single)) })
            return
        }
        let isDoorbell = type == "bell_button"
        guard let number = json["metadata"]?["control_id"]?.int ?? (isDoorbell ? 0 : nil) else { return nil }
        let events = json["button"]?["event_values"]?.array?.compactMap(\.string) ?? ["short_release", "long_press"]
        var words: [String: ButtonPress] = [:]
        // A button without a battery, such as a Hue Tap, reports only `initial_press`.
        if let short = ["short_release", "initial_press"].first(where: events.contains) { words[short] = .single }
        if events.contains("double_short_release") { words["double_short_release"] = .double }
        if let long = ["long_press", "long_release"].first(where: events.contains) { words[long] = .long }
        guard !words.isEmpty else { return nil }
        let button = PushButton(
            id: "\(number)", name: isDoorbell ? "Doorbell" : "Button \(number)", presses: Set(words.values),
            isDoorbell: isDoorbell)
        buttons = [button]
        self.words = words.mapValues(button.events)
    }

    private static func time(_ json: JSONValue) -> String? {
        (json["button"]?["button_report"] ?? json[dial]?["rotary_report"])?["updated"]?.string
    }

    /// Returns the word for a press or for the start of a turn.
    ///
    /// A dial repeats its report while it turns. A turn in the other direction counts as a new turn.
    private static func word(_ json: JSONValue) -> String? {
        if let turn = json[dial]?["rotary_report"] ?? json[dial]?["last_event"] {
            return turn["action"]?.string == "start" ? turn["rotation"]?["direction"]?.string : nil
        }
        return (json["button"]?["button_report"]?["event"] ?? json["button"]?["last_event"])?.string
    }

    /// Keeps the time of a press that is newer than the resource.
    mutating func keepTime(of former: HueButton) { updated = [updated, former.updated].compactMap(\.self).max() }

    /// Returns the momentary events of an update; empty for a repeated report.
    mutating func events(_ json: JSONValue) -> PropertyValues {
        let time = Self.time(json)
        if let time, let updated, time <= updated { return PropertyValues() }
        updated = time ?? updated
        return Self.word(json).flatMap { words[$0] } ?? PropertyValues()
    }
}
