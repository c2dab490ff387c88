/// The pace at which a device accepts messages: one in each interval, and a few in a row.
struct Pace: Sendable {
    private let interval: Duration
    private let burst: Int
    /// The time at which the device has processed all messages, if it processes one in each interval.
    private var busyUntil = Duration.zero

    init(interval: Duration, burst: Int) {
        self.interval = interval
        self.burst = burst
    }

    /// The time from which the next message may be sent.
    var mayAt: Duration { busyUntil - interval * (burst - 1) }

    mutating func sent(now: Duration) { busyUntil = max(busyUntil, now) + interval }

    /// Delays messages after the device has refused one because of its pace.
    mutating func exceeded(now: Duration) { busyUntil = now + interval * burst }
}
