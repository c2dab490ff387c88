import HomeModel

/// Reconciles the daemon's reports to this session with the observations that the app wants, across connections.
///
/// - *Desired* values were enabled, have an iteration, or are in the scope of an observation. They outlive connections
///   and periods without contact to the accessory.
/// - *Confirmed* values are reported to this session, according to the daemon. The end of the connection clears them.
/// - A permanently *refused* value is no longer desired. After a temporary refusal, it's still desired and requested
///   again when the accessory is reachable or the homes are loaded.
struct ObservationReconciler: Equatable, Sendable {
    private var switchedOn: Set<Characteristic.ID> = []
    private var iterations: [Characteristic.ID: Int] = [:]
    private var scopes: [UInt64: ObservationScope] = [:]
    /// The values of the current homes that are in a scope, except refused values.
    private var inScope: Set<Characteristic.ID> = []
    /// The values that were refused since the homes were loaded.
    private var refused: Set<Characteristic.ID> = []
    /// The values that the daemon reports to this session.
    private(set) var confirmed: Set<Characteristic.ID> = []

    /// The values that the app wants to observe.
    var desired: Set<Characteristic.ID> { switchedOn.union(iterations.keys).union(inScope) }

    func isDesired(_ id: Characteristic.ID) -> Bool {
        switchedOn.contains(id) || iterations[id] != nil || inScope.contains(id)
    }

    // MARK: The app's wishes

    mutating func switchOn(_ id: Characteristic.ID) { switchedOn.insert(id) }

    /// Disables notifications of values.
    ///
    /// - Returns: The values that the daemon must stop reporting. Values with an iteration or in a scope continue.
    mutating func switchOff(_ ids: [Characteristic.ID]) -> [Characteristic.ID] {
        switchedOn.subtract(ids)
        return ids.filter { !isDesired($0) }
    }

    /// Begins an iteration.
    ///
    /// - Returns: Whether to send a request to the daemon.
    mutating func iterationBegan(_ id: Characteristic.ID) -> Bool {
        iterations[id, default: 0] += 1
        return !confirmed.contains(id)
    }

    mutating func iterationEnded(_ id: Characteristic.ID) {
        guard let count = iterations[id] else { return }
        iterations[id] = count > 1 ? count - 1 : nil
    }

    /// Begins an observation; ``resolve(in:)`` must follow.
    mutating func observationBegan(_ number: UInt64, of scope: ObservationScope) { scopes[number] = scope }

    /// Ends an observation; ``resolve(in:)`` must follow.
    mutating func observationEnded(_ number: UInt64) { scopes[number] = nil }

    /// Determines the values in the scopes again after a change of the scopes or the homes.
    ///
    /// - Returns: The added and removed values, for ``missing(of:)`` and ``idle(of:)``.
    mutating func resolve(in graph: HomeGraph) -> [Characteristic.ID] {
        guard !(scopes.isEmpty && inScope.isEmpty) else { return [] }
        let now = Set(scopes.values.flatMap { $0.characteristics(in: graph) }).subtracting(refused)
        defer { inScope = now }
        return now.symmetricDifference(inScope).sorted()
    }

    /// Removes a refused or missing value from the desired and the confirmed values.
    mutating func forget(_ id: Characteristic.ID) {
        switchedOn.remove(id)
        iterations[id] = nil
        if inScope.remove(id) != nil { refused.insert(id) }
        confirmed.remove(id)
    }

    // MARK: The daemon's answers

    /// Handles an answer of the daemon.
    ///
    /// While reports are being stopped, the value counts as unconfirmed.
    mutating func answered(_ id: Characteristic.ID, isConfirmed: Bool) {
        if isConfirmed { confirmed.insert(id) } else { confirmed.remove(id) }
    }

    mutating func connectionLost() { confirmed = [] }

    /// Drops everything except the observations of scopes after the app lost its permission.
    ///
    /// These observations resume when the app regains access to the homes.
    mutating func emptied() {
        let scopes = scopes
        self = ObservationReconciler()
        self.scopes = scopes
    }

    // MARK: Requests

    /// Handles newly loaded homes, which may come from a restarted daemon.
    ///
    /// - Returns: The values whose reports must be started or stopped.
    mutating func homesLoaded(_ graph: HomeGraph) -> [Characteristic.ID] {
        refused = []
        _ = resolve(in: graph)
        return desired.symmetricDifference(confirmed).sorted()
    }

    /// Returns the desired values among the given values.
    ///
    /// When an accessory is reachable again, the daemon restores its earlier reports. The result includes values whose
    /// request failed in the meantime.
    func missing(of ids: [Characteristic.ID]) -> [Characteristic.ID] { ids.filter(isDesired) }

    /// Returns the given values that the daemon reports although they are no longer desired.
    func idle(of ids: [Characteristic.ID]) -> [Characteristic.ID] {
        ids.filter { confirmed.contains($0) && !isDesired($0) }
    }
}
