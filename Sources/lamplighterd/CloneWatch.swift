import DaemonKit
import Discovery
import HAPModel

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
        /// Nobody has looked yet; to be kept out of sight.
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
    static let patience = Duration.seconds(2)
    /// How long the first probes may take beyond that.
    static let probePatience = Duration.seconds(3)
    /// How often whoever is suspected is asked again.
    static let probeInterval = Duration.seconds(30)
    /// The time between two changes of mind.
    static let steadiness = Duration.seconds(10)
    /// The most suspects at a time; further ones are left alone.
    static let largestNumber = 8

    private struct Suspect {
        enum Probe: Equatable {
            /// Nothing is known before it is answered.
            case first
            case again
            /// The one before went unanswered.
            case lastChance
            case due(at: ContinuousClock.Instant)
        }

        var service: DiscoveredService
        var probe = Probe.first
        var answers = false
    }

    private let deviceID: DeviceID
    private let port: UInt16
    private var own: DiscoveredService?
    private var lookingSince: ContinuousClock.Instant?
    private var hasLooked = false
    private var suspects: [DiscoveredService.ID: Suspect] = [:]
    private var changedAt: ContinuousClock.Instant?
    /// When the mind may change as it already wants to.
    private var steadyUntil: ContinuousClock.Instant?

    private(set) var verdict = Verdict.undecided

    /// - Parameters:
    ///   - deviceID: this bridge's own identity.
    ///   - port: where this bridge itself listens.
    init(deviceID: DeviceID, port: UInt16) {
        self.deviceID = deviceID
        self.port = port
    }

    // MARK: What happened

    /// Takes note of what is on the network; returns whom to probe.
    mutating func seen(_ snapshot: ServiceSnapshot, now: ContinuousClock.Instant) -> [DiscoveredService] {
        hasLooked = hasLooked || snapshot.isComplete
        if lookingSince == nil, snapshot.hostName != nil || hasLooked { lookingSince = now }

        let bearers = snapshot.services.filter { $0.txt["id"].flatMap { DeviceID($0) } == deviceID && $0.port > 0 }
        own = bearers.first(where: isOwn)
        let former = suspects
        suspects = [:]
        var probes: [DiscoveredService] = []
        for service in bearers.filter({ !isOwn($0) }).prefix(Self.largestNumber) {
            var suspect = former[service.id] ?? Suspect(service: service)
            if former[service.id] == nil {
                probes.append(service)
            } else if !suspect.service.isReached(like: service) {
                if suspect.probe != .first { suspect.probe = .again }
                probes.append(service)
            }
            suspect.service = service
            suspects[service.id] = suspect
        }
        decide(now: now)
        return probes
    }

    /// Takes note of whether a suspect has accepted a connection; returns whom to probe once more.
    mutating func probed(
        _ service: DiscoveredService, answers: Bool, now: ContinuousClock.Instant
    ) -> [DiscoveredService] {
        guard var suspect = suspects[service.id], suspect.service.isReached(like: service) else { return [] }
        // One lost packet is no reason to let two be seen.
        let isDoubtful = !answers && suspect.answers && suspect.probe != .lastChance
        if isDoubtful {
            suspect.probe = .lastChance
        } else {
            suspect.answers = answers
            suspect.probe = .due(at: now + Self.probeInterval)
        }
        suspects[service.id] = suspect
        decide(now: now)
        return isDoubtful ? [suspect.service] : []
    }

    /// Does what is due, harmless when nothing is; returns whom to probe.
    mutating func timeReached(now: ContinuousClock.Instant) -> [DiscoveredService] {
        var probes: [DiscoveredService] = []
        for id in suspects.keys.sorted() {
            guard let suspect = suspects[id], case .due(let time) = suspect.probe, time <= now else { continue }
            suspects[id]?.probe = .again
            probes.append(suspect.service)
        }
        decide(now: now)
        return probes
    }

    /// When ``timeReached(now:)`` is to be called next; nil when nobody is suspected.
    var wakeAt: ContinuousClock.Instant? {
        var moments = suspects.values.compactMap { suspect in
            if case .due(let time) = suspect.probe { time } else { nil as ContinuousClock.Instant? }
        }
        if verdict == .undecided, let lookingSince { moments.append(lookingSince + lookingTime) }
        if let steadyUntil { moments.append(steadyUntil) }
        return moments.min()
    }

    // MARK: Its parts

    private func isOwn(_ service: DiscoveredService) -> Bool {
        // An echo of our own record by a reflector leads to our own host and port, too.
        service.isLocal && service.port == port
    }

    private var lookingTime: Duration { hasLooked ? Self.patience + Self.probePatience : Self.patience }

    private mutating func decide(now: ContinuousClock.Instant) {
        if let lookingSince, lookingSince + Self.patience <= now { hasLooked = true }
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
        let clones = suspects.values.filter(\.answers).map(\.service).sorted { $0.id < $1.id }
        switch verdict {
        case .undecided, .withhold:
            if let clone = clones.first { return .withhold(from: Clone(clone)) }
            guard let lookingSince, hasLooked else { return .undecided }
            let isAsking = suspects.values.contains { $0.probe == .first }
            return isAsking && now < lookingSince + lookingTime ? .undecided : .advertise
        case .advertise, .prevail:
            if let clone = clones.first(where: precedesUs) { return .withhold(from: Clone(clone)) }
            return clones.first.map { .prevail(over: Clone($0)) } ?? .advertise
        }
    }

    /// Whether a clone has the older right; both sides come to the same result, each from its own view.
    private func precedesUs(_ clone: DiscoveredService) -> Bool {
        guard let own else { return false }
        if clone.host == own.host { return clone.port < own.port }
        for address in clone.addresses {
            let ours = own.addresses.first { $0.interface == address.interface && $0.isIPv4 == address.isIPv4 }
            if let ours, ours.bytes != address.bytes { return address < ours }
        }
        // No common link: a reflector stands between the two.
        return clone.host < own.host
    }
}

extension CloneWatch.Verdict {
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
        return "\(host.printable) (\(place))"
    }
}

extension DiscoveredService {
    /// Whether a probe of one is a probe of the other.
    fileprivate func isReached(like other: DiscoveredService) -> Bool {
        port == other.port && addresses == other.addresses
    }
}
