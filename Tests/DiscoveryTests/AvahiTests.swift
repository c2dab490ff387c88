import Logging
import TestTimeouts
import Testing

@testable import Discovery

@Suite(
    "A real Avahi", .serialized,
    .enabled(if: PretendLAN.isUsable, "needs root, iproute2, dbus-daemon, avahi-daemon and avahi-utils"),
    .timeout)
struct AvahiTests {
    static let name = "Lamp E5FF"
    static let seen = #"Lamp\032E5FF"#

    let record = ServiceRecord(name: name, type: "_hap._tcp", port: 51826, txt: ["c#": "1", "id": "AA:BB", "sf": "1"])

    @Test("A service is seen elsewhere, its TXT record changes in place, and it leaves with a goodbye")
    func life() async throws {
        try await withLAN { lan, publisher in
            try await lan.startBus(of: lan.bridge)
            try lan.startAvahi(of: lan.bridge)
            try await startPhone(lan)
            try lan.watch()

            publisher.publish(record)
            #expect(await publisher.reaches(.published(name: Self.name), within: .seconds(10)))
            #expect(try await eventually { try lan.events() == ["+" + Self.seen] })
            #expect(try lan.services() == [Self.seen + #" 51826 "c#=1" "id=AA:BB" "sf=1""#])

            publisher.update(txt: ["c#": "2", "id": "AA:BB", "sf": "0"])
            let changed = [Self.seen + #" 51826 "c#=2" "id=AA:BB" "sf=0""#]
            #expect(try await eventually { try lan.services() == changed })

            let began = ContinuousClock.now
            #expect(await publisher.withdraw())
            #expect(began.duration(to: .now) < .seconds(1))
            // Nothing between: had the TXT change been a goodbye and a new record, both would be seen.
            #expect(try await eventually { try lan.events() == ["+" + Self.seen, "-" + Self.seen] })
            #expect(publisher.state == .notAdvertised)
            #expect(try lan.services() == [])

            publisher.publish(record)
            #expect(try await eventually { try lan.events().count == 3 })
        }
    }

    @Test("After a restart of the Avahi daemon the record is back within 5 s under its name")
    func restart() async throws {
        try await withLAN { lan, publisher in
            try await lan.startBus(of: lan.bridge)
            try lan.startAvahi(of: lan.bridge)
            publisher.publish(record)
            #expect(await publisher.reaches(.published(name: Self.name), within: .seconds(10)))

            lan.stopAvahi(of: lan.bridge)
            #expect(
                await publisher.reaches(
                    .waiting(reason: "the Avahi daemon is not running"), within: .seconds(5)))
            try lan.startAvahi(of: lan.bridge)
            #expect(await publisher.reaches(.published(name: Self.name), within: .seconds(5)))
        }
    }

