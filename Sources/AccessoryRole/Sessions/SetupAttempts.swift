package import HAPProtocol

/// The state of pair setup attempts: the connection that may try, and the wrong proofs (HAP 5.5, 5.7).
///
/// Only one attempt runs at a time. A connection has the *turn* from its M1 until the attempt ends, fails or takes too
/// long. Three rules keep pairing available to users with the correct setup code while other peers guess or block:
///
/// - After a wrong proof, its source and all other sources must pause. Pauses grow, and are much shorter for sources
///   that haven't failed. A request that is rejected during a pause doesn't count as a failure.
/// - A waiting source precedes sources that have lost more turns.
/// - A turn ends after ``turnLimit`` without a valid proof as soon as another source requests it.
///
/// An IPv6 source is also charged with a share of its network's losses, because one host can use any number of
/// addresses in the network.
package struct SetupAttempts: Equatable, Sendable {
    private struct Turn: Equatable {
        let connection: ConnectionID
        let source: PeerAddress
        let began: ContinuousClock.Instant
        var lastReceived: ContinuousClock.Instant
        var isProven = false
    }

    /// The record of a source, or of an IPv6 network of sources.
    private struct Record: Equatable {
        /// The number of turns that ended without a valid proof.
        var lostTurns = 0
        var wrongProofs = 0
        var pausedUntil: ContinuousClock.Instant?
        /// The time of the last request that was rejected since the source's last turn; `nil` if there is none.
        var waitingSince: ContinuousClock.Instant?
        var lastSeen: ContinuousClock.Instant
    }

    /// The number of wrong proofs since the last correct one.
    ///
    /// The count survives restarts.
    package private(set) var failures: Int
    private var lastFailure: ContinuousClock.Instant?
    private var turn: Turn?
    private var records: [PeerAddress: Record] = [:]

    package init(failures: Int) { self.failures = failures }

    var areExhausted: Bool { failures >= Self.maximumFailures }

    /// The number of tracked sources and networks.
    var sourceCount: Int { records.count }

    /// Returns the other connection that has the turn; `nil` if no connection or the given connection has it.
    func rival(of connection: ConnectionID) -> ConnectionID? {
        guard let turn, turn.connection != connection else { return nil }
        return turn.connection
    }

    // MARK: Turns

    /// Returns whether a connection may start an attempt; if not, its source counts as waiting.
    ///
    /// `rivalIsAnswered` is `true` while the connection that has the turn is waiting for the server's response.
    package mutating func admits(
        _ connection: ConnectionID, from source: PeerAddress, rivalIsAnswered: Bool = false,
        now: ContinuousClock.Instant
    ) -> Bool {
        let isAdmitted: Bool
        if let turn, turn.connection == connection {
            // Controllers may start over within their turn, as iOS does.
            isAdmitted = !isOver(turn, now) || !isOutranked(source, losses: losses(of: source, now) + 1, now)
        } else if let turn, rivalIsAnswered || !isOver(turn, now) {
            isAdmitted = false
        } else {
            isAdmitted =
                !isPaused(source, now) && !isOutranked(source, losses: losses(of: source, now), now)
        }
        if !isAdmitted { update(source, now) { $0.waitingSince = now } }
        return isAdmitted
    }

    /// Records a message from the connection that has the turn or is taking it over.
    package mutating func received(
        from connection: ConnectionID, at source: PeerAddress, now: ContinuousClock.Instant
    ) {
        if turn?.connection == connection {
            turn?.lastReceived = now
            return
        }
        // Another connection from the same source continues the source's turn.
        let began = turn.flatMap { $0.source == source ? $0.began : nil } ?? now
        endTurn(now)
        turn = Turn(connection: connection, source: source, began: began, lastReceived: now)
        records[source]?.waitingSince = nil
    }

    /// Ends the turn of a connection that has finished its attempt or disconnected.
    package mutating func release(_ connection: ConnectionID, now: ContinuousClock.Instant) {
        if turn?.connection == connection { endTurn(now) }
    }

    private mutating func endTurn(_ now: ContinuousClock.Instant) {
        guard let ended = turn else { return }
        turn = nil
        guard !ended.isProven else { return }
        update(ended.source, now) { $0.lostTurns += 1 }
        if let network = Self.network(of: ended.source) { update(network, now) { $0.lostTurns += 1 } }
    }

    private func isOver(_ turn: Turn, _ now: ContinuousClock.Instant) -> Bool {
        now - turn.lastReceived >= Self.silenceLimit || !turn.isProven && now - turn.began >= Self.turnLimit
    }

    // MARK: Proofs

    /// Records a wrong proof, and starts the pauses.
    package mutating func failed(at source: PeerAddress, now: ContinuousClock.Instant) {
        failures += 1
        lastFailure = now
        for (address, share) in [(source, 1), (Self.network(of: source), Self.networkShare)] {
            guard let address else { continue }
            update(address, now) { record in
                record.wrongProofs += 1
                record.pausedUntil = now + Self.pause(afterWrongProofs: record.wrongProofs / share)
            }
        }
    }

    /// Records a correct proof, and resets the earlier failures.
    package mutating func proved() {
        reset()
        turn?.isProven = true
    }

    /// Resets all failures and pauses.
    package mutating func reset() {
        failures = 0
        lastFailure = nil
        records = [:]
    }

    /// Returns the time until a source may try again.
    package func pause(of source: PeerAddress, now: ContinuousClock.Instant) -> Duration {
        let isNew = share(of: source, now, \.wrongProofs) == 0
        let common = lastFailure.map {
            $0 + (isNew ? Self.pauseOfNewSources(afterFailures: failures) : Self.pause(afterFailures: failures))
        }
        let ends = [common, record(of: source, now)?.pausedUntil, network(of: source, now)?.pausedUntil]
        return max(.zero, (ends.compactMap(\.self).max() ?? now) - now)
    }

    private func isPaused(_ source: PeerAddress, _ now: ContinuousClock.Instant) -> Bool {
        pause(of: source, now: now) > .zero
    }

    // MARK: Sources

    /// Returns whether a waiting source takes precedence, because it has lost fewer turns and needn't pause.
    private func isOutranked(_ source: PeerAddress, losses: Int, _ now: ContinuousClock.Instant) -> Bool {
        records.contains { other, record in
            guard other != source, let since = record.waitingSince, now - since < Self.waitingTime else { return false }
            return self.losses(of: other, now) < losses && !isPaused(other, now)
        }
    }

    private func losses(of source: PeerAddress, _ now: ContinuousClock.Instant) -> Int {
        share(of: source, now, \.lostTurns)
    }

    /// Returns a source's count, or its share of the network's count, whichever is larger.
    private func share(
        of source: PeerAddress, _ now: ContinuousClock.Instant, _ count: KeyPath<Record, Int>
    ) -> Int {
        max(
            record(of: source, now)?[keyPath: count] ?? 0,
            (network(of: source, now)?[keyPath: count] ?? 0) / Self.networkShare)
    }

    private func network(of source: PeerAddress, _ now: ContinuousClock.Instant) -> Record? {
        Self.network(of: source).flatMap { record(of: $0, now) }
    }

    /// Returns the network of an IPv6 address; `nil` for IPv4, or if the source is itself the network.
    private static func network(of source: PeerAddress) -> PeerAddress? {
        source.network == source ? nil : source.network
    }

    private func record(of source: PeerAddress, _ now: ContinuousClock.Instant) -> Record? {
        records[source].flatMap { now - $0.lastSeen < Self.memory ? $0 : nil }
    }

    private mutating func update(
        _ source: PeerAddress, _ now: ContinuousClock.Instant, _ change: (inout Record) -> Void
    ) {
        var record = record(of: source, now) ?? Record(lastSeen: now)
        record.lastSeen = now
        change(&record)
        if records[source] == nil { makeRoom(now) }
        records[source] = record
    }

    private mutating func makeRoom(_ now: ContinuousClock.Instant) {
        guard records.count >= Self.maximumSources else { return }
        records = records.filter { now - $0.value.lastSeen < Self.memory }
        // Drop the record with the fewest lost turns first.
        while records.count >= Self.maximumSources,
            let least = records.min(by: {
                ($0.value.lostTurns, $0.value.lastSeen) < ($1.value.lostTurns, $1.value.lastSeen)
            })
        {
            records[least.key] = nil
        }
    }
}
