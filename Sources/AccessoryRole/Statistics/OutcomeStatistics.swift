package import HAPProtocol

/// What became of things that were asked for, and how long they took.
package struct OutcomeStatistics<Outcome: Hashable & Sendable>: Equatable, Sendable {
    private struct Count: Equatable, Sendable {
        let outcome: Outcome
        var number: UInt64
    }

    /// A handful, the first one mostly: looked through sooner than hashed.
    private var counts: [Count] = []
    package private(set) var latency = LatencyHistogram()

    package init() {}

    /// How often each has come out.
    package var outcomes: [Outcome: UInt64] {
        Dictionary(uniqueKeysWithValues: counts.map { ($0.outcome, $0.number) })
    }

    /// Counts another's outcomes as well.
    package mutating func add(_ other: OutcomeStatistics) {
        for count in other.counts { add(count.outcome, count.number) }
        latency.add(other.latency)
    }

    private mutating func add(_ outcome: Outcome, _ number: UInt64) {
        if let index = counts.firstIndex(where: { $0.outcome == outcome }) {
            counts[index].number += number
        } else {
            counts.append(Count(outcome: outcome, number: number))
        }
    }

    /// Something has ended.
    package mutating func ended(_ outcome: Outcome, after duration: Duration) {
        add(outcome, 1)
        latency.record(duration)
    }
}

extension OutcomeStatistics where Outcome == HAPStatus {
    /// A command to a device has ended.
    ///
    /// Compiled here for its type: generic code that another module calls looks its type up with each call.
    package mutating func commandEnded(_ status: HAPStatus, after duration: Duration) { ended(status, after: duration) }
}
