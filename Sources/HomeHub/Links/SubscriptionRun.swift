import AsyncKit
import HAPModel
import HomeModel

/// The reconciliation of subscriptions with one accessory server, one run at a time.
///
/// The desired characteristics are the accessories' states and the sessions' ``ObservationDemand``. The link's
/// `SubscriptionReconciler` holds the confirmed subscriptions. This value only tracks whether a run is in progress, and
/// which subscriptions the server has rejected.
struct SubscriptionRun {
    private(set) var isRunning = false
    private var isDue = false
    private var refusals: [CharacteristicID: HomeError.Code] = [:]
    private var waiting: [AsyncSignal] = []

    /// Records a changed demand; returns whether a run must begin.
    mutating func demandChanged() -> Bool {
        isDue = true
        guard !isRunning else { return false }
        isRunning = true
        return true
    }

    /// Begins the next round; returns `false` if the run must end instead.
    mutating func nextRound() -> Bool {
        defer { isDue = false }
        return isDue
    }

    /// Handles the outcomes of a round; returns the rejected characteristics.
    mutating func asked(_ outcomes: [CharacteristicID: HomeError.Code?]) -> [CharacteristicID] {
        for (id, code) in outcomes { refusals[id] = code }
        let refused = outcomes.compactMap { $1 == nil ? nil : $0 }
        // Rejected characteristics leave the demand, which the next round sees.
        if !refused.isEmpty { isDue = true }
        return refused
    }

    /// Clears the rejections at the start of a connection.
    mutating func connected() { refusals = [:] }

    /// Returns the reason for the server's last rejection of a characteristic; `nil` if it wasn't rejected.
    func refusal(of id: CharacteristicID) -> HomeError.Code? { refusals[id] }

    /// Ends the run.
    mutating func ended() {
        isRunning = false
        for waiter in waiting { waiter.send() }
        waiting = []
    }

    /// Returns a signal that is sent at the end of the run; `nil` if no run is in progress.
    mutating func untilEnded() -> AsyncSignal? {
        guard isRunning else { return nil }
        let signal = AsyncSignal()
        waiting.append(signal)
        return signal
    }
}
