/// The pace at which a device takes messages: one in each interval, and a few in a row.
struct Pace: Sendable {
    private let interval: Duration
    private let burst: Int
    /// The time at which the device is done with all messages, if it takes one in each interval.
    private var busyUntil = Duration.zero

    init(interval: Duration, burst: Int) {
        self.interval = interval
        self.burst = burst
    }

    /// The time from which the next message may be sent.
    var mayAt: Duration { busyUntil - interval * (burst - 1) }

    mutating func sent(now: Duration) { busyUntil = max(busyUntil, now) + interval }

    /// The device has refused a message for its pace.
    mutating func exceeded(now: Duration) { busyUntil = now + interval * burst }
}
