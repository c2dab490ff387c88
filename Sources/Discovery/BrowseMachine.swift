import AsyncKit

/// Decides which requests to make to Avahi, so that all services of one type stay known.
///
/// The machine is independent of libavahi. ``received(_:now:)`` takes an event and returns the next actions. The owner
/// also calls ``timeReached(now:)`` at ``wakeAt``.
///
/// Avahi reports an instance once for each interface and protocol. Such a report is an *announcement*. As long as an
/// announcement exists, the machine keeps resolving it, in order to notice changes of its TXT record, port or address.
/// The announcements of one instance on one host form one service. If a host stops answering, its announcements are
/// hidden until it answers again, without waiting for their PTR records to expire.
///
/// A resolver reports only one address. A host can have several, and some are unreachable from here, such as those of a
/// container network, a tunnel or a second LAN. The machine therefore also follows the address records of each host.
///
/// When Avahi disappears, the known services are kept, because they probably still exist. When Avahi has returned and
/// has sent its initial list, services that aren't on the list are dropped.
struct BrowseMachine {
    enum Input: Equatable {
        case start
        /// Repeat all queries.
        case refresh
        case stop
        case client(ClientState)
        /// The host name that Avahi has chosen.
        case hostName(String)
        case browser(BrowserEvent)
        case resolver(ResolverEvent, of: Announcement)
        case addresses(AddressEvent, of: Host)
    }

    /// An instance on one interface over one protocol.
    struct Announcement: Hashable, Sendable {
        let name: String
        let interface: Int32
        let isIPv4: Bool
    }

    /// A host on one interface.
    struct Host: Hashable, Sendable {
        /// The name in lower case.
        let name: String
        let interface: Int32

        init(name: String, interface: Int32) {
            self.name = name.lowercased()
            self.interface = interface
        }
    }

    /// An event that concerns a host's address records.
    ///
    /// Each record is reported once for each protocol over which it arrived.
    enum AddressEvent: Equatable {
        case found(ServiceAddress)
        case lost(ServiceAddress)
        case allForNow(isIPv4: Bool)
    }

    enum BrowserEvent: Equatable {
        case found(Announcement)
        case lost(Announcement)
        case allForNow
        case failed(reason: String)
    }

    enum ResolverEvent: Equatable {
        case found(Resolution)
        /// No host has answered, or the host doesn't answer anymore. Avahi continues to query.
        case failed
    }

    /// The data that an announcement resolves to.
    struct Resolution: Equatable {
        let host: String
        let port: UInt16
        let address: ServiceAddress
        let txt: TXTRecord
    }

    enum Action: Equatable {
        case makeClient
        /// Frees the client with its browser and resolvers.
        case freeClient
        /// Creates the browser and frees the previous one.
        case browse
        case resolve(Announcement)
        case stopResolving(Announcement)
        /// Follows the address records of a host.
        case browseAddresses(Host)
        case stopBrowsingAddresses(Host)
    }

    static let retryInterval = Duration.seconds(1)
    /// The minimum time between two repetitions of all queries.
    static let refreshInterval = Duration.seconds(5)

    /// The maximum number of Avahi objects.
    ///
    /// Avahi allows 1024 objects for each client. Each announcement uses one object, and each host uses two.
    static let largestNumber = 1000
    /// The maximum number of hosts whose address records are followed.
    ///
    /// For other hosts, only the addresses from their resolvers are known.
    static let maximumHosts = 200
    /// The time from the first result of a new host until the host is shown.
    ///
    /// Its address records arrive one by one within this time.
    static let debounceTime = Duration.milliseconds(100)
    /// The maximum number of addresses of one family per host and interface.
    static let maximumAddresses = 8

    private enum Link: Equatable {
        case none
        /// There is no client. The next one is created at the given time.
        case down(reason: String, until: ContinuousClock.Instant)
        case connecting
        case registering
        case running
    }

    private struct Entry {
        /// A Boolean value that indicates whether the current browser has found the announcement, which means that a
        /// resolver is active.
        var isConfirmed = true
        var resolution: Resolution?
        /// A Boolean value that indicates whether a resolver of the current browser has reported a result.
        var isResolved = false
        /// The sequence number of the announcement's latest result.
        ///
        /// Higher numbers are later.
        var order = 0
    }

