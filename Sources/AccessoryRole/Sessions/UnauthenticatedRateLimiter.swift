internal import HAPProtocol

/// A rate limit for unauthenticated peers, address by address.
///
/// Connecting costs a unit, and so does each request in clear: a computation on curves is the dearest of them. Proof gives
/// back what its connection has cost, so a home that reconnects from behind one address, again and again, never runs out;
/// what is not given back comes back with time. An IPv6 address also draws on what its network has, which is more: a host
/// that takes one address after the other has no more than that. All of a home are on one such network, the link's, so
/// an address from which a controller has proven itself does not draw on it: unauthenticated peers use it up among themselves.
///
/// For each address it keeps the time at which all will have come back, and forgets it from then on.
struct UnauthenticatedRateLimiter: Equatable {
    /// A number of units, and how fast they come back.
    struct Allowance {
        let units: Int
        let perSecond: Int

        /// How long a unit takes to come back.
        var interval: Duration { .seconds(1) / perSecond }
    }

    private enum Key: Hashable {
        case host(PeerAddress)
        case network(PeerAddress)
    }

    private var wholeAgainAt: [Key: ContinuousClock.Instant] = [:]
    /// When proof was last given at an address that has a network.
    private var provenAt: [PeerAddress: ContinuousClock.Instant] = [:]

    /// How many addresses and networks are remembered.
    var count: Int { wholeAgainAt.count }

    /// Takes a unit.
    ///
    /// - Returns: whether there was one.
    mutating func take(from address: PeerAddress, now: ContinuousClock.Instant) -> Bool {
        // Both or neither: who is refused must not use up what its neighbours have.
        guard let host = afterUnit(from: .host(address), Self.host, now) else { return false }
        if let network = address.network, provenAt[address] == nil {
            guard let after = afterUnit(from: .network(network), Self.network, now) else { return false }
            keep(after, for: .network(network), now)
        }
        keep(host, for: .host(address), now)
        return true
    }

    /// Gives units back that were taken, because proof has come.
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

    /// When all will have come back once another unit has been taken; `nil` if there is none.
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
