import DeviceKit

/// The lights of a session that are blinking to identify themselves.
///
/// While a light is blinking, the session doesn't report its state.
struct BlinkingLights: Sendable {
    /// A change of a light's power that is due.
    struct Step {
        let light: LightID
        let isOn: Bool
        let number: Int
        /// A Boolean value that indicates whether this step restores the power state from before the identification.
        let isLast: Bool
    }

    private struct Blinks: Sendable {
        let number: Int
        /// The power state to restore in the last step.
        let power: Bool
        var isLit: Bool
        var left: [Bool]
        var nextAt: Duration
    }

    private let count: Int
    private let pause: Duration
    private var sequences: [LightID: Blinks] = [:]

    /// Creates the blinking lights of a session.
    ///
    /// - Parameters:
    ///   - count: The number of times that a light is switched before its previous power is restored.
    ///   - pause: The time between two steps.
    init(count: Int, pause: Duration) {
        self.count = count
        self.pause = pause
    }

    /// Returns the power states of an identification in order, without the final step that restores the previous state.
    static func blinks(from power: Bool, count: Int = 3) -> [Bool] { (0..<count).map { $0.isMultiple(of: 2) != power } }

    func contains(_ light: LightID) -> Bool { sequences[light] != nil }

    /// Returns the light of the identification with the given number, or `nil` if that identification has ended.
    func light(_ number: Int) -> LightID? { sequences.first { $0.value.number == number }?.key }

    var deadline: Duration? { sequences.values.map(\.nextAt).min() }

    /// Begins an identification of a light.
    ///
    /// `isOn` is the light's power state; it is ignored if the light is already blinking.
    ///
    /// - Returns: The number of the previous identification, which is replaced, or `nil` if the light wasn't blinking.
    @discardableResult
    mutating func begin(_ light: LightID, number: Int, isOn: Bool, now: Duration) -> Int? {
        let former = sequences[light]
        let power = former?.power ?? isOn
        let steps = Self.blinks(from: power, count: count) + [power]
        sequences[light] = Blinks(number: number, power: power, isLit: power, left: steps, nextAt: now)
        return former?.number
    }

    /// Ends a light's identification at once, without another step.
    ///
    /// Returns the number of the identification, or `nil` if the light wasn't blinking.
    @discardableResult
    mutating func end(_ light: LightID) -> Int? { sequences.removeValue(forKey: light)?.number }

    /// Skips to the last step of a light's identification.
    ///
    /// Ends it at once if the light already has its previous power state.
    mutating func cancel(_ light: LightID) {
        guard let sequence = sequences[light] else { return }
        sequences[light]?.left = [sequence.power]
        sequences[light]?.nextAt = .zero
        if sequence.isLit == sequence.power { sequences[light] = nil }
    }

    mutating func steps(now: Duration) -> [Step] {
        sequences.keys.sorted { $0.rawValue < $1.rawValue }.compactMap { light in
            guard var sequence = sequences[light], sequence.nextAt <= now else { return nil }
            sequence.isLit = sequence.left.removeFirst()
            sequence.nextAt = now + pause
            let isLast = sequence.left.isEmpty
            sequences[light] = isLast ? nil : sequence
            return Step(light: light, isOn: sequence.isLit, number: sequence.number, isLast: isLast)
        }
    }
}
