package import HomeModel

/// What the hub keeps over restarts.
///
/// Whatever a call has returned from survives a power cut, but for ``save(_:)`` and ``save(_:lastExecutionTime:)``. A call takes
/// as long as the disk does: it waits elsewhere, never on the hub's executor, and once begun it goes on to its end, also if its
/// task is cancelled. Calls are carried out in the order in which they are made. The pairings are in the `PairingVault`.
package protocol HomeStore: Sendable {
    /// Everything as it was left; asked once, before the hub runs, and the only call that blocks.
    func load() throws -> StoredHomes

    /// Stores a transaction, all or nothing.
    ///
    /// - Parameters:
    ///   - transaction: what changed.
    ///   - graph: the homes with it applied.
    /// - Throws: whatever is in the way; then nothing of it is stored.
    func commit(_ transaction: HomeTransaction, in graph: HomeGraph) async throws

    /// Stores the answer to a question of permission, in place of an earlier one.
    func remember(_ permission: RememberedPermission) async throws

    /// Stores the answer to a question whether an app may answer for a maker, in place of an earlier one.
    func remember(_ claim: RememberedClaim) async throws

    /// Removes what is stored about an app and a maker.
    func forget(_ claim: VendorClaimID) async throws

    /// Removes all that is stored about an app, also about makers.
    func forget(_ app: AppIdentity) async throws

    /// Stores when a scene was carried out last; one that is not known is passed over.
    func save(_ scene: ActionSet.ID, lastExecutionTime: Timestamp) async throws

    /// Stores values, in place of earlier ones; a power cut may lose them, and what is not known is passed over.
    func save(_ values: [Characteristic.ID: TimestampedValue]) async throws
}

/// What the hub begins with.
package struct StoredHomes: Sendable, Equatable {
    /// The homes; no accessory counts as reachable before its link says so, and no session observes anything.
    package var graph: HomeGraph
    package var permissions: [RememberedPermission]
    package var claims: [RememberedClaim]

    package init(
        graph: HomeGraph = HomeGraph(), permissions: [RememberedPermission] = [], claims: [RememberedClaim] = []
    ) {
        self.graph = graph
        self.permissions = permissions
        self.claims = claims
    }
}
