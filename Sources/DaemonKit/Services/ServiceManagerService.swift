import ServiceLifecycle

/// Reports the daemon's state to the service manager: the status text, the watchdog, and the shutdown.
package struct ServiceManagerService: Service {
    /// The interval at which the status text is updated.
    ///
    /// It is sent only if it has changed.
    private static let statusInterval = Duration.seconds(2)

    private let notifier: ServiceNotifier?
    private let pulse: @Sendable () async -> Void
    private let status: @Sendable () async throws -> String
    private let isLast: @Sendable () -> Bool

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - notifier: The connection to the service manager; `nil` without one.
    ///   - pulse: A closure that returns once the executor of the daemon's work has run. If the executor hangs, the
    ///     watchdog isn't notified.
    ///   - status: A closure that returns the daemon's status in one line.
    ///   - isLast: A closure that returns whether the process ends with this service. Only then is the shutdown
    ///     reported, because the service manager kills a process that reports its shutdown but continues to run.
    package init(
        notifier: ServiceNotifier?, pulse: @escaping @Sendable () async -> Void,
        status: @escaping @Sendable () async throws -> String, isLast: @escaping @Sendable () -> Bool = { true }
    ) {
        self.notifier = notifier
        self.pulse = pulse
        self.status = status
        self.isLast = isLast
    }

    package func run() async throws {
        guard let notifier else {
            try? await gracefulShutdown()
            return
        }
        // Notify the watchdog until the end, so that a daemon that hangs during its shutdown is killed, too.
        await withDiscardingTaskGroup { group in
            if let interval = notifier.watchdogInterval {
                group.addTask {
                    repeat {
                        await pulse()
                        notifier.feedWatchdog()
                    } while (try? await Task.sleep(for: interval / 3)) != nil
                }
            }
            await cancelWhenGracefulShutdown { await show(notifier) }
            if isLast() { notifier.stopping() }
            notifier.status("Shutting down.")
            group.cancelAll()
        }
    }

    private func show(_ notifier: ServiceNotifier) async {
        var shown = ""
        repeat {
            guard let text = try? await status(), text != shown else { continue }
            shown = text
            notifier.status(text)
        } while (try? await Task.sleep(for: Self.statusInterval)) != nil
    }
}
