internal import Glibc
import ServiceLifecycle

/// Gives the system back what the heap has free: a busy moment, such as a backup, leaves holes that the C library keeps for
/// ever.
///
/// A daemon at work does so every minute. One at rest leaves nothing behind, and is hardly woken for it.
package struct SpareMemoryService: Service {
    private static let pauseAtWork = Duration.seconds(60)
    private static let pauseAtRest = Duration.seconds(600)

    package init() {}

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var known = Self.processorTime
            var pause = Self.pauseAtWork
            while (try? await Task.sleep(for: pause)) != nil {
                Allocator.giveBack()
                let now = Self.processorTime
                pause = Self.pause(afterUsing: now - known)
                known = now
            }
        }
    }

    /// Returns the pause before the next look for free memory, after this much processor time since the last one.
    static func pause(afterUsing processorTime: Duration) -> Duration {
        processorTime < .milliseconds(100) ? pauseAtRest : pauseAtWork
    }

    /// What all threads of the process have used so far.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
