internal import Glibc
import ServiceLifecycle

/// Returns free heap memory to the system.
///
/// A temporary load, such as a backup, leaves free memory that the C library would keep permanently.
///
/// A busy daemon returns memory every minute. An idle daemon has little to return, so it is woken only every ten
/// minutes.
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

    /// Returns the delay before the next run.
    ///
    /// `processorTime` is the processor time that was used since the last run.
    static func pause(afterUsing processorTime: Duration) -> Duration {
        processorTime < .milliseconds(100) ? pauseAtRest : pauseAtWork
    }

    /// The processor time of all threads of the process.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
