package import HAPModel
import HomeModel

/// A characteristic and the value to write to it.
package struct ValueChange: Equatable, Sendable {
    /// The characteristic to write.
    package let place: ValuePlace
    /// The value to write.
    package let value: CharacteristicValue
    /// The number that the user typed, if it was rounded to the nearest step.
    package var asked: CharacteristicValue?

    /// Creates a change.
    package init(place: ValuePlace, value: CharacteristicValue, asked: CharacteristicValue? = nil) {
        self.place = place
        self.value = value
        self.asked = asked
    }

    /// A note for the user about a rounded number; `nil` if no number was rounded.
    package var note: String? {
        guard let asked, let step = place.characteristic.metadata.step else { return nil }
        let text = place.characteristic.text
        let steps = place.characteristic.text(of: .float(step))
        return "\(place.characteristic.word) of \(place.shownName) set to \(text(value)) instead of \(text(asked)): "
            + "it changes in steps of \(steps)"
    }
}
