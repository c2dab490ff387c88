import Glibc
import TestTimeouts
import Testing

@testable import DaemonKit

@Suite("What the service manager is notified", .timeout)
struct ServiceNotifierTests {
    /// A service manager's end of the protocol.
    final class Manager {
        let name: String
        private let socket: CInt

        init(abstract: Bool) throws {
            name = (abstract ? "@" : "/tmp/") + "lamplighter-notify-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
            socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_NONBLOCK, 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(name.utf8)
            if abstract { bytes[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
            }
            try #require(result == 0)
        }

        deinit {
            close(socket)
            if name.hasPrefix("/") { unlink(name) }
        }

        /// The next datagram; datagrams to a local socket are there as soon as they are sent.
        func next() -> String? {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(socket, &bytes, bytes.count, 0)
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    @Test("each message is one datagram, to a path or to an abstract name", arguments: [true, false])
    func messages(abstract: Bool) throws {
        let manager = try Manager(abstract: abstract)
        let notifier = try #require(ServiceNotifier { ["NOTIFY_SOCKET": manager.name][$0] })
        notifier.ready()
        #expect(manager.next() == "READY=1")
        notifier.status("three lights\nREADY=1")
        #expect(manager.next()?.contains("\nREADY") == false)
        notifier.feedWatchdog()
        #expect(manager.next() == "WATCHDOG=1")
        notifier.reloading()
        let reloading = try #require(manager.next())
        // It tells this reload from others by its time on this clock.
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let head = "RELOADING=1\nMONOTONIC_USEC="
        #expect(reloading.hasPrefix(head))
        let time = try #require(Int(reloading.dropFirst(head.count)))
        #expect((0...60_000_000).contains(now.tv_sec * 1_000_000 + now.tv_nsec / 1000 - time))
        notifier.stopping()
        #expect(manager.next() == "STOPPING=1")
        #expect(manager.next() == nil)
    }

    @Test("nothing is told where no process listens")
    func noPeer() throws {
        #expect(ServiceNotifier { _ in nil } == nil)
        #expect(ServiceNotifier { _ in "" } == nil)
        #expect(ServiceNotifier { _ in "relative" } == nil)
        #expect(ServiceNotifier { _ in "/" + String(repeating: "x", count: 200) } == nil)
        // A manager that is gone is no reason to fail.
        let gone = try #require(ServiceNotifier { ["NOTIFY_SOCKET": "/nowhere/notify"][$0] })
        gone.ready()
    }

    @Test("a service manager that does not read delays no process")
    func full() throws {
        let manager = try Manager(abstract: true)
        let notifier = try #require(ServiceNotifier { ["NOTIFY_SOCKET": manager.name][$0] })
        for _ in 0..<10_000 { notifier.feedWatchdog() }
        var count = 0
        while manager.next() != nil { count += 1 }
        #expect((1..<10_000).contains(count))
    }

    @Test(
        "the watchdog's time is this process's only",
        arguments: [
            ("30000000", nil, Duration.seconds(30)), ("30000000", "1", nil), ("0", nil, nil), ("-5", nil, nil),
            ("soon", nil, nil), (nil, nil, nil), ("500000", "self", .milliseconds(500)),
        ] as [(String?, String?, Duration?)])
    func watchdog(time: String?, pid: String?, interval: Duration?) throws {
        let pid = pid == "self" ? "\(getpid())" : pid
        let environment = ["NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": time, "WATCHDOG_PID": pid]
        let notifier = try #require(ServiceNotifier { environment[$0] ?? nil })
        #expect(notifier.watchdogInterval == interval)
    }
}
