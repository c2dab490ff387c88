package import HomeModel
internal import SystemKit

/// The wall-clock time, together with the time of a clock that can't be set.
///
/// A comparison of two readings shows whether the wall clock was set between them.
package struct ClockReading: Sendable, Hashable {
    /// The wall-clock time.
    package var time: Timestamp
    /// The time since an arbitrary start, including the time during which the computer was suspended.
    package var uptime: Duration

    package init(time: Timestamp, uptime: Duration) {
        self.time = time
        self.uptime = uptime
    }

    /// The system's current reading.
    package static var now: ClockReading {
        ClockReading(time: .now, uptime: .milliseconds(WallClock.uptime))
    }

    /// Returns the duration by which the wall clock was set forward since an earlier reading.
    ///
    /// The result is negative if the clock was set back, and zero if it wasn't set.
    func adjustment(since former: ClockReading) -> Duration {
        let difference = former.time.duration(to: time) - (uptime - former.uptime)
        return difference < Self.tolerance && difference > .zero - Self.tolerance ? .zero : difference
    }

    /// The largest difference between the clocks that counts as drift.
    private static let tolerance = Duration.seconds(1)
}
