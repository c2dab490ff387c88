/// How long something took, as counts in fixed steps.
package struct LatencyHistogram: Equatable, Sendable {
    /// Where the steps end, that which is slower than all of them aside: from an answer out of memory to more than the
    /// 3 s that a controller waits.
    package static let bounds: [Duration] = [
        .milliseconds(1), .milliseconds(5), .milliseconds(25), .milliseconds(100), .milliseconds(250),
        .milliseconds(500), .seconds(1), .seconds(2), .seconds(3),
    ]

    /// How many ended in each step; the last are those beyond all bounds.
    package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// All of them together.
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
