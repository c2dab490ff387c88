import Glibc

/// The time as people see it.
enum WallClock {
    /// Milliseconds since 1970 (UTC).
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// A moment as `lamplighter watch` writes it, `2026-11-21T18:05:09Z`: who looks through a night's lines knows the day.
    ///
    /// - Parameter moment: in milliseconds since 1970 (UTC).
    /// - Returns: the date and the time in UTC.
    static func text(of moment: Int64) -> String {
        var seconds = time_t(moment / 1000)
        var time = tm()
        guard gmtime_r(&seconds, &time) != nil else { return "-" }
        func joined(_ parts: [Int32], _ separator: String) -> String {
            parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: separator)
        }
        let date = joined([time.tm_year + 1900, time.tm_mon + 1, time.tm_mday], "-")
        return date + "T" + joined([time.tm_hour, time.tm_min, time.tm_sec], ":") + "Z"
    }
}
