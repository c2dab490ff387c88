/// The statistics of an accessory server since its start.
///
/// Counts only increase.
package struct ServerStatistics: Equatable, Sendable {
    /// The responses of each endpoint by HTTP status, with their durations since the last byte of the request.
    package var requests: [Route: OutcomeStatistics<Int>] {
        Dictionary(uniqueKeysWithValues: zip(Route.allCases, answered).filter { $1 != OutcomeStatistics() })
    }
    private var answered = [OutcomeStatistics<Int>](repeating: OutcomeStatistics(), count: Route.allCases.count)

    /// The number of accepted connections.
    package var connections: UInt64 = 0
    /// The number of connections closed because of the connection limit.
    package var crowdedOut: UInt64 = 0
    /// The number of connections closed because their peer stopped reading.
    package var stalled: UInt64 = 0
    /// The number of connections closed because their address exceeded the rate limit.
    package var throttled: UInt64 = 0
    /// The number of pair setup proofs that were computed with a wrong setup code.
    package var wrongSetupCodes: UInt64 = 0

    /// The number of attempts to pair with an already paired bridge.
    package var refusedSetups: UInt64 = 0

    /// The number of event messages sent.
    package var eventMessages: UInt64 = 0
    /// The number of changed values in the sent messages.
    package var eventsSent: UInt64 = 0
    /// The number of changed values that a newer value replaced before delivery.
    package var eventsCoalesced: UInt64 = 0
    /// The number of changed values dropped because the connection ended.
    package var eventsDropped: UInt64 = 0

    package init() {}

    /// Adds the counts and durations of the given statistics.
    package mutating func add(_ other: ServerStatistics) {
        for index in answered.indices { answered[index].add(other.answered[index]) }
        let counts: [WritableKeyPath<ServerStatistics, UInt64>] = [
            \.connections, \.crowdedOut, \.stalled, \.throttled, \.wrongSetupCodes, \.refusedSetups, \.eventMessages,
            \.eventsSent, \.eventsCoalesced, \.eventsDropped,
        ]
        for count in counts { self[keyPath: count] += other[keyPath: count] }
    }

    /// Records a response.
    mutating func answered(_ route: Route, _ status: Int, after duration: Duration) {
        answered[route.rawValue].ended(status, after: duration)
    }
}
