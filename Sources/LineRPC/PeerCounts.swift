import Synchronization

/// How many peers are served, and how many of each user.
///
/// Whoever is one too many of its user takes no place: the places that are left are for others.
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

    /// A peer has connected.
    ///
    /// - Parameter user: who runs it; those of whom that is not known count as one.
    /// - Returns: why it is not served; `nil` if it is, until ``left(by:)``.
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

    /// A connection that was served has ended.
    func left(by user: UInt32?) {
        let user = user ?? .max
        state.withLock { state in
            state.all -= 1
            let rest = (state.ofUser[user] ?? 1) - 1
            state.ofUser[user] = rest > 0 ? rest : nil
        }
    }
}