    private struct HostEntry {
        /// The number of announcements that are resolved to this host.
        var users = 0
        /// A Boolean value that indicates whether the current client follows the host's records.
        var isBrowsed = false
        /// The time at which the host's first addresses are expected to be complete, or `nil` if that time has passed.
        var debouncedUntil: ContinuousClock.Instant?
        /// The number of records that the current client has reported for each address.
        ///
        /// It is 0 for an address that only a previous client has reported.
        var addresses: [ServiceAddress: Int] = [:]
    }

    private let isWanted: @Sendable (String) -> Bool
    private var link = Link.none
    private var clientMadeAt: ContinuousClock.Instant?
    private var backoff = Backoff()
    private var entries: [Announcement: Entry] = [:]
    private var hosts: [Host: HostEntry] = [:]
    private var order = 0
    /// A Boolean value that indicates whether an announcement was ignored because of the limit.
    private var hasOverflowed = false
    /// The time at which all queries were last repeated.
    private var lookedAt: ContinuousClock.Instant?
    /// The time of the scheduled repetition of all queries; `nil` if none is scheduled.
    private var refreshAt: ContinuousClock.Instant?
    /// A Boolean value that indicates whether the current browser has sent its initial list.
    private var isListed = false
    /// A Boolean value that indicates whether the list has been received, every resolver has reported a result, and all
    /// hosts are shown.
    private var isComplete = false
    private var hostName: String?

    /// Creates a machine that is idle until ``Input/start``.
    ///
    /// Instances whose names `isWanted` rejects aren't resolved.
    init(isWanted: @escaping @Sendable (String) -> Bool = { _ in true }) {
        self.isWanted = isWanted
    }

    // MARK: Input

    mutating func received(_ input: Input, now: ContinuousClock.Instant) -> [Action] {
        switch input {
        case .start: return link == .none ? makeClient(now: now) : []
        case .refresh: return refresh(now: now)
        case .stop: return stop()
        case .client(let state): return clientBecame(state, now: now)
        case .hostName(let name):
            hostName = name.lowercased()
            return []
        case .browser(let event): return browserEventReceived(event, now: now)
        case .resolver(let event, let announcement):
            return resolverEventReceived(event, of: announcement, now: now)
        case .addresses(let event, let host):
            addressEventReceived(event, of: host)
            return []
        }
    }

    /// Performs due work, if any.
    mutating func timeReached(now: ContinuousClock.Instant) -> [Action] {
        for (host, entry) in hosts {
            if let time = entry.debouncedUntil, time <= now { hosts[host]?.debouncedUntil = nil }
        }
        updateCompleteness()
        if let refreshAt, refreshAt <= now { return refresh(now: now) }
        guard case .down(_, let until) = link, until <= now else { return [] }
        return makeClient(now: now)
    }

    /// The time at which to call ``timeReached(now:)`` next.
    var wakeAt: ContinuousClock.Instant? {
        let nextHostAt = hosts.values.compactMap(\.debouncedUntil).min()
        guard case .down(_, let until) = link else { return [refreshAt, nextHostAt].compactMap { $0 }.min() }
        return min(until, nextHostAt ?? until)
    }

    var snapshot: ServiceSnapshot {
        var snapshot = ServiceSnapshot(services: services, isComplete: isComplete, hostName: hostName)
        snapshot.discoveryError = discoveryError
        return snapshot
    }

    // MARK: Implementation

    /// Repeats all queries, or schedules a single repetition if the minimum interval hasn't passed yet.
    private mutating func refresh(now: ContinuousClock.Instant) -> [Action] {
        refreshAt = nil
        guard link == .running else { return [] }
        if let lookedAt, now < lookedAt + Self.refreshInterval {
            refreshAt = lookedAt + Self.refreshInterval
            return []
        }
        return lookAnew(now: now)
    }

    private mutating func stop() -> [Action] {
        let held = holdsClient
        link = .none
        refreshAt = nil
        forgetClient()
        entries = [:]
        hosts = [:]
        return held ? [.freeClient] : []
    }

