/// The speeds of a fan that has steps, and what they are in percent, counted as Home Assistant does.
struct FanSpeeds: Equatable, Sendable {
    /// The device's speeds, the slowest first.
    let range: ClosedRange<Int>

    /// Percent of a device's speed, rounded down; `nil` if it is none of its speeds, such as 0 for off.
    func percent(_ value: Int) -> Int? {
        guard range.contains(value) else { return nil }
        return max(1, (value - range.lowerBound + 1) * 100 / range.count)
    }

    /// The device's speed for percent: the lowest that is not slower.
    func value(_ percent: Int) -> Int {
        let percent = min(max(percent, 1), 100)
        return (percent * range.count + 99) / 100 + range.lowerBound - 1
    }
}
