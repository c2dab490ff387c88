import HAPModel
import HomeModel

/// A statement about an accessory that an event or a condition can use.
enum TypedTest {
    /// A value compares in a way.
    case compare(ValuePlace, ValueComparison, CharacteristicValue)
    /// A value is within a range.
    case range(ValuePlace, ValueRange)
    /// A value changes.
    case changes(ValuePlace)
    /// A button is pressed.
    case press(ValuePlace, PressKind)
    /// The accessory is unreachable.
    case unreachable(Accessory)
}

extension TypedTest {
    /// The duration for which an accessory must be unreachable if people give none.
    static let unreachableDuration = Duration.seconds(60)

    /// Returns the event that fires when the statement becomes true, or when it has been true for some time.
    ///
    /// - Throws: `HomeError` with code 3 if there is no such event.
    func event(for duration: Duration?) throws(HomeError) -> TriggerEvent {
        switch self {
        case .compare(let place, .equal, let value):
            let id = place.characteristic.id
            return duration.map { .held(id, .value(value), duration: $0) } ?? .characteristic(id, value: value)
        case .compare(let place, .notEqual, let value):
            guard let flag = value.bool else {
                throw HomeError(
                    .invalidParameter,
                    detail: "an event can't use != with \(place.characteristic.word); name the value that it must have")
            }
            return try TypedTest.compare(place, .equal, .bool(!flag)).event(for: duration)
        case .compare(let place, let comparison, let value):
            guard let number = value.number else {
                throw HomeError(.invalidValueType, detail: "\(place.characteristic.word) isn't a number")
            }
            // Floating-point values have no next number.
            let step = place.characteristic.metadata.format == .float ? 0.0 : 1
            let range =
                switch comparison {
                case .greater: ValueRange(minimum: number + step)
                case .greaterOrEqual: ValueRange(minimum: number)
                case .less: ValueRange(maximum: number - step)
                case .lessOrEqual, .equal, .notEqual: ValueRange(maximum: number)
                }
            return try TypedTest.range(place, range).event(for: duration)
        case .range(let place, let range):
            let id = place.characteristic.id
            return duration.map { .held(id, .range(range), duration: $0) } ?? .range(id, range)
        case .changes(let place):
            guard duration == nil else {
                throw HomeError(
                    .invalidParameter,
                    detail: "a change can't last; name the value that \(place.characteristic.word) must have")
            }
            return .characteristic(place.characteristic.id, value: nil)
        case .press(let place, let kind):
            guard duration == nil else { throw HomeError(.invalidParameter, detail: "a button press can't last") }
            return .button(place.characteristic.id, kind)
        case .unreachable(let accessory):
            return .unreachable(accessory.id, duration: duration ?? Self.unreachableDuration)
        }
    }

    /// The condition that the statement is true.
    ///
    /// - Throws: `HomeError` with code 3 if it can't be a condition.
    var condition: TriggerCondition {
        get throws(HomeError) {
            switch self {
            case .compare(let place, let comparison, let value):
                return .comparison(place.characteristic.id, comparison, value)
            case .range(let place, let range):
                let id = place.characteristic.id
                let limits =
                    [
                        range.minimum.map { TriggerCondition.comparison(id, .greaterOrEqual, place.value($0)) },
                        range.maximum.map { TriggerCondition.comparison(id, .lessOrEqual, place.value($0)) },
                    ]
                    .compactMap(\.self)
                return limits.count == 1 ? limits[0] : .all(limits)
            case .changes(let place):
                guard place.characteristic.metadata.format == .bool else {
                    let word = place.characteristic.word
                    throw HomeError(
                        .invalidParameter,
                        detail: "a condition needs a value of \(word); use for example \(word)=VALUE or \(word)>VALUE")
                }
                return .comparison(place.characteristic.id, .equal, .bool(true))
            case .press:
                throw HomeError(.invalidParameter, detail: "a button press can only be an event, not a condition")
            case .unreachable(let accessory):
                throw HomeError(
                    .invalidParameter,
                    detail: "that \(accessory.name) is unreachable can only be an event, not a condition")
            }
        }
    }
}

extension ValuePlace {
    /// Returns a number as a typed value: whole numbers are integers.
    fileprivate func value(_ number: Double) -> CharacteristicValue {
        Int64(exactly: number).map { .integer($0) } ?? .float(number)
    }
}
