import BoundedJSON
import DeviceKit
import HAPModel

/// A button of a device; a remote control has several (Lights 9.3).
struct HueButton: Sendable {
    /// The types of button resources.
    static let types = ["button", "bell_button"]

    let owner: String
    let button: PushButton
    private let words: [String: ButtonPress]
    /// The time of the last press, as text that sorts by time.
    private var updated: String?

    /// Parses a complete resource; `nil` if it is invalid.
    init?(_ json: JSONValue, type: String) {
        guard let owner = json["owner"]?["rid"]?.string, HueSession.isID(owner),
            let number = json["metadata"]?["control_id"]?.int ?? (type == "bell_button" ? 0 : nil)
        else { return nil }
        self.owner = owner
        let events = json["button"]?["event_values"]?.array?.compactMap(\.string) ?? ["short_release", "long_press"]
        var words: [String: ButtonPress] = [:]
        // A button without a battery, such as a Hue Tap, reports only `initial_press`.
        if let short = ["short_release", "initial_press"].first(where: events.contains) { words[short] = .single }
        if events.contains("double_short_release") { words["double_short_release"] = .double }
        if let long = ["long_press", "long_release"].first(where: events.contains) { words[long] = .long }
        guard !words.isEmpty else { return nil }
        self.words = words
        let isDoorbell = type == "bell_button"
        button = PushButton(
            id: "\(number)", name: isDoorbell ? "Doorbell" : "Button \(number)", presses: Set(words.values),
            isDoorbell: isDoorbell)
        updated = Self.time(json)
    }

    private static func time(_ json: JSONValue) -> String? { json["button"]?["button_report"]?["updated"]?.string }

    /// Keeps the time of a press that is newer than the resource.
    mutating func keepTime(of former: HueButton) { updated = [updated, former.updated].compactMap(\.self).max() }

    /// Returns the momentary events of an update; a repeated report has none.
    mutating func events(_ json: JSONValue) -> PropertyValues {
        let time = Self.time(json)
        if let time, let updated, time <= updated { return PropertyValues() }
        updated = time ?? updated
        let word = json["button"]?["button_report"]?["event"] ?? json["button"]?["last_event"]
        return word?.string.flatMap { words[$0] }.map(button.events) ?? PropertyValues()
    }
}
