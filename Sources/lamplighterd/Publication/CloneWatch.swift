import DaemonKit
import Discovery
import HAPModel
import TerminalKit

/// Decides whether this bridge may be seen while something else shows the same identity: the state directory was
/// copied, and controllers would meet now the one bridge, now the other.
///
/// Whoever starts and finds its own device id elsewhere stays out of sight. When two are in sight already, the one whose
/// address sorts higher leaves it; on one host, the one with the higher port. A record alone proves nothing, since
/// caches keep it for over an hour after its host has lost power: the other must accept a connection, too.
///
/// The machine knows no network: it is told what is seen, how a probe went, and the time; whoever runs it makes the
/// probes that it returns and calls ``timeReached(now:)`` at ``wakeAt``.
struct CloneWatch {
    enum Verdict: Equatable {
        /// Not probed yet; not to be advertised.
        case undecided
        case advertise
        /// To be seen, though the other is as well: it is the other that has to go.
        case prevail(over: Clone)
        case withhold(from: Clone)
    }

    /// Something else that shows this bridge's identity.
    struct Clone: Equatable {
        let host: String
        let addresses: [ServiceAddress]
        let port: UInt16
    }

    /// How long the first look may take, once Avahi is there; a look takes it a second.
    static let timeout = Duration.seconds(2)
    /// How long the first probes may take beyond that.
    static let probeTimeout = Duration.seconds(3)
    /// How long Avahi is waited for; after that whoever publishes may well try.
    static let absenceTimeout = Duration.seconds(30)
    /// How often a candidate is probed again.
    static let probeInterval = Duration.seconds(30)
    /// The time between two changes of mind.
    static let steadiness = Duration.seconds(10)
    /// The most candidates at a time; further ones are left alone.
    static let largestNumber = 8
    /// The most probes within ``steadiness``: other hosts cannot make this bridge connect to many addresses.
    static let largestProbeNumber = 24

    private struct CloneCandidate {
        var service: DiscoveredService
        /// When the next probe is due; nil while one is under way.
        var dueAt: ContinuousClock.Instant?
        /// Whether a probe has ever come to an end.
        var isKnown = false
        var answers = false
        /// It answered before and did not the last time: the next probe decides.
        var isDoubtful = false
    }

    private let deviceID: DeviceID
    private let port: UInt16
    private var own: DiscoveredService?
    private var startedAt: ContinuousClock.Instant?
    private var lookingSince: ContinuousClock.Instant?
    private var hasLooked = false
    private var candidates: [DiscoveredService.ID: CloneCandidate] = [:]
    /// The probes of the last ``steadiness``.
    private var probedAt: [ContinuousClock.Instant] = []
    private var changedAt: ContinuousClock.Instant?
    /// When the mind may change as it already wants to.
    private var steadyUntil: ContinuousClock.Instant?

    private(set) var verdict = Verdict.undecided

    /// Creates a watch for another host with this bridge's identity.
    init(deviceID: DeviceID, port: UInt16) {
        self.deviceID = deviceID
        self.port = port
    }

    // MARK: What happened

    /// Takes note of what is on the network; returns whom to probe.
    mutating func seen(_ snapshot: ServiceSnapshot, now: ContinuousClock.Instant) -> [DiscoveredService] {
        startedAt = startedAt ?? now
        hasLooked = hasLooked || snapshot.isComplete
        if snapshot.hostName != nil || hasLooked { lookingSince = lookingSince ?? now }

        let bearers = snapshot.services.filter { $0.txt["id"].flatMap { DeviceID($0) } == deviceID && $0.port > 0 }
        own = bearers.first(where: isOwn)
        let former = candidates
        candidates = [:]
        for service in bearers.filter({ !isOwn($0) }).prefix(Self.largestNumber) {
            var candidate = former[service.id] ?? CloneCandidate(service: service, dueAt: now)
            if !candidate.service.isReached(like: service) { candidate.dueAt = now }
            candidate.service = service
            candidates[service.id] = candidate
        }
        return next(now: now)
    }

    /// Takes note of whether a candidate has accepted a connection; returns whom to probe now.
    mutating func probed(
        _ service: DiscoveredService, answers: Bool, now: ContinuousClock.Instant
    ) -> [DiscoveredService] {
        guard var candidate = candidates[service.id],
            candidate.dueAt == nil, candidate.service.isReached(like: service)
        else { return [] }
        // One lost packet is no reason to let two be seen.
        candidate.isDoubtful = !answers && candidate.answers && !candidate.isDoubtful
        candidate.dueAt = candidate.isDoubtful ? now : now + Self.probeInterval
        if !candidate.isDoubtful { candidate.answers = answers }
        candidate.isKnown = true
        candidates[service.id] = candidate
        return next(now: now)
    }

    /// Does what is due, harmless when nothing is; returns whom to probe.
    mutating func timeReached(now: ContinuousClock.Instant) -> [DiscoveredService] { next(now: now) }

