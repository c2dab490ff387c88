import TestTimeouts
import Testing

@testable import Discovery

@Suite("The browse machine", .timeout)
struct BrowseMachineTests {
    typealias Action = BrowseMachine.Action
    typealias Announcement = BrowseMachine.Announcement

    typealias Host = BrowseMachine.Host

    static let start = ContinuousClock.now

    let host = Host(name: "lamp.local", interface: 2)

    let lamp4 = Announcement(name: "Lamp E5FF", interface: 2, isIPv4: true)
    let lamp6 = Announcement(name: "Lamp E5FF", interface: 2, isIPv4: false)
    let plug = Announcement(name: "Plug 0001", interface: 2, isIPv4: true)

    /// A machine and its elapsed time.
    struct Bench {
        var machine = BrowseMachine()
        var now = BrowseMachineTests.start

        /// Passes an input to the machine, and waits for the debounce time if there is a new host.
        mutating func callAsFunction(_ input: BrowseMachine.Input) -> [Action] {
            let actions = machine.received(input, now: now)
            guard case .resolver = input else { return actions }
            return actions + wait(BrowseMachine.debounceTime)
        }

        mutating func callAsFunction(_ event: BrowseMachine.BrowserEvent) -> [Action] { self(.browser(event)) }

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

        var snapshot: ServiceSnapshot { machine.snapshot }
        var services: [DiscoveredService] { snapshot.services }
    }

    func address(_ last: UInt8, interface: Int32 = 2) throws -> ServiceAddress {
        try #require(ServiceAddress(bytes: [10, 0, 0, last], interface: interface, interfaceName: "eth\(interface)"))
    }

    func linkLocal(interface: Int32 = 2) throws -> ServiceAddress {
        let bytes: [UInt8] = [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1]
        return try #require(ServiceAddress(bytes: bytes, interface: interface, interfaceName: "eth\(interface)"))
    }

    func found(
        _ address: ServiceAddress, host: String = "lamp.local", port: UInt16 = 51826, txt: TXTRecord = ["c#": "1"]
    ) -> BrowseMachine.ResolverEvent {
        .found(BrowseMachine.Resolution(host: host, port: port, address: address, txt: txt))
    }

    func browsing(_ machine: BrowseMachine = BrowseMachine()) -> Bench {
        var bench = Bench(machine: machine)
        #expect(bench(.start) == [.makeClient])
        #expect(bench(.hostName("Bridge.local")) == [])
        #expect(bench(.client(.running)) == [.browse])
        return bench
    }

    func seeing() throws -> Bench {
        var bench = browsing()
        #expect(bench(.found(lamp4)) == [.resolve(lamp4)])
        #expect(bench(.resolver(found(try address(5)), of: lamp4)) == [.browseAddresses(host)])
        #expect(bench(.allForNow) == [])
        #expect(bench.services.map(\.name) == ["Lamp E5FF"])
        return bench
    }

    // MARK: Refreshes

    @Test("repeats all queries for a refresh, and keeps services until the queries are answered")
    func refresh() throws {
        var bench = try seeing()
        #expect(bench(.resolver(.failed, of: lamp4)) == [.stopBrowsingAddresses(host)])
        #expect(bench.services == [], "its host didn't answer")
        #expect(bench.wait(.seconds(5)) == [])
        #expect(bench(.refresh) == [.stopResolving(lamp4), .browse])
        #expect(bench(.found(lamp4)) == [.resolve(lamp4)])
        _ = bench(.resolver(found(try address(5), txt: ["sf": "1"]), of: lamp4))
        #expect(bench(.allForNow) == [])
        #expect(bench.services.first?.txt == ["sf": "1"])
        _ = bench.wait(.seconds(5))
        #expect(bench(.refresh) == [.stopResolving(lamp4), .stopBrowsingAddresses(host), .browse])
        #expect(bench.services.count == 1, "known services are kept")
        #expect(bench(.allForNow) == [])
        #expect(bench.services == [], "it wasn't announced again")
    }

