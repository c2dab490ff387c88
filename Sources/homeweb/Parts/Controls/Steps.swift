import HAPModel
import HomePresentation

/// The buttons that decrease and increase a number.
struct Steps {
    /// The smaller value; the current value at the minimum.
    let less: Double
    /// The larger value; the current value at the maximum.
    let more: Double
    /// The difference that a press makes.
    let step: Double
    private let number: Double

    init(_ value: Double?, _ range: CharacteristicControl.NumberRange) {
        // The step of a button is noticeable, even if the accessory supports smaller steps.
        step = max(range.step, range.unit == .celsius ? 0.5 : range.step)
        number = value ?? range.minimum ?? 0
        less = max(number - step, min(number, range.minimum ?? -.greatestFiniteMagnitude))
        more = min(number + step, max(number, range.maximum ?? .greatestFiniteMagnitude))
    }

    /// A button at its limit can still be focused, so that it doesn't lose the focus when the limit is reached.
    var values: Templates.Values {
        [
            "less": less.formText, "more": more.formText, "touch": step.formText,
            "isLowest": less == number ? "true" : "false", "isHighest": more == number ? "true" : "false",
        ]
    }
}
