internal import HAPProtocol

/// The timed write that a connection has announced (HAP 8.6).
struct PreparedWrite: Equatable {
    private var pending: (id: UInt64, deadline: ContinuousClock.Instant)?

    mutating func prepare(_ request: PrepareRequest, now: ContinuousClock.Instant) {
        pending = (request.preparedID, now + request.timeToLive)
    }

    /// Returns whether a timed write with the given id may be executed.
    ///
    /// Every attempt uses up the announcement, even a failed one.
    mutating func redeem(_ id: UInt64, now: ContinuousClock.Instant) -> Bool {
        defer { pending = nil }
        guard let pending else { return false }
        return pending.id == id && now <= pending.deadline
    }

    static func == (a: PreparedWrite, b: PreparedWrite) -> Bool {
        a.pending?.id == b.pending?.id && a.pending?.deadline == b.pending?.deadline
    }
}