    @Test("refreshes at most every five seconds")
    func refreshes() throws {
        var bench = try seeing()
        for _ in 0..<3 { #expect(bench(.refresh) == []) }
        #expect(bench.machine.wakeAt == Self.start + .seconds(5))
        #expect(bench.wait(.seconds(5)) == [.stopResolving(lamp4), .stopBrowsingAddresses(host), .browse])
        #expect(bench.machine.wakeAt == nil)
        #expect(bench(.refresh) == [])
        #expect(bench(.stop) == [.freeClient])
        #expect(bench.machine.wakeAt == nil)
        #expect(bench(.refresh) == [])
    }

    @Test("ignores a refresh while Avahi is unavailable")
    func refreshWithoutAvahi() throws {
        var bench = try seeing()
        #expect(bench(.refresh) == [])
        _ = bench(.client(.failed(reason: "gone")))
        #expect(bench(.refresh) == [])
        #expect(bench(.client(.running)) == [.browse])
        #expect(bench.machine.wakeAt == nil)
    }

    // MARK: Services

    @Test("makes no queries before the start, and needs no timer while everything works")
    func idle() throws {
        var bench = Bench()
        #expect(bench(.client(.running)) == [])
        #expect(bench.snapshot.discoveryError != nil)
        #expect(bench.machine.wakeAt == nil)
        bench = try seeing()
        #expect(bench.machine.wakeAt == nil)
        #expect(bench.snapshot.discoveryError == nil)
        #expect(bench.snapshot.hostName == "bridge.local")
        #expect(bench(.start) == [], "it has started")
    }

    @Test("combines the announcements of an instance into one service with all addresses")
    func joined() throws {
        var bench = try seeing()
        #expect(bench(.found(lamp6)) == [.resolve(lamp6)])
        _ = bench(.resolver(found(try linkLocal(), host: "Lamp.LOCAL"), of: lamp6))
        let service = try #require(bench.services.first)
        #expect(bench.services.count == 1)
        #expect(service.addresses.map(\.description) == ["10.0.0.5", "fe80::1%eth2"])
        #expect(!service.isLocal)
        #expect(bench(.lost(lamp4)) == [.stopResolving(lamp4)])
        #expect(bench.services.first?.addresses == [try linkLocal()])
        #expect(bench(.lost(lamp6)) == [.stopResolving(lamp6), .stopBrowsingAddresses(host)])
        #expect(bench.services == [])
        #expect(bench(.lost(lamp6)) == [], "it was lost already")
    }

    @Test("uses the newest TXT record and port from either protocol")
    func newest() throws {
        var bench = try seeing()
        _ = bench(.found(lamp6))
        _ = bench(.resolver(found(try linkLocal()), of: lamp6))
        _ = bench(.resolver(found(try address(5), port: 7, txt: ["c#": "2"]), of: lamp4))
        #expect(bench.services.map(\.txt) == [["c#": "2"]])
        #expect(bench.services.map(\.port) == [7])
        _ = bench(.resolver(found(try linkLocal()), of: lamp6))
        #expect(bench.services.map(\.port) == [7], "nothing has changed")
    }

    @Test("replaces the address of a service")
    func moved() throws {
        var bench = try seeing()
        let before = bench.snapshot
        _ = bench(.resolver(found(try address(9)), of: lamp4))
        let after = try #require(bench.services.first)
        #expect(after.addresses == [try address(9)])
        #expect(bench.snapshot.services == [after] && before.services.map(\.id) == [after.id])
    }

    @Test("marks services of this host as local")
    func local() throws {
        var bench = browsing()
        _ = bench(.found(lamp4))
        _ = bench(.resolver(found(try address(1), host: "bridge.local"), of: lamp4))
        #expect(bench.services.map(\.isLocal) == [true])
        _ = bench(.resolver(found(try address(5)), of: lamp4))
        #expect(bench.services.map(\.isLocal) == [false])
        _ = bench(.hostName("LAMP.local"))
        #expect(bench.services.map(\.isLocal) == [true])
    }

    @Test("distinguishes services of two hosts with the same instance name")
    func twoHosts() throws {
        var bench = try seeing()
        let elsewhere = Announcement(name: lamp4.name, interface: 3, isIPv4: true)
        _ = bench(.found(elsewhere))
        _ = bench(.resolver(found(try address(6, interface: 3), host: "copy.local"), of: elsewhere))
        #expect(bench.services.map(\.host) == ["copy.local", "lamp.local"])
    }

    @Test("hides a service while its host doesn't answer")
    func silent() throws {
        var bench = try seeing()
        #expect(bench(.resolver(.failed, of: lamp4)) == [.stopBrowsingAddresses(host)])
        #expect(bench.services == [])
        #expect(bench(.resolver(found(try address(5)), of: lamp4)) == [.browseAddresses(host)])
        #expect(bench.services.count == 1)
    }

    // MARK: Hosts with several addresses

    func shown(_ bench: Bench) -> [String] { bench.services.first?.addresses.map(\.description) ?? [] }

    @Test("lists all addresses of a host with alternating families, link-local addresses last")
    func addresses() throws {
        var bench = try seeing()
        let routable = try #require(
            ServiceAddress(bytes: [0xFD] + Array(repeating: 0, count: 14) + [7], interface: 2, interfaceName: "eth2"))
        for address in [try address(5), try address(9), try address(1), routable, try linkLocal()] {
            #expect(bench(.addresses(.found(address), of: host)) == [])
        }
        #expect(shown(bench) == ["10.0.0.1", "fd00::7", "10.0.0.5", "fe80::1%eth2", "10.0.0.9"])
        for useless: [UInt8] in [[127, 0, 0, 1], [0, 0, 0, 0], [224, 0, 0, 251], Array(repeating: 0, count: 16)] {
            let address = try #require(ServiceAddress(bytes: useless, interface: 2, interfaceName: "eth2"))
            _ = bench(.addresses(.found(address), of: host))
        }
        #expect(shown(bench).count == 5, "addresses that no device can have are ignored")
    }

