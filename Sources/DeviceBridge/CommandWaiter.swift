internal import HAPProtocol

/// A request that waits for a light's response, for at most 2 s (Decision 8); only the bridge's actor uses it.
final class CommandWaiter {
    /// The time at which the request times out.
    let deadline: ContinuousClock.Instant
    /// The response, once it has arrived.
    private(set) var answer: HAPStatus?
    private var continuation: CheckedContinuation<HAPStatus, Never>?

    init(until deadline: ContinuousClock.Instant) { self.deadline = deadline }

    /// Sets the response, unless it is already set.
    func give(_ status: HAPStatus) {
        guard answer == nil else { return }
        answer = status
        continuation?.resume(returning: status)
        continuation = nil
    }

    /// Waits for the response.
    ///
    /// Call this function once, before the response arrives.
    ///
    /// It runs on the bridge's actor, which owns the waiter. On another executor, each write would switch threads
    /// twice.
    func response(in bridge: isolated DeviceBridge) async -> HAPStatus {
        await withCheckedContinuation { continuation = $0 }
    }
}
