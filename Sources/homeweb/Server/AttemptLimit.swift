import Synchronization

/// Limits the number of wrong tokens that an address can try.
final class AttemptLimit: Sendable {
    /// The number of wrong tokens per minute.
    ///
    /// Further tokens are rejected without a check.
    static let attempts = 10
    private static let window = Duration.seconds(60)
    /// The maximum number of stored addresses.
    ///
    /// The oldest are removed first.
    private static let addresses = 1024

    private struct Failures {
        var count: Int
        var since: ContinuousClock.Instant
    }

    private let failures = Mutex<[String: Failures]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) { self.now = now }

    /// Counts an attempt.
    ///
    /// Returns `false` if there were too many attempts. In that case, the token must not be checked.
    func begin(_ address: String) -> Bool {
        let time = now()
        return failures.withLock { failures in
            let key = IPAddressText.peer(address)
            if let known = failures[key], known.since.duration(to: time) < Self.window {
                guard known.count < Self.attempts else { return false }
                failures[key]?.count += 1
                return true
            }
            if failures.count >= Self.addresses {
                failures = failures.filter { $0.value.since.duration(to: time) < Self.window }
                if failures.count >= Self.addresses, let oldest = failures.min(by: { $0.value.since < $1.value.since })
                {
                    failures[oldest.key] = nil
                }
            }
            failures[key] = Failures(count: 1, since: time)
            return true
        }
    }

    /// Stops counting an attempt whose token was correct.
    func succeeded(_ address: String) {
        failures.withLock { $0[IPAddressText.peer(address)]?.count -= 1 }
    }
}
