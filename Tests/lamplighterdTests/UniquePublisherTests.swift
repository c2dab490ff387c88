import Discovery
import HAPModel
import HAPTesting
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import lamplighterd

@Suite("A publisher that shares its identity with nobody")
struct UniquePublisherTests {
    /// Answers probes as it is told.
    final class Prober: Sendable {
        let answers: Mutex<Bool>

        init(_ answers: Bool) { self.answers = Mutex(answers) }

        func probe(_ service: DiscoveredService, _ tell: @escaping @Sendable (Bool) -> Void) {
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
        _ prober: Prober,
        _ body: (UniquePublisher, InMemoryDiscovery, InMemoryBrowser, ManualScheduler) async throws -> Void
    ) async throws {
        let (published, browser) = (InMemoryDiscovery(), InMemoryBrowser())
        let scheduler = ManualScheduler(MultiThreadedEventLoopGroup.singleton.next())
        let publisher = UniquePublisher(
            publisher: published, browser: browser,
            watch: CloneWatch(deviceID: try #require(DeviceID("AA:BB:CC:DD:E5:FF")), port: 51826),
            scheduler: scheduler, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
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

    func eventually(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<2000 where !condition() { try? await Task.sleep(for: .milliseconds(5)) }
        return condition()
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
            #expect(await eventually { publisher.state == .published(name: record.name) })
            #expect(published.records == [newest])
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
            #expect(await eventually { publisher.state == .withheld(reason: reason) })
            publisher.publish(record)
            #expect(published.records == [])
            browser.show(look())
            #expect(await eventually { published.record == record })
        }
    }

    @Test("It asks again by itself, and publishes when nobody answers any more")
    func asksAgain() async throws {
        let clone = try clone()
        let prober = Prober(true)
        try await with(prober) { publisher, published, browser, scheduler in
            publisher.publish(record)
            browser.show(look([clone]))
            #expect(await eventually { scheduler.timerCount > 0 })
            prober.answers.withLock { $0 = false }
            await scheduler.advance(by: CloneWatch.probeInterval)
            #expect(await eventually { published.record == record })
        }
    }

    @Test("After the end nothing is published, whatever goes or comes")
    func ended() async throws {
        let clone = try clone()
        try await with(Prober(true)) { publisher, published, browser, _ in
            publisher.publish(record)
            browser.show(look([clone]))
            #expect(await eventually { if case .withheld = publisher.state { true } else { false } })
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
        func answers(at port: Int, ownPort: Int) async throws -> Bool {
            let address = try #require(ServiceAddress(bytes: [127, 0, 0, 1], interface: 1, interfaceName: "lo"))
            let service = DiscoveredService(
                id: .init(name: "x", host: "x"), port: UInt16(port), txt: [:], addresses: [address])
            return await withCheckedContinuation { continuation in
                CloneProbe(loop: group.next(), ownPort: ownPort)(service) { continuation.resume(returning: $0) }
            }
        }
        #expect(try await answers(at: port, ownPort: 1))
        #expect(try await !answers(at: port, ownPort: port))
        try await listener.close()
        #expect(try await !answers(at: port, ownPort: 1))
    }
}
