import Discovery
import HAPModel
import Testing

@testable import lamplighterd

@Suite("The clone watch")
struct CloneWatchTests {
    static let start = ContinuousClock.now
    static let port: UInt16 = 51826
    static let identity = "AA:BB:CC:DD:E5:FF"

    /// A watch and the time that has passed for it.
    struct Bench {
        var watch: CloneWatch
        var now = CloneWatchTests.start
        var services: [DiscoveredService] = []
        var isComplete = true

        init() throws {
            let deviceID = try #require(DeviceID(CloneWatchTests.identity))
            watch = CloneWatch(deviceID: deviceID, port: CloneWatchTests.port)
        }

        var verdict: CloneWatch.Verdict { watch.verdict }

        /// Shows these, and nothing else; returns whom to probe.
        mutating func sees(_ services: DiscoveredService...) -> [DiscoveredService] {
            self.services = services
            let snapshot = ServiceSnapshot(services: services, isComplete: isComplete, hostName: "bridge.local")
            return watch.seen(snapshot, now: now)
        }

        mutating func probed(_ service: DiscoveredService, _ answers: Bool) -> [DiscoveredService] {
            watch.probed(service, answers: answers, now: now)
        }

        /// Lets time pass from one wake-up to the next; returns whom to probe.
        mutating func wait(_ duration: Duration) -> [DiscoveredService] {
            let end = now + duration
            var probes: [DiscoveredService] = []
            while let due = watch.wakeAt, due <= end {
                // Whoever wakes up in vain would do so for ever.
                #expect(due > now, "the next wake-up lies in the past")
                guard due > now else { break }
                now = due
                probes += watch.timeReached(now: now)
            }
            now = end
            return probes
        }
    }

