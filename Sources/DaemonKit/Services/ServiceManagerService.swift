import ServiceLifecycle

/// Keeps the service manager's picture of the daemon true: the status text, the watchdog, the end.
package struct ServiceManagerService: Service {
    /// How often the text is looked at; it is sent only when it has changed.
    private static let statusInterval = Duration.seconds(2)

    private let notifier: ServiceNotifier?
    private let pulse: @Sendable () async -> Void
    private let status: @Sendable () async throws -> String
    private let isLast: @Sendable () -> Bool

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - notifier: tells the service manager; `nil` if there is none.
    ///   - pulse: returns when what carries the daemon's work has had its turn; where that hangs, the watchdog is not fed.
    ///   - status: how the daemon is doing, in one line.
    ///   - isLast: whether the process ends with this service; the service manager would end one that says so and goes on.
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
        // The watchdog is fed to the very end: whoever hangs while going down is ended, too.
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
            notifier.status("Going down.")
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
