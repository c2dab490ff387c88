import DaemonKit
import Discovery
import HAPModel
import TerminalKit

/// Decides whether this bridge may be advertised although another bridge may have the same identity.
///
/// Two bridges have the same identity if the state directory of a bridge was copied. If both were advertised,
/// controllers would connect to either of them.
///
/// A bridge that starts and finds its device ID in use isn't advertised. If two bridges are already advertised, the
/// bridge with the higher address is withdrawn or, on the same host, the bridge with the higher port. An mDNS record
/// alone doesn't prove that another bridge exists, because caches keep records for more than an hour after a host has
/// lost power. The other bridge must also accept a connection.
///
/// This state machine is independent of the network. Its inputs are discovered services, results of probes, and the
/// time. The owner performs the probes that its methods return, and calls ``timeReached(now:)`` at ``wakeAt``.
struct CloneWatch {
    enum Verdict: Equatable {
        /// The check isn't complete, so the bridge must not be advertised yet.
        case undecided
        case advertise
        /// This bridge stays advertised, because the other bridge must be withdrawn.
        case prevail(over: Clone)
        case withhold(from: Clone)
    }

    /// Another bridge with this bridge's identity.
    struct Clone: Equatable {
        let host: String
        let addresses: [ServiceAddress]
        let port: UInt16
    }

    /// The time limit for the first browse result after Avahi has become available.
    ///
    /// Avahi usually needs a second to browse.
    static let timeout = Duration.seconds(2)
    /// The additional time limit for the first probes after ``timeout``.
    static let probeTimeout = Duration.seconds(3)
    /// The maximum time to wait for Avahi to become available.
    ///
    /// After this time, the bridge may be advertised without a browse result.
    static let absenceTimeout = Duration.seconds(30)
    /// The interval between probes of a candidate.
    static let probeInterval = Duration.seconds(30)
    /// The minimum time between two changes of the decision to advertise the bridge.
    static let steadiness = Duration.seconds(10)
    /// The maximum number of candidates, which are services that have this bridge's identity.
    ///
    /// Additional candidates are ignored.
    static let largestNumber = 8
    /// The maximum number of probes within ``steadiness``.
    ///
    /// The limit prevents other hosts from making this bridge connect to many addresses.
    static let largestProbeNumber = 24

    private struct CloneCandidate {
        var service: DiscoveredService
        /// The time of the next probe, or `nil` during a probe.
        var dueAt: ContinuousClock.Instant?
        /// A Boolean value that indicates whether a probe has ever been completed.
        var isKnown = false
        var answers = false
        /// A Boolean value that indicates whether the candidate answered an earlier probe but not the last probe.
        ///
        /// The next probe decides whether the candidate still exists.
        var isDoubtful = false
    }

    private let deviceID: DeviceID
    private let port: UInt16
    private var own: DiscoveredService?
    private var startedAt: ContinuousClock.Instant?
    private var lookingSince: ContinuousClock.Instant?
    private var hasLooked = false
    private var candidates: [DiscoveredService.ID: CloneCandidate] = [:]
    /// The times of the probes within the last ``steadiness``.
    private var probedAt: [ContinuousClock.Instant] = []
    private var changedAt: ContinuousClock.Instant?
    /// The time at which a pending change of the decision may take effect.
    private var steadyUntil: ContinuousClock.Instant?

    private(set) var verdict = Verdict.undecided

    /// Creates a watch for other bridges with this bridge's identity.
    init(deviceID: DeviceID, port: UInt16) {
        self.deviceID = deviceID
        self.port = port
    }

    // MARK: Input

    /// Processes a browse result and returns the services to probe.
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

    /// Processes the result of a probe and returns the services to probe.
    mutating func probed(
        _ service: DiscoveredService, answers: Bool, now: ContinuousClock.Instant
    ) -> [DiscoveredService] {
        guard var candidate = candidates[service.id],
            candidate.dueAt == nil, candidate.service.isReached(like: service)
        else { return [] }
        // Confirm a failed probe by a second probe, because a single lost packet must not cause both bridges to be
        // advertised.
        candidate.isDoubtful = !answers && candidate.answers && !candidate.isDoubtful
        candidate.dueAt = candidate.isDoubtful ? now : now + Self.probeInterval
        if !candidate.isDoubtful { candidate.answers = answers }
        candidate.isKnown = true
        candidates[service.id] = candidate
        return next(now: now)
    }

    /// Updates the decision if it is due, and returns the services to probe.
    mutating func timeReached(now: ContinuousClock.Instant) -> [DiscoveredService] { next(now: now) }

    /// The time at which to call ``timeReached(now:)`` next, or `nil` if nothing is due.
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

    // MARK: Implementation

    private func isOwn(_ service: DiscoveredService) -> Bool {
        // Copies of this bridge's record that an mDNS reflector repeats have this host and port, too.
        service.isLocal && service.port == port
    }

    private var lookingTime: Duration { hasLooked ? Self.timeout + Self.probeTimeout : Self.timeout }

    /// Updates the decision and starts the probes that are due, up to the limit.
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

    /// Returns whether a clone has precedence over this bridge, which must then be withdrawn.
    ///
    /// Both bridges reach the same decision independently.
    private func precedesUs(_ clone: DiscoveredService) -> Bool {
        guard let own else { return false }
        if clone.host == own.host { return clone.port < own.port }
        for address in clone.addresses {
            // Ignore addresses that both hosts have, such as the address of a container network.
            let ours = own.addresses.filter { $0.interface == address.interface && $0.isIPv4 == address.isIPv4 }
            let theirs = clone.addresses.filter { $0.interface == address.interface && $0.isIPv4 == address.isIPv4 }
            if let our = Set(ours).subtracting(theirs).min(), let their = Set(theirs).subtracting(ours).min() {
                return their < our
            }
        }
        // The hosts have no link in common, so an mDNS reflector connects their networks. Compare the host names
        // instead.
        return clone.host < own.host
    }
}

extension CloneWatch.Verdict {
    /// Returns whether this decision differs from the former decision in a way that must be logged.
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

/// The description contains the host, the address and the port of the other bridge, for messages.
extension CloneWatch.Clone: CustomStringConvertible {
    var description: String {
        let place = addresses.first.map { "\($0), port \(port)" } ?? "port \(port)"
        return "\(host.sanitized) (\(place))"
    }
}

extension DiscoveredService {
    /// Returns whether both services have the same addresses and port, so that one probe is enough for both.
    fileprivate func isReached(like other: DiscoveredService) -> Bool {
        port == other.port && addresses == other.addresses
    }
}
