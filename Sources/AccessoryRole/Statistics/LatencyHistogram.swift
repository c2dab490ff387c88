/// A histogram of durations in fixed buckets.
package struct LatencyHistogram: Equatable, Sendable {
    /// The upper bounds of the buckets, except the last one, which is unbounded.
    ///
    /// They range from the duration of a response from memory to 3 s, the time for which a controller waits.
    package static let bounds: [Duration] = [
        .milliseconds(1), .milliseconds(5), .milliseconds(25), .milliseconds(100), .milliseconds(250),
        .milliseconds(500), .seconds(1), .seconds(2), .seconds(3),
    ]

    /// The number of durations in each bucket; the last bucket counts durations above all bounds.
    package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of all durations.
    package private(set) var sum = Duration.zero

    package init() {}

    mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }

    package mutating func record(_ duration: Duration) {
        counts[Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count] += 1
        sum += duration
    }
}