    @Test("A bus that is absent at the start, and goes away later, is waited for")
    func bus() async throws {
        try await withLAN { lan, publisher in
            publisher.publish(record)
            #expect(await publisher.reaches(within: .seconds(5)) { $0.isWaiting(for: "D-Bus") })
            try await lan.startBus(of: lan.bridge)
            #expect(
                await publisher.reaches(
                    .waiting(reason: "the Avahi daemon is not running"), within: .seconds(5)))
            try lan.startAvahi(of: lan.bridge)
            #expect(await publisher.reaches(.published(name: Self.name), within: .seconds(5)))

            lan.stopAvahi(of: lan.bridge)
            lan.stopBus(of: lan.bridge)
            #expect(await publisher.reaches(within: .seconds(5)) { $0.isWaiting(for: "D-Bus") })
            try await lan.startBus(of: lan.bridge)
            try lan.startAvahi(of: lan.bridge)
            #expect(await publisher.reaches(.published(name: Self.name), within: .seconds(5)))
        }
    }

    @Test("A name that another host holds is left to it; the next one stays over a restart of Avahi")
    func collision() async throws {
        try await withLAN { lan, publisher in
            try await lan.startBus(of: lan.bridge)
            try lan.startAvahi(of: lan.bridge)
            try await startPhone(lan)
            try lan.watch()
            try lan.occupy(Self.name)
            #expect(try await eventually { try lan.events() == ["+" + Self.seen] })

            publisher.publish(record)
            let renamed = PublicationState.published(name: Self.name + " #2")
            #expect(await publisher.reaches(renamed, within: .seconds(15)), "\(publisher.state)")
            lan.stopAvahi(of: lan.bridge)
            #expect(await publisher.reaches(within: .seconds(5)) { $0.isWaiting(for: "Avahi") })
            try lan.startAvahi(of: lan.bridge)
            #expect(await publisher.reaches(renamed, within: .seconds(5)))
        }
    }

    @Test("A hung Avahi daemon hangs neither a caller nor the withdrawal, and shows in the state")
    func hungAvahi() async throws {
        try await withLAN { lan, publisher in
            try await lan.startBus(of: lan.bridge)
            try lan.startAvahi(of: lan.bridge)
            try await startPhone(lan)
            try lan.watch()
            publisher.publish(record)
            #expect(await publisher.reaches(.published(name: Self.name), within: .seconds(10)))
            #expect(try await eventually { try lan.events() == ["+" + Self.seen] })

            lan.bridge.avahi?.freeze()
            let began = ContinuousClock.now
            for number in 0..<1000 { publisher.update(txt: ["c#": "\(number)"]) }
            _ = publisher.state
            #expect(began.duration(to: .now) < .seconds(1))
            #expect(try await eventually { publisher.state.isWaiting(for: "does not answer") })

            let leaving = ContinuousClock.now
            #expect(await publisher.withdraw() == false)
            #expect(leaving.duration(to: .now) < .seconds(3))

            lan.bridge.avahi?.thaw()
            #expect(try await eventually { try lan.events() == ["+" + Self.seen, "-" + Self.seen] })
            #expect(try await eventually { publisher.state == .notAdvertised })
        }
    }

    @Test("A hung D-Bus does not hang the end")
    func hungBus() async throws {
        try await withLAN { lan, publisher in
            try await lan.startBus(of: lan.bridge)
            lan.bridge.bus?.freeze()
            publisher.publish(record)
            #expect(try await eventually { publisher.state.isWaiting(for: "does not answer") })
            let leaving = ContinuousClock.now
            await publisher.stop()
            #expect(leaving.duration(to: .now) < .seconds(3))
            publisher.publish(record)
            #expect(await publisher.withdraw(), "nothing is left to withdraw")
        }
    }

    // MARK: Makers

    func withLAN(_ body: (PretendLAN, AvahiServicePublisher) async throws -> Void) async throws {
        let lan = try PretendLAN()
        let index = try lan.interfaceIndex()
        let publisher = try AvahiServicePublisher(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            [InterfaceFacts(name: "eth0", index: index)]
        }
        try publisher.start()
        let result: Result<Void, any Error>
        do {
            try await body(lan, publisher)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await publisher.stop()
        try lan.tearDown()
        try result.get()
    }

    func startPhone(_ lan: PretendLAN) async throws {
        try await lan.startBus(of: lan.phone)
        try lan.startAvahi(of: lan.phone)
        #expect(try await eventually { (try? lan.services()) != nil })
    }

    /// True once the condition holds, false when it does not within ten seconds.
    func eventually(_ condition: () throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while try !condition() {
            guard .now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(20))
        }
        return true
    }
}

extension ServicePublisher {
    fileprivate func reaches(_ state: PublicationState, within limit: Duration) async -> Bool {
        await reaches(within: limit) { $0 == state }
    }

    fileprivate func reaches(
        within limit: Duration, _ condition: @escaping @Sendable (PublicationState) -> Bool
    ) async -> Bool {
        let states = states()
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await state in states where condition(state) { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}

extension PublicationState {
    fileprivate func isWaiting(for text: String) -> Bool {
        guard case .waiting(let reason) = self else { return false }
        return reason.contains(text)
    }
}
