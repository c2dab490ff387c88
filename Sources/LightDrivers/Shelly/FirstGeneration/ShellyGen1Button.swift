import BoundedJSON
import DeviceKit
import HAPModel

/// An input of a first-generation Shelly device with a push button (Lights 9.6.1).
struct ShellyGen1Button: Equatable, Sendable {
    /// The events of an input with the words for them; other events are ignored.
    private static let words = ["S": "single", "SS": "double", "SSS": "triple", "L": "long"]
    /// The types of devices that distinguish single, double and triple presses.
    private static let multiplePresses = ["SHIX3-1", "SHBTN-1", "SHBTN-2"]
    /// The types of inputs that report presses instead of a switch position.
    ///
    /// An input that is detached from its output reports presses, too.
    private static let types = ["momentary", "momentary_on_release", "detached"]
    private static let twoButtonRelay = "SHSW-L"

    let number: Int
    let words: ButtonWords

    /// The input's name within the device, such as `input:0`.
    var key: String { "input:\(number)" }

    /// Creates a button from an input in the device's status.
    ///
    /// Returns `nil` if the settings don't describe a push button, or if the input doesn't count its events.
    init?(_ number: Int, _ status: JSONValue, settings: JSONValue, type: String) {
        guard Self.count(status) != nil, Self.isButton(number, settings, type) else { return nil }
        self.number = number
        let inputs = settings["inputs"]?.array ?? []
        let name = inputs.indices.contains(number) ? inputs[number]["name"]?.shortText : nil
        let presses = ["single", "long"] + (Self.multiplePresses.contains(type) ? ["double", "triple"] : [])
        let shownName = name.flatMap { $0.isEmpty ? nil : $0 } ?? "Button \(number + 1)"
        words = ButtonWords(presses, of: .init(id: "input:\(number)", name: shownName))
    }

    private static func isButton(_ number: Int, _ settings: JSONValue, _ type: String) -> Bool {
        // A device with several inputs may have settings for only one input.
        func setting(_ list: String) -> JSONValue? {
            settings[list]?.array.flatMap { $0.isEmpty ? nil : $0[min(number, $0.count - 1)] }
        }
        if type.hasPrefix("SHBTN") { return true }
        let wanted: JSONValue? =
            if settings["mode"]?.string == "roller" {
                setting("rollers")?["button_type"]
            } else if type == twoButtonRelay {
                settings["relays"]?.array?.first?["btn\(number + 1)_type"]
            } else {
                (setting("relays") ?? setting("lights") ?? setting("inputs"))?["btn_type"]
            }
        return wanted?.string.map(types.contains) ?? false
    }

    /// Returns the device's event counter for an input.
    static func count(_ status: JSONValue) -> Int? { status["event_cnt"]?.int }

    /// Returns the latest press of an input in a status, or `nil` for another event.
    static func press(_ status: JSONValue) -> String? { status["event"]?.string.flatMap { words[$0] } }
}
