import HomeModel

/// Brings what the daemon tells this session in line with what the app wants to be notified of, over any number of connections.
///
/// - *Desired* is what was switched on, or is iterated over. It outlives a connection and the times in which an accessory
///   cannot be reached.
/// - *Confirmed* is what the daemon has said it tells this session; it forgets that with the connection.
/// - What is *refused* for good is desired no more. A refusal that passes by itself leaves it desired: it is asked for again
///   when the accessory is back, or the homes are loaded.
struct ObservationReconciler: Equatable, Sendable {
    private var switchedOn: Set<Characteristic.ID> = []
    private var iterations: [Characteristic.ID: Int] = [:]
    /// What the daemon tells this session.
    private(set) var confirmed: Set<Characteristic.ID> = []

    /// What the app wants to be notified of.
    var desired: Set<Characteristic.ID> { switchedOn.union(iterations.keys) }

    func isDesired(_ id: Characteristic.ID) -> Bool { switchedOn.contains(id) || iterations[id] != nil }

    // MARK: What the app wants

    mutating func switchOn(_ id: Characteristic.ID) { switchedOn.insert(id) }

    /// The app switches values off.
    ///
    /// - Returns: those that the daemon is to tell no more; what is iterated over goes on.
    mutating func switchOff(_ ids: [Characteristic.ID]) -> [Characteristic.ID] {
        switchedOn.subtract(ids)
        return ids.filter { !isDesired($0) }
    }

    /// An iteration begins.
    ///
    /// - Returns: whether the daemon is to be asked.
    mutating func iterationBegan(_ id: Characteristic.ID) -> Bool {
        iterations[id, default: 0] += 1
        return !confirmed.contains(id)
    }

    /// An iteration ends.
    ///
    /// - Returns: whether the daemon is to tell the value no more.
    mutating func iterationEnded(_ id: Characteristic.ID) -> Bool {
        guard let count = iterations[id] else { return false }
        iterations[id] = count > 1 ? count - 1 : nil
        return !isDesired(id) && confirmed.contains(id)
    }

    /// It is not desired any more, nor told: it is refused, or gone.
    mutating func forget(_ id: Characteristic.ID) {
        switchedOn.remove(id)
        iterations[id] = nil
        confirmed.remove(id)
    }

    // MARK: What the daemon says

    /// The daemon was asked for values, or to tell them no more; while it is asked for the latter they are not relied upon.
    mutating func answered(_ id: Characteristic.ID, isConfirmed: Bool) {
        if isConfirmed { confirmed.insert(id) } else { confirmed.remove(id) }
    }

    mutating func connectionLost() { confirmed = [] }

    // MARK: What to ask for

    /// The homes were loaded: the daemon may be another.
    ///
    /// - Returns: what to ask for.
    func homesLoaded() -> [Characteristic.ID] { desired.subtracting(confirmed).sorted() }

    /// An accessory with these characteristics can be reached again.
    ///
    /// The daemon sees to it that the accessory reports what it reported before.
    ///
    /// - Returns: what to ask for: what could not be switched on meanwhile is among it.
    func reachable(_ ids: [Characteristic.ID]) -> [Characteristic.ID] { ids.filter(isDesired) }
}
