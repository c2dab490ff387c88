import DaemonKit
import Discovery
import HAPModel
import TerminalKit

/// Decides whether this bridge may be advertised while another has the same identity.
///
/// This happens when the state directory was copied. Controllers would then connect to either of the two bridges.
///
/// A bridge that starts and finds its device ID in use isn't advertised. If both are already advertised, the one with
/// the higher address is withdrawn; on the same host, the one with the higher port. A record alone isn't proof, because
/// caches keep it for more than an hour after its host has lost power. The other bridge must also accept a connection.
///
/// The machine is independent of the network. Its inputs are discovered services, results of probes, and the time. The
/// owner performs the probes that it returns and calls ``timeReached(now:)`` at ``wakeAt``.
struct CloneWatch {
    enum Verdict: Equatable {
        /// The check isn't complete, so the bridge must not be advertised yet.
        case undecided
        case advertise
        /// The bridge stays advertised, because the other one must be withdrawn.
        case prevail(over: Clone)
        case withhold(from: Clone)
    }

    /// Another bridge with this bridge's identity.
    struct Clone: Equatable {
        let host: String
        let addresses: [ServiceAddress]
        let port: UInt16
    }

    /// The time limit for the first browse result once Avahi is available.
    ///
    /// Browsing takes it a second.
    static let timeout = Duration.seconds(2)
    /// The additional time limit for the first probes.
    static let probeTimeout = Duration.seconds(3)
    /// The time to wait for Avahi.
    ///
    /// After that, the bridge may be published.
    static let absenceTimeout = Duration.seconds(30)
    /// The interval between probes of a candidate.
    static let probeInterval = Duration.seconds(30)
    /// The minimum time between two changes of the decision.
    static let steadiness = Duration.seconds(10)
    /// The maximum number of candidates.
    ///
    /// Further ones are ignored.
    static let largestNumber = 8
    /// The maximum number of probes within ``steadiness``, so that other hosts can't make this bridge connect to many
    /// addresses.
    static let largestProbeNumber = 24

    private struct CloneCandidate {
        var service: DiscoveredService
        /// The time of the next probe, or `nil` during a probe.
        var dueAt: ContinuousClock.Instant?
        /// Whether a probe has ever been completed.
        var isKnown = false
        var answers = false
        /// Whether it answered before, but not the last probe.
        ///
        /// The next probe decides.
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

    /// Creates a watch for another host with this bridge's identity.
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
        // A single lost packet must not result in two advertised bridges.
        candidate.isDoubtful = !answers && candidate.answers && !candidate.isDoubtful
        candidate.dueAt = candidate.isDoubtful ? now : now + Self.probeInterval
        if !candidate.isDoubtful { candidate.answers = answers }
        candidate.isKnown = true
        candidates[service.id] = candidate
        return next(now: now)
    }

    /// Performs due work, if any, and returns the services to probe.
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
        // Our own record, repeated by a reflector, also leads to our own host and port.
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

    /// Returns whether this bridge must be withdrawn.
    ///
    /// Both sides reach the same decision independently.
    private func precedesUs(_ clone: DiscoveredService) -> Bool {
        guard let own else { return false }
        if clone.host == own.host { return clone.port < own.port }
        for address in clone.addresses {
            // Both may have an address in common, such as that of a container network.
            let ours = own.addresses.filter { $0.interface == address.interface && $0.isIPv4 == address.isIPv4 }
            let theirs = clone.addresses.filter { $0.interface == address.interface && $0.isIPv4 == address.isIPv4 }
            if let our = Set(ours).subtracting(theirs).min(), let their = Set(theirs).subtracting(ours).min() {
                return their < our
            }
        }
        // Without a common link, a reflector connects the two networks.
        return clone.host < own.host
    }
}

extension CloneWatch.Verdict {
    /// Returns whether this decision must be reported again after the previous one.
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

/// Describes the location of the other bridge for people.
extension CloneWatch.Clone: CustomStringConvertible {
    var description: String {
        let place = addresses.first.map { "\($0), port \(port)" } ?? "port \(port)"
        return "\(host.sanitized) (\(place))"
    }
}

extension DiscoveredService {
    /// Returns whether a probe of one service is also a probe of the other.
    fileprivate func isReached(like other: DiscoveredService) -> Bool {
        port == other.port && addresses == other.addresses
    }
}
