package import HomeModel

/// What the hub keeps over restarts.
///
/// Whatever a call has returned from survives a power cut, but for ``save(_:)``. Calls block for as long as the disk
/// takes; the hub runs on an executor of its own. The pairings are in the `PairingVault`.
package protocol HomeStore: Sendable {
    /// Everything as it was left.
    func load() throws -> StoredHomes

    /// Stores a transaction, all or nothing.
    ///
    /// - Parameters:
    ///   - transaction: what changed.
    ///   - graph: the homes with it applied.
    /// - Throws: whatever is in the way; then nothing of it is stored.
    func commit(_ transaction: HomeTransaction, in graph: HomeGraph) throws

    /// Stores the answer to a question of permission, in place of an earlier one.
    func remember(_ permission: RememberedPermission) throws

    /// Removes what is stored about an app.
    func forget(_ app: AppIdentity) throws

    /// Stores values, in place of earlier ones; a power cut may lose them, and what is not known is passed over.
    func save(_ values: [Characteristic.ID: TimestampedValue]) throws
}

/// What the hub begins with.
package struct StoredHomes: Sendable, Equatable {
    /// The homes; no accessory counts as reachable before its link says so, and no session observes anything.
    package var graph: HomeGraph
    package var permissions: [RememberedPermission]

    package init(graph: HomeGraph = HomeGraph(), permissions: [RememberedPermission] = []) {
        self.graph = graph
        self.permissions = permissions
    }
}
