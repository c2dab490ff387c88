import Glibc
import TerminalKit

/// Tells the service manager how the daemon is doing, by the protocol of sd_notify(3).
///
/// The protocol is one datagram to a named socket and promised to stay so; libsystemd would bring four compression
/// libraries along for it. Where no service manager listens, every call does nothing. No call waits.
package final class ServiceNotifier: Sendable {
    /// How often ``feedWatchdog()`` has to be called, at least; `nil` if there is no watchdog.
    package let watchdogInterval: Duration?

    private let send: @Sendable (String) -> Void

    /// The notifier that the process's environment asks for, or `nil` if no service manager listens.
    package convenience init?() {
        self.init(environment: { name in getenv(name).map { String(cString: $0) } })
    }

    /// Creates a notifier from `NOTIFY_SOCKET` and, for the watchdog, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package convenience init?(environment: (String) -> String?) {
        guard let socket = environment("NOTIFY_SOCKET").flatMap({ NotifySocket($0) }) else { return nil }
        self.init(watchdogInterval: Self.watchdogInterval(environment), send: socket.send)
    }

    /// Creates a notifier that sends elsewhere; an interval enables the watchdog.
    package init(watchdogInterval: Duration?, send: @escaping @Sendable (String) -> Void) {
        self.watchdogInterval = watchdogInterval
        self.send = send
    }

    private static func watchdogInterval(_ environment: (String) -> String?) -> Duration? {
        guard let text = environment("WATCHDOG_USEC"), let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        // It may be meant for another process that has our environment.
        if let pid = environment("WATCHDOG_PID"), Int32(pid) != getpid() { return nil }
        return .microseconds(microseconds)
    }

    // MARK: What is told

    package func ready() { send("READY=1") }

    /// The configuration is being read again; ``ready()`` ends it.
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

/// The socket on which a service manager listens.
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

    /// The path of a socket, or `@` and a name without a file.
    private static func address(of path: String) -> (sockaddr_un, socklen_t)? {
        var bytes = Array(path.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        // With room for the zero that ends a path.
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