    /// When ``timeReached(now:)`` is to be called next; nil when there is no candidate.
    var wakeAt: ContinuousClock.Instant? {
        var moments = candidates.values.compactMap(\.dueAt)
        if verdict == .undecided {
            if let lookingSince {
                moments.append(lookingSince + lookingTime)
            } else if let startedAt {
                moments.append(startedAt + Self.absenceTimeout)
            }
        }
        if let steadyUntil { moments.append(steadyUntil) }
        return moments.min()
    }

    // MARK: Its parts

    private func isOwn(_ service: DiscoveredService) -> Bool {
        // An echo of our own record by a reflector leads to our own host and port, too.
        service.isLocal && service.port == port
    }

    private var lookingTime: Duration { hasLooked ? Self.timeout + Self.probeTimeout : Self.timeout }

    /// Decides, and begins the probes that are due, as far as there may be more.
    private mutating func next(now: ContinuousClock.Instant) -> [DiscoveredService] {
        decide(now: now)
        probedAt.removeAll { $0 + Self.steadiness <= now }
        var probes: [DiscoveredService] = []
        for id in candidates.keys.sorted() {
            guard let candidate = candidates[id], let dueAt = candidate.dueAt, dueAt <= now else { continue }
            if let first = probedAt.first, probedAt.count >= Self.largestProbeNumber {
                candidates[id]?.dueAt = first + Self.steadiness
            } else {
                candidates[id]?.dueAt = nil
                probedAt.append(now)
                probes.append(candidate.service)
            }
        }
        return probes
    }

    private mutating func decide(now: ContinuousClock.Instant) {
        if let startedAt, startedAt + Self.absenceTimeout <= now { lookingSince = lookingSince ?? startedAt }
        if let lookingSince, lookingSince + Self.timeout <= now { hasLooked = true }
        let wish = wish(now: now)
        steadyUntil = nil
        if verdict != .undecided, wish.isAdvertised != verdict.isAdvertised {
            if let changedAt, changedAt + Self.steadiness > now {
                steadyUntil = changedAt + Self.steadiness
                return
            }
            changedAt = now
        }
        verdict = wish
    }

    private func wish(now: ContinuousClock.Instant) -> Verdict {
        let clones = candidates.values.filter(\.answers).map(\.service).sorted { $0.id < $1.id }
        let isAsking = candidates.values.contains { !$0.isKnown }
        switch verdict {
        case .undecided:
            if let clone = clones.first { return .withhold(from: Clone(clone)) }
            guard let lookingSince, hasLooked else { return verdict }
            return isAsking && now < lookingSince + lookingTime ? verdict : .advertise
        case .withhold:
            if let clone = clones.first { return .withhold(from: Clone(clone)) }
            return isAsking ? verdict : .advertise
        case .advertise, .prevail:
            if let clone = clones.first(where: precedesUs) { return .withhold(from: Clone(clone)) }
            return clones.first.map { .prevail(over: Clone($0)) } ?? .advertise
        }
    }

    /// Whether it is we who leave; both sides come to the same result, each from its own view.
    private func precedesUs(_ clone: DiscoveredService) -> Bool {
        guard let own else { return false }
        if clone.host == own.host { return clone.port < own.port }
        for address in clone.addresses {
            // Both may have one address, such as that of a container network.
            let ours = own.addresses.filter { $0.interface == address.interface && $0.isIPv4 == address.isIPv4 }
            let theirs = clone.addresses.filter { $0.interface == address.interface && $0.isIPv4 == address.isIPv4 }
            if let our = Set(ours).subtracting(theirs).min(), let their = Set(theirs).subtracting(ours).min() {
                return their < our
            }
        }
        // No common link: a reflector stands between the two.
        return clone.host < own.host
    }
}

extension CloneWatch.Verdict {
    /// Whether somebody who was told the former is to be told this one, too.
    func isNew(after former: CloneWatch.Verdict) -> Bool {
        switch (self, former) {
        case (.withhold(let clone), .withhold(let known)), (.prevail(let clone), .prevail(let known)):
            clone.host != known.host || clone.port != known.port
        default: self != former
        }
    }

    var isAdvertised: Bool {
        switch self {
        case .undecided, .withhold: false
        case .advertise, .prevail: true
        }
    }
}

extension CloneWatch.Clone {
    fileprivate init(_ service: DiscoveredService) {
        self.init(host: service.host, addresses: service.addresses, port: service.port)
    }
}

/// For people: where the other one is.
extension CloneWatch.Clone: CustomStringConvertible {
    var description: String {
        let place = addresses.first.map { "\($0), port \(port)" } ?? "port \(port)"
        return "\(host.sanitized) (\(place))"
    }
}

extension DiscoveredService {
    /// Whether a probe of one is a probe of the other.
    fileprivate func isReached(like other: DiscoveredService) -> Bool {
        port == other.port && addresses == other.addresses
    }
}
