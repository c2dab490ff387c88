import Discovery
import HAPModel
import HAPTesting
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("UniquePublisher", .timeout)
struct UniquePublisherTests {
    let record = ServiceRecord(name: "Lamplighter E5FF", type: "_hap._tcp", port: 51826)

    func clone() throws -> DiscoveredService {
        let address = try #require(ServiceAddress(bytes: [10, 0, 0, 1], interface: 2, interfaceName: "eth0"))
        return DiscoveredService(
            id: .init(name: "Lamplighter E5FF", host: "other.local"), port: 51826, txt: ["id": "AA:BB:CC:DD:E5:FF"],
            addresses: [address])
    }

    /// Runs a publisher whose probes all succeed.
    func with(
        asked: @escaping @Sendable () -> Void = {},
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (UniquePublisher, InMemoryDiscovery, InMemoryBrowser, ManualScheduler) async throws -> Void
    ) async throws {
        let (published, browser) = (InMemoryDiscovery(), InMemoryBrowser())
        let scheduler = ManualScheduler(MultiThreadedEventLoopGroup.singleton.next())
        let publisher = UniquePublisher(
            publisher: published, browser: browser,
            watch: CloneWatch(deviceID: try #require(DeviceID("AA:BB:CC:DD:E5:FF")), port: 51826),
            scheduler: scheduler, logger: logger
        ) { _, answer in
            asked()
            answer(true)
        }
        try publisher.start()
        async let watching: Void = publisher.run()
        try await body(publisher, published, browser, scheduler)
        await publisher.stop()
        await watching
    }

    func look(_ services: [DiscoveredService] = []) -> ServiceSnapshot {
        ServiceSnapshot(services: services, isComplete: true, hostName: "bridge.local")
    }

    @Test("publishes the newest record after the first search has found no clone")
    func clear() async throws {
        try await with { publisher, published, browser, _ in
            var newest = record
            newest.txt = ["c#": "2"]
            publisher.publish(record)
            publisher.publish(newest)
            guard case .waiting = publisher.state else { return #expect(Bool(false), "\(publisher.state)") }
            #expect(published.records == [])
            browser.show(look())
            try await eventually("it is published") { publisher.state == .published(name: record.name) }
            #expect(published.records == [newest])
        }
    }

    @Test("warns once that mDNS is unavailable at startup, whether the record or the error is known first")
    func blocked() async throws {
        let warning = "warning: publication blocked state=waiting: there is no D-Bus"
        for recordIsFirst in [true, false] {
            let log = RecordedLog()
            try await with(logger: log.logger) { publisher, published, browser, _ in
                if recordIsFirst { publisher.publish(record) }
                var blocked = ServiceSnapshot()
                blocked.discoveryError = "there is no D-Bus"
                browser.show(blocked)
                publisher.publish(record)
                try await eventually("it is logged") { log.all.contains(warning) }
                publisher.publish(record)
                browser.show(look())
                try await eventually("it is published") { published.record == record }
                #expect(log.all == [warning])
            }
        }
    }

    @Test("withholds the record while another host answers, reports the reason, and publishes when that host leaves")
    func held() async throws {
        let clone = try clone()
        try await with { publisher, published, browser, _ in
            publisher.publish(record)
            browser.show(look([clone]))
            let reason =
                "other.local (10.0.0.1, port 51826) has this bridge's identity; "
                + "stop that bridge, or run lamplighter reset here"
            try await eventually("it is withheld") { publisher.state == .withheld(reason: reason) }
            publisher.publish(record)
            #expect(published.records == [])
            browser.show(look())
            try await eventually("it is published") { published.record == record }
        }
    }

    @Test("withdraws its record for a host that has precedence, and publishes it again when that host leaves")
    func withdrawn() async throws {
        let clone = try clone()
        let address = try #require(ServiceAddress(bytes: [10, 0, 0, 5], interface: 2, interfaceName: "eth0"))
        let own = DiscoveredService(
            id: .init(name: "Lamplighter E5FF", host: "bridge.local"), port: 51826, txt: clone.txt,
            addresses: [address], isLocal: true)
        try await with { publisher, published, browser, scheduler in
            publisher.publish(record)
            browser.show(look([own]))
            try await eventually("it is published") { published.record == record }
            browser.show(look([own, clone]))
            try await eventually("it is withdrawn") { published.records == [record, nil] }
            browser.show(look([own]))
            // The decision changes only after ten seconds, because that's the minimum time between two changes.
            try await eventually("a wake-up is scheduled") { scheduler.timerCount > 0 }
            await scheduler.advance(by: CloneWatch.steadiness)
            try await eventually("it is published again") { published.record == record }
        }
    }

    @Test("wakes up when the next probe is due, even if the probe is moved to an earlier time")
    func wakesAgain() async throws {
        let clone = try clone()
        let asked = Mutex(0)
        try await with(asked: { asked.withLock { $0 += 1 } }) { publisher, published, browser, scheduler in
            publisher.publish(record)
            // Until Avahi is available, the publisher waits for up to half a minute.
            browser.show(ServiceSnapshot())
            try await eventually("a wake-up is scheduled") { scheduler.timerCount > 0 }
            browser.show(ServiceSnapshot(services: [], isComplete: false, hostName: "bridge.local"))
            try await eventually("an earlier wake-up is scheduled") { scheduler.timerCount > 1 }
            await scheduler.advance(by: CloneWatch.timeout)
            try await eventually("it is published") { published.record == record }
            browser.show(look([clone]))
            for count in 1...4 {
                try await eventually("probe \(count) is sent") { asked.withLock { $0 } == count }
                try await eventually("a wake-up is scheduled") { scheduler.timerCount > 0 }
                await scheduler.advance(by: CloneWatch.probeInterval)
            }
        }
    }

    @Test("publishes nothing after it has stopped")
    func ended() async throws {
        let clone = try clone()
        try await with { publisher, published, browser, _ in
            publisher.publish(record)
            browser.show(look([clone]))
            try await eventually("it is withheld") { if case .withheld = publisher.state { true } else { false } }
            await publisher.stop()
            browser.show(look())
            #expect(published.records == [])
        }
    }

    @Test("probes whether another bridge listens, but ignores itself")
    func probes() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let listener = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        func answers(at port: Int, ownPort: Int, first: [UInt8]? = nil) async throws -> Bool {
            let addresses = try ([first].compactMap(\.self) + [[127, 0, 0, 1]]).map {
                try #require(ServiceAddress(bytes: $0, interface: 1, interfaceName: "lo"))
            }
            let service = DiscoveredService(
                id: .init(name: "x", host: "x"), port: UInt16(port), txt: [:], addresses: addresses)
            return await withCheckedContinuation { continuation in
                CloneProbe(loop: group.next(), ownPort: ownPort)(service) { continuation.resume(returning: $0) }
            }
        }
        #expect(try await answers(at: port, ownPort: 1))
        #expect(try await !answers(at: port, ownPort: port))
        // Nothing listens at the first address.
        #expect(try await answers(at: port, ownPort: 1, first: [127, 0, 0, 2]))
        try await listener.close()
        #expect(try await !answers(at: port, ownPort: 1))
    }
}
