/// Paces the commands to a gateway that forwards them by radio (Lights 8.1).
///
/// One command is sent every 20 ms.
///
/// Without pacing, a gateway lost some commands when they were sent to 28 lights at once.
struct GatewayPacing {
    static let interval = Duration.milliseconds(20)
    /// The longest delay of a command.
    ///
    /// It is less than 2 s, after which the caller gives up.
    static let longestWait = Duration.milliseconds(1500)

    private var next: [String: Duration] = [:]

    /// Reserves the next time slot of a gateway.
    ///
    /// Returns the delay until that slot, or zero if `gateway` is `nil`.
    mutating func wait(for gateway: String?, now: Duration) -> Duration {
        guard let gateway else { return .zero }
        let turn = min(max(next[gateway] ?? now, now), now + Self.longestWait)
        next[gateway] = turn + Self.interval
        return turn - now
    }
}
