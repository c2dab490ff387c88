import TestTimeouts
import Testing

@testable import Discovery

@Suite("The publication machine", .timeout)
struct PublicationMachineTests {
    typealias Action = PublicationMachine.Action

    static let start = ContinuousClock.now
    static let lo = InterfaceFacts(name: "lo", index: 1, isLoopback: true)
    static let eth0 = InterfaceFacts(name: "eth0", index: 2, hasDefaultRoute: true)
    static let wlan0 = InterfaceFacts(name: "wlan0", index: 3, hasDefaultRoute: true)

    let record = ServiceRecord(name: "Lamplighter E5FF", type: "_hap._tcp", port: 51826, txt: ["c#": "1", "sf": "1"])

    /// A machine and its elapsed time.
    struct Bench {
        var machine = PublicationMachine()
        var now = PublicationMachineTests.start

        mutating func callAsFunction(_ input: PublicationMachine.Input) -> [Action] {
            machine.received(input, now: now)
        }

        /// Advances the time from one wake-up to the next.
        mutating func wait(_ duration: Duration) -> [Action] {
            let end = now + duration
            var actions: [Action] = []
            while let due = machine.wakeAt, due <= end {
                now = max(now, due)
                actions += machine.timeReached(now: now)
            }
            now = end
            return actions
        }

        var state: PublicationState { machine.state }
    }

    func add(_ interface: Int32 = 2, _ name: String = "Lamplighter E5FF", txt: TXTRecord? = nil) -> Action {
        var record = record
        if let txt { record.txt = txt }
        return .addService(on: interface, name: name, record: record)
    }

    func connected(_ facts: [InterfaceFacts] = [lo, eth0]) -> Bench {
        var bench = Bench()
        #expect(bench(.interfacesSeen(facts)) == [])
        #expect(bench(.wanted(record)) == [.makeClient])
        return bench
    }

    func published() -> Bench {
        var bench = connected()
        #expect(bench(.client(.running)) == [add()])
        #expect(bench.state == .registering(name: "Lamplighter E5FF"))
        #expect(bench(.registration(.probing, on: 2)) == [])
        #expect(bench(.registration(.established, on: 2)) == [])
        #expect(bench.state == .published(name: "Lamplighter E5FF"))
        return bench
    }

    // MARK: Start and end

    @Test("does nothing before a record is wanted")
    func idle() {
        var bench = Bench()
        #expect(bench(.interfacesSeen([Self.eth0])) == [])
        #expect(bench(.wanted(nil)) == [])
        #expect(bench.state == .notAdvertised)
        #expect(bench.machine.wakeAt == nil)
    }

    @Test("withdraws the service, and ignores later events")
    func withdraw() {
        var bench = published()
        #expect(bench(.wanted(nil)) == [.removeService(on: 2), .freeClient])
        #expect(bench.state == .notAdvertised)
        for input: PublicationMachine.Input in [
            .client(.running), .client(.failed(reason: "x")), .registration(.established, on: 2),
            .callFailed(reason: "x"), .interfacesSeen([Self.wlan0]), .nameChosen("y"), .wanted(nil),
        ] {
            #expect(bench(input) == [])
        }
        #expect(bench.machine.wakeAt == nil)
        #expect(bench(.wanted(record)) == [.makeClient])
    }

