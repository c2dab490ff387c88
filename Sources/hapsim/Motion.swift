import HAPModel

/// A change of a simulated device that takes time: a blind travels, a lock turns, a room warms up.
struct Motion: Equatable {
    /// The characteristic that changes.
    ///
    /// A new motion replaces the running one of the same characteristic.
    let subject: CharacteristicType
    /// The numbers between which the subject changes gradually; `nil` if it changes only at the end.
    var ramp: Ramp?
    /// The duration in seconds.
    let seconds: Double
    /// The values that change at the end, including the subject's.
    let atEnd: ServiceValues
    /// A Boolean value that indicates whether subscribers count the seconds themselves, so that they get an event only
    /// at the end (HAP 9, Remaining Duration).
    var isCountdown = false

    struct Ramp: Equatable {
        let from: Double
        let to: Double

        /// Returns the number after a part of the duration, from 0 to 1.
        func number(after part: Double) -> Double { from + (to - from) * min(max(part, 0), 1) }
    }

    /// The seconds between two values of a gradual change.
    var interval: Double { isCountdown ? 1 : max(0.5, seconds / 200) }
}

/// Values by the types of a service's characteristics.
typealias ServiceValues = [CharacteristicType: CharacteristicValue]
