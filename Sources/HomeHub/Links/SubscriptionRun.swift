import AsyncKit
import HAPModel
import HomeModel

/// One conversation at a time with an accessory server about what it is to report.
///
/// The desired characteristics are the state of the accessories and the sessions' ``ObservationDemand``; the confirmed ones are in the link's
/// `SubscriptionReconciler`; here is only whether the one is being brought to the other, and what the server refused when it was
/// asked last.
struct SubscriptionRun {
    private(set) var isRunning = false
    private var isDue = false
    private var refusals: [CharacteristicID: HomeError.Code] = [:]
    private var waiting: [AsyncSignal] = []

    /// Something else is wanted; returns whether a conversation must begin.
    mutating func demandChanged() -> Bool {
        isDue = true
        guard !isRunning else { return false }
        isRunning = true
        return true
    }

    /// The next round begins; returns `false` if the conversation must end instead.
    mutating func nextRound() -> Bool {
        defer { isDue = false }
        return isDue
    }

    /// Takes the outcomes of a round; returns the characteristics that are refused.
    mutating func asked(_ outcomes: [CharacteristicID: HomeError.Code?]) -> [CharacteristicID] {
        for (id, code) in outcomes { refusals[id] = code }
        let refused = outcomes.compactMap { $1 == nil ? nil : $0 }
        // They are left out of the demand, which the next round sees.
        if !refused.isEmpty { isDue = true }
        return refused
    }

    /// A connection begins: earlier refusals count no more.
    mutating func connected() { refusals = [:] }

    /// Why the server refused something when it was last asked for it; `nil` if it did not.
    func refusal(of id: CharacteristicID) -> HomeError.Code? { refusals[id] }

    /// The conversation is over.
    mutating func ended() {
        isRunning = false
        for waiter in waiting { waiter.send() }
        waiting = []
    }

    /// What is sent when the conversation is over; `nil` if there is none.
    mutating func untilEnded() -> AsyncSignal? {
        guard isRunning else { return nil }
        let signal = AsyncSignal()
        waiting.append(signal)
        return signal
    }
}