    @Test("shows a new host after the debounce time, with all addresses received by then")
    func debounced() throws {
        var bench = browsing()
        _ = bench(.found(lamp4))
        _ = bench(.allForNow)
        _ = bench.machine.received(.resolver(found(try address(5)), of: lamp4), now: bench.now)
        _ = bench(.addresses(.found(try address(9)), of: host))
        #expect(bench.services == [] && !bench.snapshot.isComplete)
        #expect(bench.wait(BrowseMachine.debounceTime) == [])
        #expect(shown(bench) == ["10.0.0.5", "10.0.0.9"] && bench.snapshot.isComplete)
        #expect(bench.machine.wakeAt == nil)
        _ = bench(.addresses(.found(try address(8)), of: host))
        #expect(shown(bench) == ["10.0.0.5", "10.0.0.8", "10.0.0.9"], "later addresses are shown at once")
    }

    @Test("drops an address when its last record disappears")
    func addressLost() throws {
        var bench = try seeing()
        for _ in 0..<2 { _ = bench(.addresses(.found(try address(9)), of: host)) }
        _ = bench(.addresses(.lost(try address(9)), of: host))
        #expect(shown(bench) == ["10.0.0.5", "10.0.0.9"])
        _ = bench(.addresses(.lost(try address(9)), of: host))
        #expect(shown(bench) == ["10.0.0.5"], "the resolver's own address stays")
    }

    @Test("keeps addresses across a restart of Avahi until new records arrive")
    func addressesOverRestart() throws {
        var bench = try seeing()
        for last in [8, 9] as [UInt8] { _ = bench(.addresses(.found(try address(last)), of: host)) }
        _ = bench(.client(.failed(reason: "gone")))
        _ = bench.wait(.seconds(1))
        _ = bench(.client(.running))
        _ = bench(.found(lamp4))
        #expect(bench(.resolver(found(try address(5)), of: lamp4)) == [.browseAddresses(host)])
        _ = bench(.addresses(.found(try address(8)), of: host))
        #expect(shown(bench) == ["10.0.0.5", "10.0.0.8", "10.0.0.9"])
        _ = bench(.addresses(.allForNow(isIPv4: false), of: host))
        #expect(shown(bench).count == 3, "no report changed the addresses of this family")
        _ = bench(.addresses(.allForNow(isIPv4: true), of: host))
        #expect(shown(bench) == ["10.0.0.5", "10.0.0.8"])
    }

    @Test("limits the numbers of addresses per family and of hosts")
    func boundedAddresses() throws {
        var bench = try seeing()
        for last in 10...200 as ClosedRange<UInt8> { _ = bench(.addresses(.found(try address(last)), of: host)) }
        _ = bench(.addresses(.found(try linkLocal()), of: host))
        #expect(shown(bench).count == 1 + 8 + 1)
        var browsed = 1
        for number in 0..<900 {
            let announcement = Announcement(name: "\(number)", interface: 2, isIPv4: true)
            guard bench(.found(announcement)) == [.resolve(announcement)] else { continue }
            browsed += bench(.resolver(found(try address(5), host: "host-\(number).local"), of: announcement)).count
        }
        #expect(browsed == BrowseMachine.maximumHosts)
        #expect(bench.services.count == BrowseMachine.largestNumber - 2 * browsed, "Avahi allows 1024 objects")
    }

    @Test("completes the first query when every instance has been resolved or has failed")
    func complete() throws {
        var bench = browsing()
        #expect(!bench.snapshot.isComplete)
        _ = bench(.found(lamp4))
        _ = bench(.found(plug))
        _ = bench(.allForNow)
        #expect(!bench.snapshot.isComplete)
        _ = bench(.resolver(found(try address(5)), of: lamp4))
        #expect(!bench.snapshot.isComplete)
        _ = bench(.resolver(.failed, of: plug))
        #expect(bench.snapshot.isComplete)
        _ = bench(.found(lamp6))
        #expect(bench.snapshot.isComplete, "the first query remains complete")

        var empty = browsing()
        _ = empty(.allForNow)
        #expect(empty.snapshot.isComplete)
    }

    @Test("resolves only wanted instances")
    func unwanted() {
        var bench = browsing(BrowseMachine { $0.contains("E5FF") })
        #expect(bench(.found(plug)) == [])
        #expect(bench(.lost(plug)) == [])
        #expect(bench(.found(lamp4)) == [.resolve(lamp4)])
        #expect(bench(.found(lamp4)) == [], "it is being resolved")
    }

