import HAPModel

/// A change of a simulated device that takes time: a blind travels, a lock turns, a room warms up.
struct Motion: Equatable {
    /// The characteristic that changes.
    ///
    /// A new motion replaces a running motion of the same characteristic.
    let subject: CharacteristicType
    /// The numbers between which the subject changes gradually; `nil` if it changes only at the end.
    var ramp: Ramp?
    /// The duration in seconds.
    let seconds: Double
    /// The values at the end of the motion, including the value of ``subject``.
    let atEnd: ServiceValues
    /// A Boolean value that indicates whether subscribers count the seconds themselves, so that they get an event only
    /// at the end (HAP 9, Remaining Duration).
    var isCountdown = false

    struct Ramp: Equatable {
        let from: Double
        let to: Double

        /// Returns the number after a fraction of the duration, from 0 to 1.
        func number(after part: Double) -> Double { from + (to - from) * min(max(part, 0), 1) }
    }

    /// The time between two values of a gradual change, in seconds.
    var interval: Double { isCountdown ? 1 : max(0.5, seconds / 200) }
}

/// The values of a service's characteristics, by type.
typealias ServiceValues = [CharacteristicType: CharacteristicValue]
