package import HAPProtocol

/// The counts and durations of operations by outcome.
package struct OutcomeStatistics<Outcome: Hashable & Sendable>: Equatable, Sendable {
    private struct Count: Equatable, Sendable {
        let outcome: Outcome
        var number: UInt64
    }

    /// The counts by outcome.
    ///
    /// A search is faster than hashing, because there are few outcomes and the first one usually matches.
    private var counts: [Count] = []
    package private(set) var latency = LatencyHistogram()

    package init() {}

    /// The number of operations with each outcome.
    package var outcomes: [Outcome: UInt64] {
        Dictionary(uniqueKeysWithValues: counts.map { ($0.outcome, $0.number) })
    }

    /// Adds the counts and durations of the given statistics.
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

    /// Records the end of an operation.
    package mutating func ended(_ outcome: Outcome, after duration: Duration) {
        add(outcome, 1)
        latency.record(duration)
    }
}

extension OutcomeStatistics where Outcome == HAPStatus {
    /// Records the end of a command to a device.
    ///
    /// This method avoids the type lookup of a generic method that is called from another module.
    package mutating func commandEnded(_ status: HAPStatus, after duration: Duration) { ended(status, after: duration) }
}
