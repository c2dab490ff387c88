import Glibc
import TestTimeouts
import Testing

@testable import DaemonKit

@Suite("ServiceNotifier", .timeout)
struct ServiceNotifierTests {
    @Test("sends each message as one datagram to a path or an abstract name", arguments: [true, false])
    func messages(abstract: Bool) throws {
        let manager = try DatagramSocket(abstract: abstract)
        let notifier = try #require(ServiceNotifier { ["NOTIFY_SOCKET": manager.name][$0] })
        notifier.ready()
        #expect(manager.next() == "READY=1")
        notifier.status("three lights\nREADY=1")
        #expect(manager.next()?.contains("\nREADY") == false)
        notifier.feedWatchdog()
        #expect(manager.next() == "WATCHDOG=1")
        notifier.reloading()
        let reloading = try #require(manager.next())
        // The time on this clock identifies the reload.
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

    @Test("sends nothing if no process listens")
    func noPeer() throws {
        #expect(ServiceNotifier { _ in nil } == nil)
        #expect(ServiceNotifier { _ in "" } == nil)
        #expect(ServiceNotifier { _ in "relative" } == nil)
        #expect(ServiceNotifier { _ in "/" + String(repeating: "x", count: 200) } == nil)
        // A missing service manager isn't an error.
        let gone = try #require(ServiceNotifier { ["NOTIFY_SOCKET": "/nowhere/notify"][$0] })
        gone.ready()
    }

    @Test("doesn't wait for a service manager that reads nothing")
    func full() throws {
        let manager = try DatagramSocket(abstract: true)
        let notifier = try #require(ServiceNotifier { ["NOTIFY_SOCKET": manager.name][$0] })
        for _ in 0..<10_000 { notifier.feedWatchdog() }
        var count = 0
        while manager.next() != nil { count += 1 }
        #expect((1..<10_000).contains(count))
    }

    @Test(
        "reads the watchdog interval of this process only",
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
