package import HomeModel
internal import SystemKit

/// The wall-clock time together with the time of a clock that is never set.
///
/// Two readings show whether the wall clock was set in between.
package struct ClockReading: Sendable, Hashable {
    /// The wall-clock time.
    package var time: Timestamp
    /// The time since an arbitrary start, including time in suspension.
    package var uptime: Duration

    package init(time: Timestamp, uptime: Duration) {
        self.time = time
        self.uptime = uptime
    }

    /// The system's current reading.
    package static var now: ClockReading {
        ClockReading(time: .now, uptime: .milliseconds(WallClock.uptime))
    }

    /// Returns how far the wall clock was set since another reading; zero if it wasn't set.
    func adjustment(since former: ClockReading) -> Duration {
        let difference = former.time.duration(to: time) - (uptime - former.uptime)
        return difference < Self.tolerance && difference > .zero - Self.tolerance ? .zero : difference
    }

    /// The largest difference between the clocks that counts as drift.
    private static let tolerance = Duration.seconds(1)
}
