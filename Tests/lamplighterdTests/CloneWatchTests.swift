import Discovery
import HAPModel
import Testing

@testable import lamplighterd

@Suite("CloneWatch")
struct CloneWatchTests {
    static let start = ContinuousClock.now
    static let port: UInt16 = 51826
    static let identity = "AA:BB:CC:DD:E5:FF"

    /// A watch and its elapsed time.
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

        /// Passes the visible services to the watch, and returns the services to probe.
        mutating func sees(_ services: DiscoveredService...) -> [DiscoveredService] {
            self.services = services
            let snapshot = ServiceSnapshot(services: services, isComplete: isComplete, hostName: "bridge.local")
            return watch.seen(snapshot, now: now)
        }

        mutating func probed(_ service: DiscoveredService, _ answers: Bool) -> [DiscoveredService] {
            watch.probed(service, answers: answers, now: now)
        }

        /// Advances the time from one wake-up to the next, and returns the services to probe.
        mutating func wait(_ duration: Duration) -> [DiscoveredService] {
            let end = now + duration
            var probes: [DiscoveredService] = []
            while let due = watch.wakeAt, due <= end {
                // A wake-up that leaves its own time unchanged would repeat endlessly.
                #expect(due > now, "the next wake-up is in the past")
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

    @Test("advertises after a first browse result without other hosts, and needs no wake-ups")
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

    @Test("waits two seconds for the first browse result, from the start of Avahi")
    func timeout() throws {
        var bench = try Bench()
        _ = bench.watch.seen(ServiceSnapshot(), now: bench.now)
        #expect(bench.wait(.milliseconds(29_999)) == [])
        #expect(bench.verdict == .undecided, "without Avahi, no services can be found")
        bench.isComplete = false
        _ = bench.sees()
        _ = bench.wait(.milliseconds(1999))
        #expect(bench.verdict == .undecided)
        _ = bench.wait(.milliseconds(1))
        #expect(bench.verdict == .advertise)
    }

    @Test("waits thirty seconds for Avahi")
    func absence() throws {
        var bench = try Bench()
        _ = bench.watch.seen(ServiceSnapshot(), now: bench.now)
        _ = bench.wait(.seconds(30))
        #expect(bench.verdict == .advertise)
        #expect(bench.watch.wakeAt == nil)
    }

    @Test("isn't advertised at startup if another host with its identity answers")
    func youngerAtStart() throws {
        for last in [1, 9] as [UInt8] {
            let bench = try withheld(from: service("other.local", last))
            #expect(!bench.verdict.isAdvertised)
        }
    }

    @Test("ignores case when it compares identities")
    func caseOfIdentity() throws {
        let clone = try service("other.local", 9, id: Self.identity.lowercased())
        _ = try withheld(from: clone)
    }

    @Test("advertises if the host of a record doesn't answer")
    func staleAtStart() throws {
        let clone = try service("other.local", 1)
        var bench = try Bench()
        #expect(bench.sees(clone) == [clone])
        #expect(bench.probed(clone, false) == [])
        #expect(bench.verdict == .advertise)
    }

    @Test("waits five seconds for a probe")
    func lostProbe() throws {
        var bench = try Bench()
        _ = bench.sees(try service("other.local", 1))
        _ = bench.wait(.milliseconds(4999))
        #expect(bench.verdict == .undecided)
        _ = bench.wait(.milliseconds(1))
        #expect(bench.verdict == .advertise)
    }

    @Test("ignores other accessories, its own record and an echo of that record")
    func innocent() throws {
        var bench = try advertising()
        var echoed = try own()
        echoed.addresses += try service("bridge.local", 5, interface: 3).addresses
        let nameless = DiscoveredService(id: .init(name: "x", host: "x"), port: 1, txt: ["id": "x"], addresses: [])
        #expect(
            bench.sees(echoed, nameless, try service("lamp.local", 1, id: "01:02:03:04:05:06")) == [])
        #expect(bench.verdict == .advertise)
    }

    // MARK: When the other host disappears

    @Test("advertises immediately after a goodbye")
    func goodbye() throws {
        var bench = try withheld(from: service("other.local", 1))
        #expect(bench.sees() == [])
        #expect(bench.verdict == .advertise)
    }

    @Test("probes the other host every 30 s, and advertises after two missing answers")
    func powerCut() throws {
        let clone = try service("other.local", 1)
        var bench = try withheld(from: clone)
        #expect(bench.wait(.milliseconds(29_999)) == [])
        #expect(bench.wait(.milliseconds(1)) == [clone])
        #expect(bench.probed(clone, true) == [])
        #expect(bench.wait(.seconds(30)) == [clone])
        #expect(bench.probed(clone, false) == [clone], "a single lost packet changes nothing")
        #expect(!bench.verdict.isAdvertised)
        #expect(bench.probed(clone, false) == [])
        #expect(bench.verdict == .advertise)
        #expect(bench.wait(.seconds(30)) == [clone], "the host may return without a new record")
    }

    @Test("probes the new address of a host that has moved, and ignores the old address")
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

    // MARK: When both are running

    @Test(
        "withholds the bridge with the higher of two addresses",
        arguments: [(4, false), (6, true), (10, true), (200, true)] as [(UInt8, Bool)])
    func order(_ last: UInt8, _ stays: Bool) throws {
        // Both hosts may have an address in common, such as that of a container network.
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
        "withholds the bridge with the higher of two ports on the same host",
        arguments: [(51825, false), (51827, true)] as [(UInt16, Bool)])
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

    @Test(
        "reaches the same decision on both hosts, on a common link and through a reflector",
        arguments: [2, 3] as [Int32])
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

    @Test("stays advertised as long as its own record isn't visible")
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

    @Test("reports nothing after the other host has left")
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

    // MARK: Stability

    @Test("changes its decision at most once every ten seconds")
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

    @Test("limits the number of clones that are probed")
    func flood() throws {
        var bench = try Bench()
        let clones = try (0..<200).map { try service("h\($0).local", UInt8($0)) }
        let snapshot = ServiceSnapshot(services: clones, isComplete: true, hostName: "bridge.local")
        #expect(bench.watch.seen(snapshot, now: bench.now).count == CloneWatch.largestNumber)
        for clone in clones { _ = bench.probed(clone, false) }
        #expect(bench.verdict == .advertise)
    }

    @Test("limits the number of probes for a record that keeps changing")
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

    @Test("reports each clone once")
    func events() throws {
        let (clone, moved) = (place(try service("other.local", 1)), place(try service("other.local", 2)))
        let another = place(try service("another.local", 1))
        #expect(CloneWatch.Verdict.withhold(from: clone).isNew(after: .undecided))
        #expect(CloneWatch.Verdict.withhold(from: clone).isNew(after: .prevail(over: clone)))
        #expect(!CloneWatch.Verdict.withhold(from: moved).isNew(after: .withhold(from: clone)))
        #expect(CloneWatch.Verdict.prevail(over: another).isNew(after: .prevail(over: clone)))
        #expect(!CloneWatch.Verdict.advertise.isNew(after: .advertise))
    }

    @Test("sanitizes the host of a clone")
    func sanitized() throws {
        let clone = place(try service("\u{1B}[2J.local", 1))
        #expect(clone.description == "\\u{1B}[2j.local (10.77.0.1, port 51826)")
    }
}
