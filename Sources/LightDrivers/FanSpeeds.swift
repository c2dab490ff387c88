/// The conversion between a fan's steps and percentages, with the same results as in Home Assistant.
struct FanSpeeds: Equatable, Sendable {
    /// The device's speeds, the slowest first.
    let range: ClosedRange<Int>

    /// Returns the percentage of a device's speed, rounded down; `nil` for an invalid speed, such as 0 for off.
    func percent(_ value: Int) -> Int? {
        guard range.contains(value) else { return nil }
        return max(1, (value - range.lowerBound + 1) * 100 / range.count)
    }

    /// Returns the device's speed for a percentage: the lowest that isn't slower.
    func value(_ percent: Int) -> Int {
        let percent = min(max(percent, 1), 100)
        return (percent * range.count + 99) / 100 + range.lowerBound - 1
    }
}
