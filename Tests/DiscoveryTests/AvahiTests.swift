import TestTimeouts
import Testing

@testable import Discovery

@Suite("Real Avahi", .inTurn, AvahiBench.requirement, .timeout)
struct AvahiTests {
    let record = AvahiBench.record
    let published = PublicationState.published(name: AvahiBench.name)
    let seen = AvahiBench.seen

    @Test("publishes a service, updates its TXT record in place, and withdraws it with a goodbye")
    func life() async throws {
        try await AvahiBench.withLAN { lan, publisher in
            try await lan.startBridge()
            try await lan.startPhone()
            try lan.watch()

            publisher.publish(record)
            try await eventually("published") { publisher.state == published }
            try await eventually("the service appears") { try lan.events() == ["+" + seen] }
            #expect(try await lan.services() == [seen + #" 51826 "c#=1" "id=AA:BB" "sf=1""#])

            publisher.update(txt: ["c#": "2", "id": "AA:BB", "sf": "0"])
            let changed = [seen + #" 51826 "c#=2" "id=AA:BB" "sf=0""#]
            try await eventually("the TXT record changes") { try await lan.services() == changed }

            #expect(await publisher.withdraw(), "the withdrawal is confirmed in time")
            // There are no other events, so the TXT record was changed in place, without a goodbye.
            try await eventually("the service disappears") { try lan.events() == ["+" + seen, "-" + seen] }
            #expect(publisher.state == .notAdvertised)
            #expect(try await lan.services() == [])

            publisher.publish(record)
            try await eventually("the service appears again") { try lan.events().count == 3 }
        }
    }

    @Test("waits for a bus that is missing at the start or disappears later")
    func bus() async throws {
        try await AvahiBench.withLAN { lan, publisher in
            publisher.publish(record)
            try await eventually("the missing bus is reported") { publisher.state.isWaiting(for: "D-Bus") }
            try await lan.startBus(of: lan.bridge)
            try await eventually("the missing Avahi is reported") {
                publisher.state == .waiting(reason: "the Avahi daemon isn't running")
            }
            try lan.startAvahi(of: lan.bridge)
            try await eventually("published") { publisher.state == published }

            lan.stopAvahi(of: lan.bridge)
            lan.stopBus(of: lan.bridge)
            try await eventually("the missing bus is reported again") { publisher.state.isWaiting(for: "D-Bus") }
            try await lan.startBridge()
            try await eventually("published again") { publisher.state == published }
        }
    }

    @Test("gives up a name that another host uses, and keeps the next one across a restart of Avahi")
    func collision() async throws {
        try await AvahiBench.withLAN { lan, publisher in
            try await lan.startBridge()
            try await lan.startPhone()
            try lan.watch()
            try lan.occupy(AvahiBench.name)
            try await eventually("the name is taken") { try lan.events() == ["+" + seen] }

            publisher.publish(record)
            let renamed = PublicationState.published(name: AvahiBench.name + " #2")
            try await eventually("published under the next name") { publisher.state == renamed }
            lan.stopAvahi(of: lan.bridge)
            try await eventually("the missing Avahi is reported") { publisher.state.isWaiting(for: "Avahi") }
            try lan.startAvahi(of: lan.bridge)
            try await eventually("published under that name again") { publisher.state == renamed }
        }
    }

    @Test("returns from all calls while Avahi hangs, and reports it", .timeout)
    func hungAvahi() async throws {
        try await AvahiBench.withLAN { lan, publisher in
            try await lan.startBridge()
            try await lan.startPhone()
            try lan.watch()
            publisher.publish(record)
            try await eventually("published") { publisher.state == published }
            try await eventually("the service appears") { try lan.events() == ["+" + seen] }

            lan.bridge.avahi?.freeze()
            for number in 0..<1000 { publisher.update(txt: ["c#": "\(number)"]) }
            try await eventually("the hang is reported") { publisher.state.isWaiting(for: "doesn't answer") }
            #expect(await publisher.withdraw() == false)

            lan.bridge.avahi?.thaw()
            try await eventually("the service disappears") { try lan.events() == ["+" + seen, "-" + seen] }
            try await eventually("nothing is advertised") { publisher.state == .notAdvertised }
        }
    }
}
