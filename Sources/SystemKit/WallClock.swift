import Glibc

/// The time of day and the uptime.
package enum WallClock {
    /// The current time in milliseconds since 1970 (UTC).
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Returns the time of a file's last change in milliseconds since 1970 (UTC); `nil` if the file doesn't exist.
    package static func lastChange(of path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    }

    /// The time since the system started in milliseconds, including the time in which it was suspended.
    ///
    /// Unlike the time of day, it never jumps.
    package static var uptime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Returns a time in RFC 3339 format in UTC: `2026-11-21T18:05:09Z`, or `2026-11-21T18:05:09.042Z`.
    ///
    /// `moment` is the time in milliseconds since 1970. If its year can't be represented, the result is `-`.
    package static func text(of moment: Int64, showsMilliseconds: Bool = false) -> String {
        let milliseconds = (moment % 1000 + 1000) % 1000
        var seconds = time_t(moment / 1000 - (moment % 1000 < 0 ? 1 : 0))
        var time = tm()
        guard gmtime_r(&seconds, &time) != nil else { return "-" }
        func joined(_ parts: [Int32], _ separator: String) -> String {
            parts.map { padded(Int($0), 2) }.joined(separator: separator)
        }
        let date = joined([time.tm_year + 1900, time.tm_mon + 1, time.tm_mday], "-")
        let fraction = showsMilliseconds ? "." + padded(Int(milliseconds), 3) : ""
        return date + "T" + joined([time.tm_hour, time.tm_min, time.tm_sec], ":") + fraction + "Z"
    }

    /// Returns a time in the time zone of the process: `2026-11-21 19:05:09`.
    ///
    /// `moment` is the time in milliseconds since 1970. If its year can't be represented, the result is `-`.
    package static func localText(of moment: Int64) -> String {
        var seconds = time_t(moment / 1000 - (moment % 1000 < 0 ? 1 : 0))
        var time = tm()
        guard localtime_r(&seconds, &time) != nil else { return "-" }
        let date = [time.tm_year + 1900, time.tm_mon + 1, time.tm_mday].map { padded(Int($0), 2) }
        let clock = [time.tm_hour, time.tm_min, time.tm_sec].map { padded(Int($0), 2) }
        return date.joined(separator: "-") + " " + clock.joined(separator: ":")
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
