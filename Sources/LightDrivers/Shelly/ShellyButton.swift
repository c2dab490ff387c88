import BoundedJSON
import DeviceKit
import HAPModel

/// An input of a Shelly device with a push button (Lights 9.6).
struct ShellyButton: Equatable, Sendable {
    /// The events that are presses.
    ///
    /// Devices also send `btn_down` and `btn_up`, which are ignored.
    private static let presses = ["single_push", "double_push", "triple_push", "long_push"]

    /// The input's name within the device, such as `input:0`.
    let key: String
    let number: Int
    let words: ButtonWords

    /// Parses a component of the device's configuration; `nil` if it isn't the input of a push button.
    init?(_ key: String, _ json: JSONValue) {
        guard let (kind, number) = ShellyOutput.parts(of: key), kind == "input", number < 100,
            json["type"]?.string == "button", json["enable"]?.bool != false
        else { return nil }
        self.key = key
        self.number = number
        let name = json["name"]?.shortText.flatMap { $0.isEmpty ? nil : $0 }
        words = Self.words(id: key, name: name ?? "Button \(number + 1)")
    }

    /// Returns the words of the events of one button.
    static func words(id: String, name: String) -> ButtonWords { ButtonWords(presses, of: .init(id: id, name: name)) }
}
