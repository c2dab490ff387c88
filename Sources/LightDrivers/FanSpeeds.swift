/// Converts between the speed steps of a fan and percentages, with the same results as Home Assistant.
struct FanSpeeds: Equatable, Sendable {
    /// The device's speeds; the lower bound is the slowest.
    let range: ClosedRange<Int>

    /// Returns the percentage for a speed of the device, rounded down to at least 1.
    ///
    /// Returns `nil` for an invalid speed, such as 0 for off.
    func percent(_ value: Int) -> Int? {
        guard range.contains(value) else { return nil }
        return max(1, (value - range.lowerBound + 1) * 100 / range.count)
    }

    /// Returns the slowest speed of the device that is at least as fast as the given percentage.
    func value(_ percent: Int) -> Int {
        let percent = min(max(percent, 1), 100)
        return (percent * range.count + 99) / 100 + range.lowerBound - 1
    }
}
