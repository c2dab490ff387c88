import AsyncKit
import HomeHub
import Logging
import ServiceLifecycle
import SystemKit

/// Notifies the hub when the wall clock is set.
///
/// Without this service, it could take the hub up to a minute to notice the change.
struct ClockService: ServiceLifecycle.Service {
    let hub: HomeHub
    let logger: Logger

    func run() async throws {
        let changed = AsyncSignal()
        do throws(SystemError) {
            try ClockWatch.start { changed.send() }
        } catch {
            logger.warning("clock watch failed", metadata: ["error": "\(error.reason)"])
        }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                guard await changed.wait() else { continue }
                logger.notice("clock set")
                await hub.checkClock()
            }
        }
    }
}