    private mutating func clientBecame(_ state: ClientState, now: ContinuousClock.Instant) -> [Action] {
        guard link != .none else { return [] }
        switch state {
        case .refused(let reason):
            link = .down(reason: reason, until: now + Self.retryInterval)
            return []
        case .connecting:
            link = .connecting
            return []
        case .registering:
            // Avahi is choosing its host name. Its reports about other hosts remain valid.
            if link == .connecting { link = .registering }
            return []
        case .running:
            guard link != .running else { return [] }
            link = .running
            return browse(now: now)
        case .failed(let reason):
            forgetClient()
            let next = (clientMadeAt ?? now) + Self.retryInterval
            guard next <= now else {
                link = .down(reason: reason, until: next)
                return [.freeClient]
            }
            return [.freeClient] + makeClient(now: now)
        }
    }

    private mutating func browserEventReceived(_ event: BrowserEvent, now: ContinuousClock.Instant) -> [Action] {
        guard link == .running else { return [] }
        switch event {
        case .found(let announcement):
            let known = entries[announcement]
            guard isWanted(announcement.name), known?.isConfirmed != true else { return [] }
            guard known != nil || objects < Self.largestNumber else {
                hasOverflowed = true
                return []
            }
            entries[announcement] = Entry(resolution: known?.resolution, order: known?.order ?? 0)
            return [.resolve(announcement)]
        case .lost(let announcement):
            guard let entry = entries.removeValue(forKey: announcement) else { return [] }
            updateCompleteness()
            let end = (entry.isConfirmed ? [Action.stopResolving(announcement)] : []) + release(entry, announcement)
            // There is room again for announcements that the limit excluded. Repeat the queries to find them.
            guard hasOverflowed, entries.count <= Self.largestNumber / 2 else { return end }
            return end + lookAnew(now: now)
        case .allForNow:
            backoff.succeeded()
            isListed = true
            let gone = entries.filter { !$0.value.isConfirmed }
            entries = entries.filter { $0.value.isConfirmed }
            updateCompleteness()
            return gone.flatMap { release($0.value, $0.key) }
        case .failed(let reason):
            forgetClient()
            link = .down(reason: "Avahi rejected the search: \(reason)", until: now + backoff.failed())
            return [.freeClient]
        }
    }

    private mutating func resolverEventReceived(
        _ event: ResolverEvent, of announcement: Announcement, now: ContinuousClock.Instant
    ) -> [Action] {
        guard let entry = entries[announcement], entry.isConfirmed else { return [] }
        entries[announcement]?.isResolved = true
        defer { updateCompleteness() }
        switch event {
        case .found(let resolution):
            let host = Host(name: resolution.host, interface: announcement.interface)
            guard entry.resolution != resolution else { return browseAddresses(of: host) }
            order += 1
            entries[announcement]?.resolution = resolution
            entries[announcement]?.order = order
            // Retain the new host before releasing the former one: they are usually the same host, which must not be
            // removed.
            let begin = retain(host, now: now)
            return begin + release(entry, announcement)
        case .failed:
            entries[announcement]?.resolution = nil
            return release(entry, announcement)
        }
    }

    // MARK: Host addresses

    /// The number of Avahi objects in use.
    private var objects: Int { entries.count + 2 * hosts.count }

    /// Counts an announcement as resolved to a host.
    private mutating func retain(_ host: Host, now: ContinuousClock.Instant) -> [Action] {
        if hosts[host] == nil {
            guard hosts.count < Self.maximumHosts, objects + 2 <= Self.largestNumber else { return [] }
            hosts[host] = HostEntry(debouncedUntil: now + Self.debounceTime)
        }
        hosts[host, default: HostEntry()].users += 1
        return browseAddresses(of: host)
    }

    private mutating func browseAddresses(of host: Host) -> [Action] {
        guard let entry = hosts[host], !entry.isBrowsed else { return [] }
        hosts[host]?.isBrowsed = true
        return [.browseAddresses(host)]
    }

