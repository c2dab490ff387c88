/// The pace at which a device accepts messages: one per interval on average, and a few in a row.
struct Pace: Sendable {
    private let interval: Duration
    private let burst: Int
    /// The time at which the device will have processed all messages if it processes one per interval.
    private var busyUntil = Duration.zero

    init(interval: Duration, burst: Int) {
        self.interval = interval
        self.burst = burst
    }

    /// The earliest time at which the next message may be sent.
    var mayAt: Duration { busyUntil - interval * (burst - 1) }

    mutating func sent(now: Duration) { busyUntil = max(busyUntil, now) + interval }

    /// Delays further messages after the device has rejected a message that was sent too soon.
    mutating func exceeded(now: Duration) { busyUntil = now + interval * burst }
}
