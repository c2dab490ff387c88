internal import HAPProtocol

/// A rate limiter for unauthenticated peers, by address.
///
/// Each connection and each unencrypted request costs one unit, mainly because of the curve computations that it can
/// cause. A successful proof refunds the units of its connection, so a home that keeps reconnecting from one address
/// never runs out of units. Other units are restored over time.
///
/// An IPv6 address also uses up units of its network, so that a host can't get more units by changing its address. All
/// devices in a home share one network, so an address from which a controller has authenticated no longer uses up the
/// network's units. Only unauthenticated peers compete for these units.
///
/// The limiter stores the time at which all units of an address will be restored. After that time, it can forget the
/// address.
struct UnauthenticatedRateLimiter: Equatable {
    /// A number of units and the rate at which they are restored.
    struct Allowance {
        let units: Int
        let perSecond: Int

        /// The time in which one unit is restored.
        var interval: Duration { .seconds(1) / perSecond }
    }

    private enum Key: Hashable {
        case host(PeerAddress)
        case network(PeerAddress)
    }

    private var wholeAgainAt: [Key: ContinuousClock.Instant] = [:]
    /// The time of the last proof from each IPv6 address.
    private var provenAt: [PeerAddress: ContinuousClock.Instant] = [:]

    /// The number of tracked addresses and networks.
    var count: Int { wholeAgainAt.count }

    /// Takes a unit.
    ///
    /// - Returns: Whether a unit was available.
    mutating func take(from address: PeerAddress, now: ContinuousClock.Instant) -> Bool {
        // Take both units or none: a rejected peer must not use up the units of its neighbors.
        guard let host = afterUnit(from: .host(address), Self.host, now) else { return false }
        if let network = address.network, provenAt[address] == nil {
            guard let after = afterUnit(from: .network(network), Self.network, now) else { return false }
            keep(after, for: .network(network), now)
        }
        keep(host, for: .host(address), now)
        return true
    }

    /// Refunds units after a successful proof.
    mutating func giveBack(_ units: Int, to address: PeerAddress, now: ContinuousClock.Instant) {
        if let network = address.network {
            if provenAt.updateValue(now, forKey: address) == nil {
                giveBack(units, to: .network(network), Self.network, now)
            }
            if provenAt.count > Self.maximumProven, let oldest = provenAt.min(by: { $0.value < $1.value }) {
                provenAt[oldest.key] = nil
            }
        }
        giveBack(units, to: .host(address), Self.host, now)
    }

    /// Returns the time at which all units will be restored if a unit is taken now; `nil` if no unit is left.
    private func afterUnit(
        from key: Key, _ allowance: Allowance, _ now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        let next = max(wholeAgainAt[key] ?? now, now) + allowance.interval
        return next <= now + allowance.interval * allowance.units ? next : nil
    }

    private mutating func keep(
        _ time: ContinuousClock.Instant, for key: Key, _ now: ContinuousClock.Instant
    ) {
        if wholeAgainAt[key] == nil { makeRoom(now) }
        wholeAgainAt[key] = time
    }

    private mutating func giveBack(
        _ units: Int, to key: Key, _ allowance: Allowance, _ now: ContinuousClock.Instant
    ) {
        guard let known = wholeAgainAt[key] else { return }
        let next = known - allowance.interval * units
        wholeAgainAt[key] = next > now ? next : nil
    }

    private mutating func makeRoom(_ now: ContinuousClock.Instant) {
        guard wholeAgainAt.count >= Self.maximumAddresses else { return }
        wholeAgainAt = wholeAgainAt.filter { $0.value > now }
        while wholeAgainAt.count >= Self.maximumAddresses, let least = wholeAgainAt.min(by: { $0.value < $1.value }) {
            wholeAgainAt[least.key] = nil
        }
    }
}