    /// Stops counting an announcement as resolved to its host.
    private mutating func release(_ entry: Entry, _ announcement: Announcement) -> [Action] {
        guard let name = entry.resolution?.host else { return [] }
        let host = Host(name: name, interface: announcement.interface)
        guard let known = hosts[host] else { return [] }
        guard known.users <= 1 else {
            hosts[host]?.users -= 1
            return []
        }
        hosts[host] = nil
        return known.isBrowsed ? [.stopBrowsingAddresses(host)] : []
    }

    private mutating func addressEventReceived(_ event: AddressEvent, of host: Host) {
        guard let entry = hosts[host], entry.isBrowsed else { return }
        switch event {
        case .found(let address):
            let others = entry.addresses.keys.filter { $0.isIPv4 == address.isIPv4 }
            guard address.isReachable, entry.addresses[address] != nil || others.count < Self.maximumAddresses else {
                return
            }
            hosts[host]?.addresses[address, default: 0] += 1
        case .lost(let address):
            guard let count = entry.addresses[address] else { return }
            hosts[host]?.addresses[address] = count > 1 ? count - 1 : nil
        case .allForNow(let isIPv4):
            hosts[host]?.addresses = entry.addresses.filter { $0.key.isIPv4 != isIPv4 || $0.value > 0 }
        }
    }

    private mutating func makeClient(now: ContinuousClock.Instant) -> [Action] {
        link = .connecting
        clientMadeAt = now
        return [.makeClient]
    }

    private mutating func browse(now: ContinuousClock.Instant) -> [Action] {
        forgetClient()
        lookedAt = now
        hasOverflowed = false
        return [.browse]
    }

    private mutating func lookAnew(now: ContinuousClock.Instant) -> [Action] {
        let ends = entries.filter(\.value.isConfirmed).keys.map(Action.stopResolving)
        let hostEnds = hosts.filter(\.value.isBrowsed).keys.map(Action.stopBrowsingAddresses)
        return ends + hostEnds + browse(now: now)
    }

    /// Keeps the known services, but marks them as unconfirmed.
    private mutating func forgetClient() {
        refreshAt = nil
        isListed = false
        isComplete = false
        for announcement in entries.keys { entries[announcement]?.isConfirmed = false }
        for (host, entry) in hosts {
            hosts[host]?.isBrowsed = false
            hosts[host]?.addresses = entry.addresses.mapValues { _ in 0 }
        }
    }

    private mutating func updateCompleteness() {
        let isDebounced = hosts.values.allSatisfy { $0.debouncedUntil == nil }
        isComplete = isComplete || (isDebounced && (isListed && entries.values.allSatisfy(\.isResolved)))
    }

    private var services: [DiscoveredService] {
        var services: [DiscoveredService.ID: DiscoveredService] = [:]
        // The entries are processed in ascending order, so that the port and TXT record of the latest result are used.
        for (announcement, entry) in entries.sorted(by: { $0.value.order < $1.value.order }) {
            guard let resolution = entry.resolution else { continue }
            let host = Host(name: resolution.host, interface: announcement.interface)
            guard hosts[host]?.debouncedUntil == nil else { continue }
            let id = DiscoveredService.ID(name: announcement.name, host: resolution.host)
            var service =
                services[id]
                ?? DiscoveredService(
                    id: id, port: resolution.port, txt: resolution.txt, addresses: [], isLocal: id.host == hostName)
            service.port = resolution.port
            service.txt = resolution.txt
            let addresses = [resolution.address] + (hosts[host]?.addresses.keys.map { $0 } ?? [])
            service.addresses += addresses.filter(\.isReachable)
            services[id] = service
        }
        for (id, service) in services { services[id]?.addresses = Set(service.addresses).inConnectionOrder }
        return services.values.sorted { $0.id < $1.id }
    }

    private var discoveryError: String? {
        switch link {
        case .none: "the search hasn't started"
        case .down(let reason, _): reason
        case .connecting: "the Avahi daemon isn't running"
        case .registering: "the Avahi daemon is still choosing its host name"
        case .running: nil
        }
    }

    private var holdsClient: Bool {
        switch link {
        case .none, .down: false
        case .connecting, .registering, .running: true
        }
    }
}
