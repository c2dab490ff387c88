import Glibc
import TerminalKit

/// Reports the daemon's state to the service manager, with the protocol of sd_notify(3).
///
/// The protocol is stable and consists of one datagram to a socket, so this type replaces libsystemd, which would add
/// four compression libraries. Without a service manager, calls have no effect. No call blocks.
package final class ServiceNotifier: Sendable {
    /// The maximum interval between calls of ``feedWatchdog()``; `nil` without a watchdog.
    package let watchdogInterval: Duration?

    private let send: @Sendable (String) -> Void

    /// Creates a notifier from the environment of the process; `nil` if no service manager runs the process.
    package convenience init?() {
        self.init(environment: { name in getenv(name).map { String(cString: $0) } })
    }

    /// Creates a notifier from `NOTIFY_SOCKET` and, for the watchdog, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package convenience init?(environment: (String) -> String?) {
        guard let socket = environment("NOTIFY_SOCKET").flatMap({ NotifySocket($0) }) else { return nil }
        self.init(watchdogInterval: Self.watchdogInterval(environment), send: socket.send)
    }

    /// Creates a notifier with a custom send function.
    ///
    /// The watchdog is enabled if `watchdogInterval` isn't `nil`.
    package init(watchdogInterval: Duration?, send: @escaping @Sendable (String) -> Void) {
        self.watchdogInterval = watchdogInterval
        self.send = send
    }

    private static func watchdogInterval(_ environment: (String) -> String?) -> Duration? {
        guard let text = environment("WATCHDOG_USEC"), let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        // The process may have inherited the variables of another process.
        if let pid = environment("WATCHDOG_PID"), Int32(pid) != getpid() { return nil }
        return .microseconds(microseconds)
    }

    // MARK: Notifications

    package func ready() { send("READY=1") }

    /// Reports that the configuration is being reloaded.
    ///
    /// The reload ends with ``ready()``.
    package func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
    }

    package func stopping() { send("STOPPING=1") }

    /// Sets the line that `systemctl status` shows.
    package func status(_ text: String) { send("STATUS=\(text.sanitized)") }

    func feedWatchdog() { send("WATCHDOG=1") }
}

/// The socket of the service manager.
private final class NotifySocket: Sendable {
    private let socket: CInt
    private let address: sockaddr_un
    private let addressLength: socklen_t

    init?(_ path: String) {
        guard let (address, length) = Self.address(of: path) else { return nil }
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard socket >= 0 else { return nil }
        self.address = address
        addressLength = length
    }

    deinit { close(socket) }

    /// Returns the address of a path, or of `@` and an abstract name.
    private static func address(of path: String) -> (sockaddr_un, socklen_t)? {
        var bytes = Array(path.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        // A path also needs room for its terminating zero.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return (address, socklen_t(MemoryLayout<sa_family_t>.size + bytes.count))
    }

    @Sendable func send(_ message: String) {
        var address = address
        let bytes = Array(message.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, addressLength)
            }
        }
    }
}
