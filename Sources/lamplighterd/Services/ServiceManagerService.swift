import BridgeControl
import DaemonKit
import NIOCore
import ServiceLifecycle

/// Keeps the service manager's picture of the daemon true: the status text, the watchdog, the end.
///
/// The event loop that carries the sessions feeds the watchdog itself, so a loop that hangs is noticed.
struct ServiceManagerService: Service {
    /// How often the text is looked at; it is sent only when it has changed.
    private static let statusInterval = Duration.seconds(2)

    let notifier: ServiceNotifier?
    let loop: any EventLoop
    let status: @Sendable () async throws -> BridgeStatus
    /// Whether the process ends with the bridge; the service manager would end one that says so and goes on.
    let isLast: @Sendable () -> Bool

    func run() async throws {
        guard let notifier else {
            try? await gracefulShutdown()
            return
        }
        let feeding = notifier.watchdogInterval.map { interval in
            loop.scheduleRepeatedTask(initialDelay: .zero, delay: TimeAmount(interval / 3)) { _ in
                notifier.feedWatchdog()
            }
        }
        await cancelWhenGracefulShutdown {
            var shown = ""
            repeat {
                guard let text = try? await status().sentence, text != shown else { continue }
                shown = text
                notifier.status(text)
            } while (try? await Task.sleep(for: Self.statusInterval)) != nil
        }
        if isLast() { notifier.stopping() }
        notifier.status("Going down.")
        feeding?.cancel()
    }
}

extension BridgeStatus {
    /// How the bridge is doing, in one line.
    var sentence: String {
        var parts: [String] = []
        switch advertisement.state {
        case "published": parts.append("advertised as \"\(advertisement.name)\"")
        case "off": parts.append("not advertised")
        default:
            let reason = warnings.first { $0.hasPrefix("not advertised") }
            parts.append(reason ?? "not advertised yet")
        }
        parts.append(
            paired
                ? "paired, \(controllers) \(controllers == 1 ? "controller" : "controllers") connected" : "not paired")
        let missing = lights.count - lights.reachable
        parts.append(
            "\(lights.count) \(lights.count == 1 ? "light" : "lights")"
                + (missing > 0 ? ", \(missing) out of reach" : ""))
        let others = warnings.count { !$0.hasPrefix("not advertised") }
        if others > 0 { parts.append("\(others) \(others == 1 ? "warning" : "warnings"), see lamplighter status") }
        return parts.joined(separator: "; ").capitalizedStart + "."
    }
}

extension String {
    fileprivate var capitalizedStart: String { prefix(1).uppercased() + dropFirst() }
}
