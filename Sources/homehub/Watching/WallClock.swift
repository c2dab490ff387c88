import Glibc

/// The time of day as people see it.
enum WallClock {
    /// Milliseconds since 1970 (UTC).
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// A moment in the time zone of whoever looks, `18:05:09`.
    ///
    /// - Parameter moment: in milliseconds since 1970 (UTC).
    /// - Returns: hours, minutes and seconds.
    static func text(of moment: Int64) -> String {
        var seconds = time_t(moment / 1000)
        var time = tm()
        guard localtime_r(&seconds, &time) != nil else { return "--:--:--" }
        return [time.tm_hour, time.tm_min, time.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
