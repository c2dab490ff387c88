import CTimer
import Glibc
import SystemKit

/// Reports that the wall clock was set, for example by a time server.
///
/// The kernel cancels a timer with an absolute time when the clock is set (timerfd_create(2)).
enum ClockWatch {
    /// Starts a thread that calls `changed` each time the clock is set.
    ///
    /// - Throws: `SystemError` if the timer can't be set or the thread can't be started.
    static func start(_ changed: @escaping @Sendable () -> Void) throws(SystemError) {
        let timer = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC))
        guard timer >= 0 else { throw .last }
        do throws(SystemError) {
            try arm(timer)
            try DetachedThread.start {
                while wait(for: timer) { changed() }
                close(timer)
            }
        } catch {
            close(timer)
            throw error
        }
    }

    /// Sets the timer to a time in the far future, so that only a change of the clock ends the wait.
    private static func arm(_ timer: Int32) throws(SystemError) {
        var time = itimerspec()
        time.it_value.tv_sec = .max
        guard timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &time, nil) == 0 else {
            throw .last
        }
    }

    /// Waits until the clock is set; returns `false` if the timer has failed.
    private static func wait(for timer: Int32) -> Bool {
        var count: UInt64 = 0
        while true {
            if read(timer, &count, MemoryLayout.size(ofValue: count)) >= 0 || errno == EINTR { continue }
            guard errno == ECANCELED else { return false }
            return (try? arm(timer)) != nil
        }
    }
}