    func service(
        _ host: String, _ last: UInt8, port: UInt16 = port, id: String = identity, isLocal: Bool = false,
        interface: Int32 = 2
    ) throws -> DiscoveredService {
        let address = try #require(
            ServiceAddress(bytes: [10, 77, 0, last], interface: interface, interfaceName: "eth\(interface)"))
        return DiscoveredService(
            id: .init(name: "Lamplighter E5FF", host: host), port: port, txt: ["c#": "1", "id": id],
            addresses: [address], isLocal: isLocal)
    }

    func own() throws -> DiscoveredService { try service("bridge.local", 5, isLocal: true) }

    func place(_ service: DiscoveredService) -> CloneWatch.Clone {
        CloneWatch.Clone(host: service.host, addresses: service.addresses, port: service.port)
    }

    func advertising() throws -> Bench {
        var bench = try Bench()
        #expect(bench.sees() == [])
        #expect(bench.verdict == .advertise)
        #expect(bench.sees(try own()) == [])
        return bench
    }

    func withheld(from clone: DiscoveredService) throws -> Bench {
        var bench = try Bench()
        #expect(bench.sees(clone) == [clone])
        #expect(bench.verdict == .undecided)
        #expect(bench.probed(clone, true) == [])
        #expect(bench.verdict == .withhold(from: place(clone)))
        return bench
    }

    // MARK: At the start

    @Test("No other host there: it advertises when the first look is over, and has nothing to wake up for")
    func alone() throws {
        var bench = try Bench()
        bench.isComplete = false
        #expect(bench.sees() == [])
        #expect(bench.verdict == .undecided)
        bench.isComplete = true
        #expect(bench.sees() == [])
        #expect(bench.verdict == .advertise)
        #expect(bench.watch.wakeAt == nil)
    }

    @Test("A look that takes long is waited for two seconds, counted from when Avahi is there")
    func timeout() throws {
        var bench = try Bench()
        _ = bench.watch.seen(ServiceSnapshot(), now: bench.now)
        #expect(bench.wait(.milliseconds(29_999)) == [])
        #expect(bench.verdict == .undecided, "without Avahi, nothing can be seen anyhow")
        bench.isComplete = false
        _ = bench.sees()
        _ = bench.wait(.milliseconds(1999))
        #expect(bench.verdict == .undecided)
        _ = bench.wait(.milliseconds(1))
        #expect(bench.verdict == .advertise)
    }

    @Test("Without Avahi it stops waiting after thirty seconds: whoever publishes waits by itself")
    func absence() throws {
        var bench = try Bench()
        _ = bench.watch.seen(ServiceSnapshot(), now: bench.now)
        _ = bench.wait(.seconds(30))
        #expect(bench.verdict == .advertise)
        #expect(bench.watch.wakeAt == nil)
    }

    @Test("Its own identity at another host that answers keeps it out of sight, whichever address is lower")
    func youngerAtStart() throws {
        for last in [1, 9] as [UInt8] {
            let bench = try withheld(from: service("other.local", last))
            #expect(!bench.verdict.isAdvertised)
        }
    }

    @Test("An identity is the same in either case")
    func caseOfIdentity() throws {
        let clone = try service("other.local", 9, id: Self.identity.lowercased())
        _ = try withheld(from: clone)
    }

    @Test("A record whose host does not answer keeps no host from anything")
    func staleAtStart() throws {
        let clone = try service("other.local", 1)
        var bench = try Bench()
        #expect(bench.sees(clone) == [clone])
        #expect(bench.probed(clone, false) == [])
        #expect(bench.verdict == .advertise)
    }

    @Test("A probe that is never answered is waited for five seconds")
    func lostProbe() throws {
        var bench = try Bench()
        _ = bench.sees(try service("other.local", 1))
        _ = bench.wait(.milliseconds(4999))
        #expect(bench.verdict == .undecided)
        _ = bench.wait(.milliseconds(1))
        #expect(bench.verdict == .advertise)
    }

    @Test("Other accessories, its own record and an echo of it are no clones")
    func innocent() throws {
        var bench = try advertising()
        var echoed = try own()
        echoed.addresses += try service("bridge.local", 5, interface: 3).addresses
        let nameless = DiscoveredService(id: .init(name: "x", host: "x"), port: 1, txt: ["id": "x"], addresses: [])
        #expect(
            bench.sees(echoed, nameless, try service("lamp.local", 1, id: "01:02:03:04:05:06")) == [])
        #expect(bench.verdict == .advertise)
    }

    // MARK: When the other goes

    @Test("When the other says goodbye it is at once its turn")
    func goodbye() throws {
        var bench = try withheld(from: service("other.local", 1))
        #expect(bench.sees() == [])
        #expect(bench.verdict == .advertise)
    }

    @Test("Whoever is in the way is asked every 30 s; two probes without an answer end it")
    func powerCut() throws {
        let clone = try service("other.local", 1)
        var bench = try withheld(from: clone)
        #expect(bench.wait(.milliseconds(29_999)) == [])
        #expect(bench.wait(.milliseconds(1)) == [clone])
        #expect(bench.probed(clone, true) == [])
        #expect(bench.wait(.seconds(30)) == [clone])
        #expect(bench.probed(clone, false) == [clone], "one lost packet is not the end")
        #expect(!bench.verdict.isAdvertised)
        #expect(bench.probed(clone, false) == [])
        #expect(bench.verdict == .advertise)
        #expect(bench.wait(.seconds(30)) == [clone], "it may come back without a new record")
    }

    @Test("One probe lost between two that are answered changes nothing")
    func lostPacket() throws {
        let clone = try service("other.local", 1)
        var bench = try withheld(from: clone)
        #expect(bench.wait(.seconds(30)) == [clone])
        #expect(bench.probed(clone, false) == [clone])
        #expect(bench.probed(clone, true) == [])
        #expect(!bench.verdict.isAdvertised)
        #expect(bench.wait(.seconds(30)) == [clone])
    }

    @Test("Who moves is asked at its new address; what the old one answers no longer counts")
    func moved() throws {
        let (clone, moved) = (try service("other.local", 1), try service("other.local", 2))
        var bench = try withheld(from: clone)
        #expect(bench.sees(moved) == [moved])
        #expect(bench.probed(clone, false) == [])
        #expect(bench.verdict == .withhold(from: place(moved)))
        #expect(bench.probed(moved, false) == [moved])
        #expect(bench.probed(moved, false) == [])
        #expect(bench.verdict == .advertise)
    }

    // MARK: When both run

    @Test(
        "Of two that are in sight the one with the higher address leaves",
        arguments: [(4, false), (6, true), (10, true), (200, true)] as [(UInt8, Bool)])
    func order(_ last: UInt8, _ stays: Bool) throws {
        // Both may have the address of a container network, too.
        for shared in [[], try service("a.local", 1).addresses, try service("a.local", 250).addresses] {
            var bench = try advertising()
            var (own, clone) = (try own(), try service("a.local", last))
            own.addresses = (own.addresses + shared).inConnectionOrder
            clone.addresses = (clone.addresses + shared).inConnectionOrder
            #expect(bench.sees(own, clone) == [clone])
            #expect(bench.verdict == .advertise, "a record alone proves nothing")
            _ = bench.probed(clone, true)
            #expect(bench.verdict == (stays ? .prevail(over: place(clone)) : .withhold(from: place(clone))))
        }
    }

    @Test(
        "On one host the higher port leaves", arguments: [(51825, false), (51827, true)] as [(UInt16, Bool)])
    func ports(_ port: UInt16, _ stays: Bool) throws {
        var bench = try advertising()
        let own = try own()
        let other = DiscoveredService(
            id: .init(name: own.name + " #2", host: own.host), port: port, txt: own.txt, addresses: own.addresses,
            isLocal: true)
        #expect(bench.sees(own, other) == [other])
        _ = bench.probed(other, true)
        #expect(bench.verdict.isAdvertised == stays)
    }

    @Test("Both sides come to one result, on common links and through a reflector", arguments: [2, 3] as [Int32])
    func symmetry(_ interface: Int32) throws {
        let here = try own()
        let there = try service("other.local", 6, interface: interface)
        var bench = try advertising()
        _ = bench.sees(here, there)
        _ = bench.probed(there, true)

        var otherBench = try Bench()
        func sees(_ services: [DiscoveredService]) -> [DiscoveredService] {
            otherBench.watch.seen(
                ServiceSnapshot(services: services, isComplete: true, hostName: "other.local"), now: otherBench.now)
        }
        _ = sees([])
        var mine = there
        mine.isLocal = true
        var yours = here
        yours.isLocal = false
        _ = sees([mine, yours])
        _ = otherBench.probed(yours, true)
        #expect(bench.verdict.isAdvertised != otherBench.verdict.isAdvertised)
    }

    @Test("No host leaves before its own record is in sight")
    func notYetSeen() throws {
        var bench = try Bench()
        _ = bench.sees()
        let clone = try service("other.local", 1)
        _ = bench.sees(clone)
        _ = bench.probed(clone, true)
        #expect(bench.verdict == .prevail(over: place(clone)))
        _ = bench.sees(try own(), clone)
        #expect(bench.verdict == .withhold(from: place(clone)))
    }

    @Test("When the other that was to leave has left, there is nothing to say of it")
    func prevailed() throws {
        var bench = try advertising()
        let clone = try service("other.local", 9)
        _ = bench.sees(try own(), clone)
        _ = bench.probed(clone, true)
        #expect(bench.verdict == .prevail(over: place(clone)))
        _ = bench.sees(try own())
        #expect(bench.verdict == .advertise)
        #expect(bench.watch.wakeAt == nil)
    }

    // MARK: Steadiness

    @Test("It changes its mind once in ten seconds at most")
    func steady() throws {
        let clone = try service("other.local", 1)
        var bench = try advertising()
        _ = bench.sees(try own(), clone)
        _ = bench.probed(clone, true)
        #expect(!bench.verdict.isAdvertised)
        for _ in 0..<100 {
            _ = bench.sees()
            #expect(!bench.verdict.isAdvertised)
            _ = bench.sees(clone)
            _ = bench.probed(clone, true)
        }
        _ = bench.sees()
        #expect(bench.wait(.milliseconds(9_999)) == [])
        #expect(!bench.verdict.isAdvertised)
        #expect(bench.wait(.milliseconds(1)) == [])
        #expect(bench.verdict == .advertise)
    }

    @Test("A network full of clones is probed in part")
    func flood() throws {
        var bench = try Bench()
        let clones = try (0..<200).map { try service("h\($0).local", UInt8($0)) }
        let snapshot = ServiceSnapshot(services: clones, isComplete: true, hostName: "bridge.local")
        #expect(bench.watch.seen(snapshot, now: bench.now).count == CloneWatch.largestNumber)
        for clone in clones { _ = bench.probed(clone, false) }
        #expect(bench.verdict == .advertise)
    }

    @Test("A record that changes all the time does not have it knock at every door")
    func knocking() throws {
        var bench = try advertising()
        var probes = 0
        for port in 1...1000 as ClosedRange<UInt16> {
            probes += bench.sees(try service("h.local", 9, port: port)).count
        }
        #expect(probes == CloneWatch.largestProbeNumber)
        #expect(bench.wait(.seconds(10)).map(\.port) == [1000])
        probes = 0
        for number in 1...1000 { probes += bench.sees(try service("h\(number).local", 9)).count }
        #expect(probes == CloneWatch.largestProbeNumber - 1)
    }

    @Test("A clone is reported once, and again when it is another one")
    func events() throws {
        let (clone, moved) = (place(try service("other.local", 1)), place(try service("other.local", 2)))
        let another = place(try service("another.local", 1))
        #expect(CloneWatch.Verdict.withhold(from: clone).isNew(after: .undecided))
        #expect(CloneWatch.Verdict.withhold(from: clone).isNew(after: .prevail(over: clone)))
        #expect(!CloneWatch.Verdict.withhold(from: moved).isNew(after: .withhold(from: clone)))
        #expect(CloneWatch.Verdict.prevail(over: another).isNew(after: .prevail(over: clone)))
        #expect(!CloneWatch.Verdict.advertise.isNew(after: .advertise))
    }

    @Test("What an untrusted peer calls its host does nothing to a terminal")
    func sanitized() throws {
        let clone = place(try service("\u{1B}[2J.local", 1))
        #expect(clone.description == "\\u{1B}[2j.local (10.77.0.1, port 51826)")
    }
}
