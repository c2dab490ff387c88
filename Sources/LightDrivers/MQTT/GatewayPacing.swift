/// When the next command may go to a gateway that passes commands on by radio (Lights 8.1): one every 20 ms.
///
/// Twenty-eight lights that are told at once have lost some of it otherwise.
struct GatewayPacing {
    static let interval = Duration.milliseconds(20)
    /// A command never waits longer than this: its caller is answered after 2 s.
    static let longestWait = Duration.milliseconds(1500)

    private var next: [String: Duration] = [:]

    /// Takes the next turn at a gateway; returns the time to wait for it, nothing without a gateway.
    mutating func wait(for gateway: String?, now: Duration) -> Duration {
        guard let gateway else { return .zero }
        let turn = min(max(next[gateway] ?? now, now), now + Self.longestWait)
        next[gateway] = turn + Self.interval
        return turn - now
    }
}
