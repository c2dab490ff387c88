internal import HAPProtocol

/// A request that waits for a light's answer, for 2 s at most (Decision 8); used inside the bridge's actor alone.
final class CommandWaiter {
    /// When it has waited long enough.
    let deadline: ContinuousClock.Instant
    /// The answer, once it is there.
    private(set) var answer: HAPStatus?
    private var continuation: CheckedContinuation<HAPStatus, Never>?

    init(until deadline: ContinuousClock.Instant) { self.deadline = deadline }

    /// Gives it an answer; the first one counts.
    func give(_ status: HAPStatus) {
        guard answer == nil else { return }
        answer = status
        continuation?.resume(returning: status)
        continuation = nil
    }

    /// Waits for the answer; for one caller, who has seen that it is not there yet.
    ///
    /// It runs on the bridge, whose state it is: anywhere else each write would cross to another thread and back, and its
    /// continuation would stand beside the actor.
    func response(in bridge: isolated DeviceBridge) async -> HAPStatus {
        await withCheckedContinuation { continuation = $0 }
    }
}