    @Test("limits the number of announcements, and browses again when there is room")
    func bounded() {
        var bench = browsing()
        let many = (0..<1200).map { Announcement(name: "\($0)", interface: 2, isIPv4: true) }
        let resolved = many.flatMap { bench(.found($0)) }
        #expect(resolved.count == BrowseMachine.largestNumber)
        var last: [Action] = []
        for announcement in many.prefix(500) {
            #expect(!last.contains(.browse))
            last = bench(.lost(announcement))
        }
        #expect(last.filter { $0 == .browse }.count == 1)
        #expect(last.count == 502, "each resolver is freed first")
        #expect(bench(.found(many[1100])) == [.resolve(many[1100])])
    }

    // MARK: Restarts of Avahi

    @Test("waits for Avahi, and browses when it is running")
    func absent() {
        var bench = Bench()
        #expect(bench(.start) == [.makeClient])
        #expect(bench(.client(.connecting)) == [])
        #expect(bench.snapshot.discoveryError == "the Avahi daemon isn't running")
        #expect(bench(.client(.registering)) == [])
        #expect(bench.snapshot.discoveryError == "the Avahi daemon is still choosing its host name")
        #expect(bench(.client(.running)) == [.browse])
    }

    @Test("retries a missing bus every second")
    func busAway() {
        var bench = Bench()
        #expect(bench(.start) == [.makeClient])
        for _ in 0..<3 {
            #expect(bench(.client(.refused(reason: "no bus"))) == [])
            #expect(bench.snapshot.discoveryError == "no bus")
            #expect(bench.wait(.milliseconds(900)) == [])
            #expect(bench.wait(.milliseconds(100)) == [.makeClient])
        }
    }

    @Test("keeps services across a restart of Avahi, and drops those that aren't announced again")
    func restart() throws {
        var bench = try seeing()
        _ = bench(.found(plug))
        _ = bench(.resolver(found(try address(7), host: "plug.local"), of: plug))
        let before = bench.services
        _ = bench.wait(.seconds(2))
        #expect(bench(.client(.failed(reason: "gone"))) == [.freeClient, .makeClient])
        #expect(bench.services == before)
        #expect(!bench.snapshot.isComplete)
        #expect(bench(.resolver(.failed, of: plug)) == [], "a late result of an old resolver")
        #expect(bench.services == before)

        #expect(bench(.client(.running)) == [.browse])
        #expect(bench(.found(lamp4)) == [.resolve(lamp4)])
        #expect(bench.services == before)
        #expect(bench(.allForNow) == [])
        #expect(bench.services.map(\.name) == ["Lamp E5FF"])
        #expect(!bench.snapshot.isComplete)
        _ = bench(.resolver(found(try address(5)), of: lamp4))
        #expect(bench.snapshot.isComplete)
    }

    @Test("creates a client at most once a second")
    func failing() {
        var bench = browsing()
        #expect(bench(.client(.failed(reason: "gone"))) == [.freeClient])
        #expect(bench.snapshot.discoveryError == "gone")
        #expect(bench.wait(.seconds(1)) == [.makeClient])
    }

    @Test("retries with backoff if Avahi rejects the browser")
    func refused() {
        var bench = browsing()
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(bench(.failed(reason: "no")) == [.freeClient])
            #expect(bench.snapshot.discoveryError == "Avahi rejected the search: no")
            #expect(bench.wait(.seconds(pause) - .milliseconds(1)) == [])
            #expect(bench.wait(.milliseconds(1)) == [.makeClient])
            #expect(bench(.client(.running)) == [.browse])
        }
        _ = bench(.allForNow)
        _ = bench(.failed(reason: "no"))
        #expect(bench.wait(.seconds(1)) == [.makeClient], "a success resets the backoff")
    }

    @Test("keeps services while Avahi chooses its host name")
    func registering() throws {
        var bench = try seeing()
        #expect(bench(.client(.registering)) == [])
        #expect(bench(.hostName("bridge-2.local")) == [])
        #expect(bench(.client(.running)) == [])
        #expect(bench.services.count == 1)
        #expect(bench.snapshot.hostName == "bridge-2.local")
    }

    @Test("frees everything when stopped, and ignores later events")
    func stop() throws {
        var bench = try seeing()
        #expect(bench(.stop) == [.freeClient])
        #expect(bench.services == [])
        for input: BrowseMachine.Input in [
            .client(.running), .client(.failed(reason: "x")), .browser(.found(plug)),
            .browser(.allForNow), .resolver(.failed, of: lamp4), .stop,
        ] {
            #expect(bench(input) == [])
        }
        #expect(bench.machine.wakeAt == nil)
    }
}
