internal import AccessoryRole

/// The counts of a host since its creation, for metrics.
public struct AccessoryHostStatistics: Equatable, Sendable {
    /// The number of open connections.
    public let openConnections: Int
    /// The number of open connections whose controller is paired and verified.
    public let openSessions: Int
    /// The number of accepted connections.
    public let connections: UInt64
    /// The number of connections that the host refused or closed because there were too many connections, the peer read
    /// no data for 30 s, or an unauthenticated address exceeded its rate limit.
    public let refusedConnections: UInt64
    /// The number of answered requests.
    public let requests: UInt64
    /// The number of requests that got an HTTP error, 400 to 599.
    ///
    /// A valid request with a refused value doesn't count.
    public let failedRequests: UInt64
    /// The number of event messages to controllers; a message can contain several values.
    public let eventMessages: UInt64
    /// The number of changed values that weren't sent to a subscriber because its connection ended.
    public let droppedEvents: UInt64
    /// The number of attempts to pair with a wrong setup code.
    public let wrongSetupCodes: UInt64

    init(_ statistics: ServerStatistics, openConnections: Int, openSessions: Int) {
        self.openConnections = openConnections
        self.openSessions = openSessions
        connections = statistics.connections
        refusedConnections = statistics.crowdedOut + statistics.stalled + statistics.throttled
        let statuses = statistics.requests.values.flatMap(\.outcomes)
        requests = statuses.reduce(0) { $0 + $1.value }
        failedRequests = statuses.reduce(0) { $1.key >= 400 ? $0 + $1.value : $0 }
        eventMessages = statistics.eventMessages
        droppedEvents = statistics.eventsDropped
        wrongSetupCodes = statistics.wrongSetupCodes
    }
}

extension AccessoryHost {
    /// The counts of the host since its creation.
    ///
    /// Reading this property is cheap, so read it whenever your metrics are collected.
    public var statistics: AccessoryHostStatistics { get async { await server.hostStatistics } }
}

extension AccessoryServer {
    /// The counts at one point in time.
    fileprivate var hostStatistics: AccessoryHostStatistics {
        AccessoryHostStatistics(statistics, openConnections: connectionCount, openSessions: controllerCount)
    }
}
