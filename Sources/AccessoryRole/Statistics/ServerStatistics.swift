/// What an accessory server has done since its start; counts only rise.
package struct ServerStatistics: Equatable, Sendable {
    /// The answers of each endpoint by HTTP status, and how long they took from the request's last byte on.
    package var requests: [Route: OutcomeStatistics<Int>] {
        Dictionary(uniqueKeysWithValues: zip(Route.allCases, answered).filter { $1 != OutcomeStatistics() })
    }
    private var answered = [OutcomeStatistics<Int>](repeating: OutcomeStatistics(), count: Route.allCases.count)

    /// Connections that were taken.
    package var connections: UInt64 = 0
    /// Connections that were closed because there were too many.
    package var crowdedOut: UInt64 = 0
    /// Connections that were closed because their peer took nothing of what it was sent.
    package var stalled: UInt64 = 0
    /// Connections that were closed because their address had exceeded the rate limit.
    package var throttled: UInt64 = 0
    /// Proofs of pair setup that came from a wrong setup code.
    package var wrongSetupCodes: UInt64 = 0

    /// Attempts to pair with a bridge that is paired.
    package var refusedSetups: UInt64 = 0

    /// Event messages that were sent.
    package var eventMessages: UInt64 = 0
    /// Changed values in them.
    package var eventsSent: UInt64 = 0
    /// Changed values that were never sent, because a newer one came before their time.
    package var eventsCoalesced: UInt64 = 0
    /// Changed values that were never sent, because the connection ended before.
    package var eventsDropped: UInt64 = 0

    package init() {}

    /// Counts what another server has done as well.
    package mutating func add(_ other: ServerStatistics) {
        for index in answered.indices { answered[index].add(other.answered[index]) }
        let counts: [WritableKeyPath<ServerStatistics, UInt64>] = [
            \.connections, \.crowdedOut, \.stalled, \.throttled, \.wrongSetupCodes, \.refusedSetups, \.eventMessages,
            \.eventsSent, \.eventsCoalesced, \.eventsDropped,
        ]
        for count in counts { self[keyPath: count] += other[keyPath: count] }
    }

    /// A request has been answered.
    mutating func answered(_ route: Route, _ status: Int, after duration: Duration) {
        answered[route.rawValue].ended(status, after: duration)
    }
}