    @Test("registers the service again with another port")
    func otherPort() {
        var bench = published()
        var other = record
        other.port = 51827
        #expect(
            bench(.wanted(other)) == [
                .removeService(on: 2), .addService(on: 2, name: record.name, record: other),
            ])
    }

    // MARK: TXT

    @Test("updates a changed TXT record in place")
    func text() {
        var bench = published()
        var changed = record
        changed.txt = ["c#": "2", "sf": "0"]
        #expect(bench(.wanted(changed)) == [.updateText(on: 2, name: record.name, record: changed)])
        #expect(bench(.wanted(changed)) == [])
        #expect(bench.state == .published(name: record.name))
    }

    @Test("updates a TXT record that changes during the probe once the name is established")
    func textWhileProbing() {
        var bench = connected()
        #expect(bench(.client(.running)) == [add()])
        var changed = record
        changed.txt = ["c#": "2"]
        #expect(bench(.wanted(changed)) == [])
        changed.txt = ["c#": "3"]
        #expect(bench(.wanted(changed)) == [])
        #expect(
            bench(.registration(.established, on: 2)) == [.updateText(on: 2, name: record.name, record: changed)])
    }

    @Test("publishes a TXT record that changed while Avahi wasn't running")
    func textWhileAway() {
        var bench = connected()
        #expect(bench(.client(.connecting)) == [])
        var changed = record
        changed.txt = ["c#": "9"]
        #expect(bench(.wanted(changed)) == [])
        #expect(bench(.client(.running)) == [add(txt: ["c#": "9"])])
    }

    // MARK: Availability of Avahi and the bus

    @Test("retries a missing bus every second")
    func noBus() {
        var bench = connected()
        for _ in 0..<100 {
            #expect(bench(.client(.refused(reason: "no bus"))) == [])
            #expect(bench.state == .waiting(reason: "no bus"))
            #expect(bench.wait(.milliseconds(999)) == [])
            #expect(bench.wait(.milliseconds(1)) == [.makeClient])
        }
        #expect(bench(.client(.running)) == [add()])
    }

    @Test("waits for a missing Avahi daemon without a timer")
    func noDaemon() {
        var bench = connected()
        #expect(bench(.client(.connecting)) == [])
        #expect(bench.state == .waiting(reason: "the Avahi daemon isn't running"))
        #expect(bench.machine.wakeAt == nil)
        #expect(bench(.client(.registering)) == [])
        #expect(bench(.client(.running)) == [add()])
    }

    @Test("publishes the record under its name after a restart of Avahi")
    func restart() {
        var bench = published()
        #expect(bench.wait(.seconds(5)) == [])
        #expect(bench(.client(.failed(reason: "gone"))) == [.freeClient, .makeClient])
        #expect(bench(.client(.connecting)) == [])
        #expect(bench(.client(.running)) == [add()])
    }

    @Test("publishes the record again when Avahi returns on the same connection")
    func reconnects() {
        var bench = published()
        #expect(bench(.client(.connecting)) == [.removeService(on: 2)])
        #expect(bench.state == .waiting(reason: "the Avahi daemon isn't running"))
        #expect(bench(.client(.running)) == [add()])
    }

    @Test("creates a client at most once a second")
    func failsAtOnce() {
        var bench = connected()
        #expect(bench(.client(.failed(reason: "gone"))) == [.freeClient])
        #expect(bench.wait(.milliseconds(999)) == [])
        #expect(bench.wait(.milliseconds(1)) == [.makeClient])
    }

    @Test("registers the service again after Avahi changes its host name")
    func hostName() {
        var bench = published()
        #expect(bench(.client(.registering)) == [.removeService(on: 2)])
        #expect(bench(.client(.running)) == [add()])
    }

    // MARK: Names

    @Test("replaces a name that is in use with the next one, and keeps that across restarts")
    func collision() {
        var bench = connected()
        #expect(bench(.client(.running)) == [add()])
        #expect(
            bench(.registration(.collision, on: 2)) == [.removeService(on: 2), .chooseName(after: record.name)])
        #expect(bench(.nameChosen("Lamplighter E5FF #2")) == [add(2, "Lamplighter E5FF #2")])
        #expect(bench(.registration(.established, on: 2)) == [])
        #expect(bench.state == .published(name: "Lamplighter E5FF #2"))

        #expect(bench.wait(.seconds(3600)) == [])
        #expect(bench(.client(.failed(reason: "gone"))) == [.freeClient, .makeClient])
        #expect(bench(.client(.running)) == [add(2, "Lamplighter E5FF #2")])
        #expect(bench(.wanted(nil)) == [.removeService(on: 2), .freeClient])
        #expect(bench(.wanted(record)) == [.makeClient])
        #expect(bench(.client(.running)) == [add(2, "Lamplighter E5FF #2")])
    }

    @Test("waits a minute between any two new names, even after a TXT change")
    func collisionStorm() {
        var bench = connected()
        #expect(bench(.client(.running)) == [add()])
        #expect(bench(.registration(.collision, on: 2)) == [.removeService(on: 2), .chooseName(after: record.name)])
        #expect(bench(.nameChosen("B")) == [add(2, "B")])
        #expect(bench.wait(.seconds(2)) == [])
        #expect(bench(.registration(.collision, on: 2)) == [.removeService(on: 2)])
        guard case .waiting = bench.state else {
            Issue.record("\(bench.state) is not waiting")
            return
        }
        var changed = record
        changed.txt = ["c#": "2"]
        #expect(bench(.wanted(changed)) == [], "a TXT change doesn't shorten the wait")
        #expect(bench.wait(.milliseconds(57_999)) == [])
        #expect(bench.wait(.milliseconds(1)) == [.chooseName(after: "B")])
        #expect(bench(.nameChosen("C")) == [add(2, "C", txt: ["c#": "2"])])
        #expect(bench(.registration(.collision, on: 2)) == [.removeService(on: 2)], "the next one waits, too")
        #expect(bench.wait(.milliseconds(59_999)) == [])
    }

    @Test("publishes a different wanted name immediately")
    func otherNameMeanwhile() {
        var bench = connected()
        #expect(bench(.client(.running)) == [add()])
        _ = bench(.registration(.collision, on: 2))
        _ = bench(.nameChosen("B"))
        #expect(bench(.registration(.collision, on: 2)) == [.removeService(on: 2)])
        var other = record
        other.name = "Other"
        #expect(bench(.wanted(other)) == [.addService(on: 2, name: "Other", record: other)])
        #expect(bench.wait(.seconds(9)) == [])
    }

    @Test("renames the service on all interfaces after a collision on one")
    func collisionOnOne() {
        var bench = connected([Self.eth0, Self.wlan0])
        #expect(bench(.client(.running)) == [add(2), add(3)])
        #expect(bench(.registration(.established, on: 2)) == [])
        #expect(
            bench(.registration(.collision, on: 3))
                == [.removeService(on: 2), .removeService(on: 3), .chooseName(after: record.name)])
        #expect(bench(.nameChosen("B")) == [add(2, "B"), add(3, "B")])
    }

    // MARK: Hanging and refused requests

    @Test("restarts a probe that never ends, with backoff")
    func probing() {
        var bench = connected()
        #expect(bench(.client(.running)) == [add()])
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(bench.wait(.milliseconds(9999)) == [])
            #expect(bench.wait(.milliseconds(1)) == [.freeClient])
            guard case .failed = bench.state else {
                Issue.record("\(bench.state) is not failed")
                return
            }
            #expect(bench.wait(.seconds(pause) - .milliseconds(1)) == [])
            #expect(bench.wait(.milliseconds(1)) == [.makeClient])
            #expect(bench(.client(.running)) == [add()])
        }
    }

    @Test("reports a refusal, retries, and resets the backoff after a success")
    func refusal() {
        var bench = connected()
        #expect(bench(.client(.running)) == [add()])
        #expect(bench(.registration(.failed(reason: "access denied"), on: 2)) == [.freeClient])
        #expect(bench.state == .failed(reason: "Avahi rejected _hap._tcp: access denied"))
        #expect(bench.wait(.seconds(1)) == [.makeClient])
        #expect(bench(.client(.running)) == [add()])
        #expect(bench(.registration(.established, on: 2)) == [])
        #expect(bench(.callFailed(reason: "timed out")) == [.freeClient])
        #expect(bench.wait(.seconds(1)) == [.makeClient])
    }

    @Test("tries another name immediately after a refusal")
    func refusedName() {
        var bench = connected()
        #expect(bench(.client(.running)) == [add()])
        #expect(bench(.registration(.failed(reason: "invalid name"), on: 2)) == [.freeClient])
        var other = record
        other.name = "Other"
        #expect(bench(.wanted(other)) == [.makeClient])
    }

    // MARK: Interfaces

    @Test("adds a new interface, removes a missing one, and leaves the others alone")
    func interfaces() {
        var bench = published()
        #expect(bench(.interfacesSeen([Self.lo, Self.eth0, Self.wlan0])) == [])
        #expect(bench.wait(.seconds(1)) == [add(3)])
        #expect(bench.state == .published(name: record.name), "the first interface is still published")
        #expect(bench(.registration(.established, on: 3)) == [])
        #expect(bench(.interfacesSeen([Self.lo, Self.wlan0])) == [])
        #expect(bench.wait(.seconds(1)) == [.removeService(on: 2)])
    }

    @Test("publishes immediately on the first interface of a computer that had no network")
    func lateNetwork() {
        var bench = Bench()
        #expect(bench(.wanted(record)) == [.makeClient])
        #expect(bench(.client(.running)) == [])
        #expect(bench.state == .waiting(reason: "no network interface to publish on"))
        #expect(bench(.interfacesSeen([Self.eth0])) == [add()])
    }

    @Test("ignores a veth that flaps")
    func flappingVeth() {
        var bench = published()
        for number in 0..<100 {
            let veth = InterfaceFacts(name: "veth\(number)", index: Int32(100 + number))
            #expect(bench(.interfacesSeen([Self.lo, Self.eth0, veth])) == [])
            #expect(bench.wait(.milliseconds(100)) == [])
            #expect(bench(.interfacesSeen([Self.lo, Self.eth0])) == [])
            #expect(bench.wait(.milliseconds(100)) == [])
        }
        #expect(bench.machine.wakeAt == nil)
    }

    @Test("ignores an interface in use that disappears for less than a second")
    func flappingInterface() {
        var bench = published()
        for _ in 0..<100 {
            #expect(bench(.interfacesSeen([Self.lo])) == [])
            #expect(bench.wait(.milliseconds(500)) == [])
            #expect(bench(.interfacesSeen([Self.lo, Self.eth0])) == [])
            #expect(bench.wait(.milliseconds(500)) == [])
        }
    }

    @Test("updates interfaces that keep changing every five seconds")
    func restless() {
        var bench = published()
        var actions = 0
        for number in 0..<100 {
            let next = InterfaceFacts(name: "eth\(number)", index: Int32(10 + number), hasDefaultRoute: true)
            actions += bench(.interfacesSeen([next])).count
            actions += bench.wait(.milliseconds(500)).count
        }
        #expect(actions == 20, "ten times in fifty seconds, one removed and one added")
    }
}
