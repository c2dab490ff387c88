import HAPModel
import HomeModel
import Texts

/// A statement about an accessory that an event or a condition can use.
enum TypedTest {
    /// A comparison of a value with a constant, such as `brightness<20`.
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
    /// The duration for which an accessory must be unreachable if the statement contains none.
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
                    detail: localized(
                        "an event can't use != with \(place.characteristic.word); use = and the value to wait for"))
            }
            return try TypedTest.compare(place, .equal, .bool(!flag)).event(for: duration)
        case .compare(let place, let comparison, let value):
            guard let number = value.number else {
                throw HomeError(.invalidValueType, detail: localized("\(place.characteristic.word) isn't a number"))
            }
            // Whole numbers greater than 20 begin at 21. Floating-point numbers have no such successor.
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
                    detail: localized(
                        "a change can't have a duration; add the value that \(place.characteristic.word) must keep"))
            }
            return .characteristic(place.characteristic.id, value: nil)
        case .press(let place, let kind):
            guard duration == nil else {
                throw HomeError(.invalidParameter, detail: "a button press can't have a duration")
            }
            return .button(place.characteristic.id, kind)
        case .unreachable(let accessory):
            return .unreachable(accessory.id, duration: duration ?? Self.unreachableDuration)
        }
    }

    /// The condition that the statement is true.
    ///
    /// - Throws: `HomeError` with code 3 if the statement can only be an event.
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
                        detail: localized("a condition needs a value for \(word); use \(word)=VALUE or \(word)>VALUE"))
                }
                return .comparison(place.characteristic.id, .equal, .bool(true))
            case .press:
                throw HomeError(.invalidParameter, detail: "a button press can only be an event, not a condition")
            case .unreachable(let accessory):
                throw HomeError(
                    .invalidParameter,
                    detail: localized("\"\(accessory.name) unreachable\" can only be an event, not a condition"))
            }
        }
    }
}

extension ValuePlace {
    /// Returns the number as an integer value if it's whole and the format isn't float, otherwise as a floating-point
    /// value.
    fileprivate func value(_ number: Double) -> CharacteristicValue {
        guard characteristic.metadata.format != .float, let whole = Int64(exactly: number) else {
            return .float(number)
        }
        return .integer(whole)
    }
}
