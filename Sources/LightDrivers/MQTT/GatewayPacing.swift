/// Paces the commands to a gateway that forwards them by radio (Lights 8.1): one every 20 ms.
///
/// Without pacing, a gateway loses some of the commands that are sent to 28 lights at once.
struct GatewayPacing {
    static let interval = Duration.milliseconds(20)
    /// The longest delay of a command, because its caller gets an answer after 2 s.
    static let longestWait = Duration.milliseconds(1500)

    private var next: [String: Duration] = [:]

    /// Reserves the next slot of a gateway and returns the delay until then; zero without a gateway.
    mutating func wait(for gateway: String?, now: Duration) -> Duration {
        guard let gateway else { return .zero }
        let turn = min(max(next[gateway] ?? now, now), now + Self.longestWait)
        next[gateway] = turn + Self.interval
        return turn - now
    }
}
