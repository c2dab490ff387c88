/// What became of things that were asked for, and how long they took.
package struct OutcomeStatistics<Outcome: Hashable & Sendable>: Equatable, Sendable {
    package private(set) var outcomes: [Outcome: UInt64] = [:]
    package private(set) var latency = LatencyHistogram()

    package init() {}

    /// Something has ended.
    ///
    /// - Parameters:
    ///   - outcome: how.
    ///   - duration: how long it took.
    package mutating func ended(_ outcome: Outcome, after duration: Duration) {
        outcomes[outcome, default: 0] += 1
        latency.record(duration)
    }
}
