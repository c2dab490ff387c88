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

@Suite("A publisher with an identity of its own", .timeout)
struct UniquePublisherTests {
    /// Answers probes as it is told.
    final class Prober: Sendable {
        let answers: Mutex<Bool>
        private let asked: @Sendable () -> Void

        init(_ answers: Bool, asked: @escaping @Sendable () -> Void = {}) {
            self.answers = Mutex(answers)
            self.asked = asked
        }

        func probe(_ service: DiscoveredService, _ tell: @escaping @Sendable (Bool) -> Void) {
            asked()
            tell(answers.withLock { $0 })
        }
    }

    let record = ServiceRecord(name: "Lamplighter E5FF", type: "_hap._tcp", port: 51826)

    func clone() throws -> DiscoveredService {
        let address = try #require(ServiceAddress(bytes: [10, 0, 0, 1], interface: 2, interfaceName: "eth0"))
        return DiscoveredService(
            id: .init(name: "Lamplighter E5FF", host: "other.local"), port: 51826, txt: ["id": "AA:BB:CC:DD:E5:FF"],
            addresses: [address])
    }

    func with(
        _ prober: Prober, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (UniquePublisher, InMemoryDiscovery, InMemoryBrowser, ManualScheduler) async throws -> Void
    ) async throws {
        let (published, browser) = (InMemoryDiscovery(), InMemoryBrowser())
        let scheduler = ManualScheduler(MultiThreadedEventLoopGroup.singleton.next())
        let publisher = UniquePublisher(
            publisher: published, browser: browser,
            watch: CloneWatch(deviceID: try #require(DeviceID("AA:BB:CC:DD:E5:FF")), port: 51826),
            scheduler: scheduler, logger: logger
        ) { prober.probe($0, $1) }
        try publisher.start()
        async let watching: Void = publisher.run()
        try await body(publisher, published, browser, scheduler)
        await publisher.stop()
        await watching
    }

    func look(_ services: [DiscoveredService] = []) -> ServiceSnapshot {
        ServiceSnapshot(services: services, isComplete: true, hostName: "bridge.local")
    }

    @Test("It publishes when the first look found nothing, and the newest record of those wanted before")
    func clear() async throws {
        try await with(Prober(true)) { publisher, published, browser, _ in
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

    @Test("It warns once that mDNS is unavailable at the start, whichever comes first, the record or the error")
    func blocked() async throws {
        let warning = "warning: publication blocked state=waiting: there is no D-Bus"
        for recordIsFirst in [true, false] {
            let log = RecordedLog()
            try await with(Prober(true), logger: log.logger) { publisher, published, browser, _ in
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

    @Test("It stays silent while another host answers, says why, and follows when that goes")
    func held() async throws {
        let clone = try clone()
        try await with(Prober(true)) { publisher, published, browser, _ in
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

    @Test("It asks again by itself, and publishes when no host answers any more")
    func asksAgain() async throws {
        let clone = try clone()
        let prober = Prober(true)
        try await with(prober) { publisher, published, browser, scheduler in
            publisher.publish(record)
            browser.show(look([clone]))
            try await eventually("it is to wake up") { scheduler.timerCount > 0 }
            prober.answers.withLock { $0 = false }
            await scheduler.advance(by: CloneWatch.probeInterval)
            try await eventually("it is published") { published.record == record }
        }
    }

    @Test("What is in sight goes out of it when another that answers comes before it, and comes back when that goes")
    func withdrawn() async throws {
        let clone = try clone()
        let address = try #require(ServiceAddress(bytes: [10, 0, 0, 5], interface: 2, interfaceName: "eth0"))
        let own = DiscoveredService(
            id: .init(name: "Lamplighter E5FF", host: "bridge.local"), port: 51826, txt: clone.txt,
            addresses: [address], isLocal: true)
        try await with(Prober(true)) { publisher, published, browser, scheduler in
            publisher.publish(record)
            browser.show(look([own]))
            try await eventually("it is published") { published.record == record }
            browser.show(look([own, clone]))
            try await eventually("it is withdrawn") { published.records == [record, nil] }
            browser.show(look([own]))
            // Not before ten seconds have passed: minds are not changed more often.
            try await eventually("it is to wake up") { scheduler.timerCount > 0 }
            await scheduler.advance(by: CloneWatch.steadiness)
            try await eventually("it is published again") { published.record == record }
        }
    }

    @Test("It wakes up as often as there is something to ask, and earlier when that comes to be due")
    func wakesAgain() async throws {
        let clone = try clone()
        let asked = Mutex(0)
        let prober = Prober(true) { asked.withLock { $0 += 1 } }
        try await with(prober) { publisher, published, browser, scheduler in
            publisher.publish(record)
            // Without Avahi it would wait for half a minute.
            browser.show(ServiceSnapshot())
            try await eventually("it is to wake up") { scheduler.timerCount > 0 }
            browser.show(ServiceSnapshot(services: [], isComplete: false, hostName: "bridge.local"))
            try await eventually("it is to wake up earlier") { scheduler.timerCount > 1 }
            await scheduler.advance(by: CloneWatch.timeout)
            try await eventually("it is published") { published.record == record }
            browser.show(look([clone]))
            for count in 1...4 {
                try await eventually("it asks for the \(count). time") { asked.withLock { $0 } == count }
                try await eventually("it is to wake up") { scheduler.timerCount > 0 }
                await scheduler.advance(by: CloneWatch.probeInterval)
            }
        }
    }

    @Test("After the end nothing is published, whatever goes or comes")
    func ended() async throws {
        let clone = try clone()
        try await with(Prober(true)) { publisher, published, browser, _ in
            publisher.publish(record)
            browser.show(look([clone]))
            try await eventually("it is withheld") { if case .withheld = publisher.state { true } else { false } }
            await publisher.stop()
            browser.show(look())
            #expect(published.records == [])
        }
    }

    @Test("A probe is answered by who listens, and not by this bridge itself")
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
        // No host listens there.
        #expect(try await answers(at: port, ownPort: 1, first: [127, 0, 0, 2]))
        try await listener.close()
        #expect(try await !answers(at: port, ownPort: 1))
    }
}
