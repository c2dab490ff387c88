import Synchronization

/// Counts the served peers, in total and per user.
///
/// A peer that exceeds its user's limit isn't counted, so it doesn't use up the connections of other users.
final class PeerCounts: Sendable {
    enum Refusal: Sendable, Equatable {
        case peers, peersOfUser
    }

    private struct State {
        var all = 0
        var ofUser: [UInt32: Int] = [:]
    }

    private let limits: LineLimits
    private let state = Mutex(State())

    init(_ limits: LineLimits) { self.limits = limits }

    /// Counts a new connection.
    ///
    /// - Parameter user: The user that the peer runs as. All peers of an unknown user count as one user.
    /// - Returns: The reason to reject the peer; `nil` to serve it until ``left(by:)`` is called.
    func entered(by user: UInt32?) -> Refusal? {
        let user = user ?? .max
        return state.withLock { state in
            guard state.ofUser[user, default: 0] < limits.peersOfUser else { return .peersOfUser }
            guard state.all < limits.peers else { return .peers }
            state.all += 1
            state.ofUser[user, default: 0] += 1
            return nil
        }
    }

    /// Removes a served connection that has ended.
    func left(by user: UInt32?) {
        let user = user ?? .max
        state.withLock { state in
            state.all -= 1
            let rest = (state.ofUser[user] ?? 1) - 1
            state.ofUser[user] = rest > 0 ? rest : nil
        }
    }
}
