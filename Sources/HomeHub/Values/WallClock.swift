import Glibc

/// The time of day.
enum WallClock {
    /// In milliseconds since 1970 (UTC).
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
