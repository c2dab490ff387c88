/// The counts of a controller since its creation, for metrics.
public struct ControllerStatistics: Equatable, Sendable {
    /// The number of successful pairings.
    public internal(set) var pairings: UInt64 = 0
    /// The number of attempts to pair that failed or were canceled.
    public internal(set) var failedPairings: UInt64 = 0
    /// The number of sessions, including those after reconnects.
    public internal(set) var sessions: UInt64 = 0
    /// The number of lost sessions and failed attempts to connect.
    public internal(set) var failedConnections: UInt64 = 0
    /// The number of requests to accessories, including those for pairing and encryption.
    public internal(set) var requests: UInt64 = 0
    /// The number of event messages from accessories; a message can contain several values.
    public internal(set) var eventMessages: UInt64 = 0
    /// The number of event messages that were dropped because an accessory sent too many.
    public internal(set) var droppedEventMessages: UInt64 = 0
}
