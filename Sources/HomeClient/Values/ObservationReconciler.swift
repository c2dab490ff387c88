import HomeModel

/// Brings what the daemon tells this session in line with what the app wants to be notified of, over any number of connections.
///
/// - *Desired* is what was switched on, is iterated over, or is in the scope of an observation. It outlives a connection
///   and the times in which an accessory cannot be reached.
/// - *Confirmed* is what the daemon has said it tells this session; it forgets that with the connection.
/// - What is *refused* for good is desired no more. A refusal that passes by itself leaves it desired: it is asked for again
///   when the accessory is back, or the homes are loaded.
struct ObservationReconciler: Equatable, Sendable {
    private var switchedOn: Set<Characteristic.ID> = []
    private var iterations: [Characteristic.ID: Int] = [:]
    private var scopes: [UInt64: ObservationScope] = [:]
    /// What the scopes hold in the homes as they are, without what is refused.
    private var inScope: Set<Characteristic.ID> = []
    /// What was refused since the homes were loaded.
    private var refused: Set<Characteristic.ID> = []
    /// What the daemon tells this session.
    private(set) var confirmed: Set<Characteristic.ID> = []

    /// What the app wants to be notified of.
    var desired: Set<Characteristic.ID> { switchedOn.union(iterations.keys).union(inScope) }

    func isDesired(_ id: Characteristic.ID) -> Bool {
        switchedOn.contains(id) || iterations[id] != nil || inScope.contains(id)
    }

    // MARK: What the app wants

    mutating func switchOn(_ id: Characteristic.ID) { switchedOn.insert(id) }

    /// The app switches values off.
    ///
    /// - Returns: those that the daemon is to tell no more; what is iterated over or in a scope goes on.
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

    mutating func iterationEnded(_ id: Characteristic.ID) {
        guard let count = iterations[id] else { return }
        iterations[id] = count > 1 ? count - 1 : nil
    }

    /// An observation begins; ``resolve(in:)`` follows.
    mutating func observationBegan(_ number: UInt64, of scope: ObservationScope) { scopes[number] = scope }

    /// An observation ends; ``resolve(in:)`` follows.
    mutating func observationEnded(_ number: UInt64) { scopes[number] = nil }

    /// Looks anew what is in the scopes, because they or the homes are others.
    ///
    /// - Returns: what came and went, for ``missing(of:)`` and ``idle(of:)``.
    mutating func resolve(in graph: HomeGraph) -> [Characteristic.ID] {
        guard !(scopes.isEmpty && inScope.isEmpty) else { return [] }
        let now = Set(scopes.values.flatMap { $0.characteristics(in: graph) }).subtracting(refused)
        defer { inScope = now }
        return now.symmetricDifference(inScope).sorted()
    }

    /// It is not desired any more, nor told: it is refused, or gone.
    mutating func forget(_ id: Characteristic.ID) {
        switchedOn.remove(id)
        iterations[id] = nil
        if inScope.remove(id) != nil { refused.insert(id) }
        confirmed.remove(id)
    }

    // MARK: What the daemon says

    /// The daemon was asked for values, or to tell them no more; while it is asked for the latter they are not relied upon.
    mutating func answered(_ id: Characteristic.ID, isConfirmed: Bool) {
        if isConfirmed { confirmed.insert(id) } else { confirmed.remove(id) }
    }

    mutating func connectionLost() { confirmed = [] }

    /// Nothing is told to this app any more.
    ///
    /// Observations last, for when it may see the homes again.
    mutating func emptied() {
        let scopes = scopes
        self = ObservationReconciler()
        self.scopes = scopes
    }

    // MARK: What to ask for

    /// The homes were loaded: the daemon may be another.
    ///
    /// - Returns: what to ask for, and what the daemon is to tell no more.
    mutating func homesLoaded(_ graph: HomeGraph) -> [Characteristic.ID] {
        refused = []
        _ = resolve(in: graph)
        return desired.symmetricDifference(confirmed).sorted()
    }

    /// Of these, what is desired.
    ///
    /// When an accessory can be reached again, the daemon sees to it that it reports what it reported before. What could
    /// not be switched on meanwhile is among this.
    func missing(of ids: [Characteristic.ID]) -> [Characteristic.ID] { ids.filter(isDesired) }

    /// Of these, what the daemon tells although it is not desired any more.
    func idle(of ids: [Characteristic.ID]) -> [Characteristic.ID] {
        ids.filter { confirmed.contains($0) && !isDesired($0) }
    }
}
