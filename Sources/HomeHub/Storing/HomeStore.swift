package import HAPController
package import HomeModel

package import struct HAPModel.DeviceID

/// What the hub keeps over restarts.
///
/// Whatever a call has returned from survives a power cut, but for ``save(_:)`` and ``save(_:lastExecutionTime:)``. A call takes
/// as long as the disk does: it waits elsewhere, never on the hub's executor, and once begun it goes on to its end, also if its
/// task is cancelled. Calls are carried out in the order in which they are made. The pairings are in the `PairingVault`.
package protocol HomeStore: Sendable {
    /// Everything as it was left; asked once, before the hub runs, and the only call that blocks.
    func load() throws -> StoredHomes

    /// Stores a transaction, all or nothing; `graph` has it applied.
    ///
    /// - Throws: whatever is in the way; then nothing of it is stored.
    func commit(_ transaction: HomeTransaction, in graph: HomeGraph) async throws

    /// As ``commit(_:in:)``, and in the same step replaces an accessory's pairing by a kept candidate.
    ///
    /// - Throws: the store's error; nothing has changed then.
    func commit(_ transaction: HomeTransaction, in graph: HomeGraph, promoting candidate: AccessoryPairing) async throws

    /// Keeps the pairing of a device that may take an accessory's place, next to the accessory's own.
    func keep(candidate: AccessoryPairing) async throws

    /// Removes a candidate; harmless where there is none.
    func forgetCandidate(_ device: DeviceID) async throws

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

    /// Returns the store's directory if a full disk made a write fail; `error` is `nil` if it is unknown.
    func fullDirectory(after error: (any Error)?) -> String?
}

extension HomeStore {
    /// Returns error 1004, which describes a failed write to apps; `outcome` is the state after it, in words.
    func failure(_ outcome: String, after error: (any Error)?) -> HomeError {
        let code = HomeError.Code.storageFailed
        guard let directory = fullDirectory(after: error) else {
            return HomeError(code, detail: "\(outcome): \(code.problem)", remedy: code.remedy)
        }
        return HomeError(code, detail: "\(outcome): the disk is full", remedy: "make room in \(directory)")
    }
}

/// The pairing of a device that may take an accessory's place.
package typealias CandidatePairing = AccessoryPairing

/// What the hub begins with.
package struct StoredHomes: Sendable, Equatable {
    /// The homes; no accessory counts as reachable before its link says so, and no session observes anything.
    package var graph: HomeGraph
    package var permissions: [RememberedPermission]
    package var claims: [RememberedClaim]
    /// The pairings of repairs that were interrupted.
    package var candidates: [AccessoryPairing]

    package init(
        graph: HomeGraph = HomeGraph(), permissions: [RememberedPermission] = [], claims: [RememberedClaim] = [],
        candidates: [AccessoryPairing] = []
    ) {
        self.graph = graph
        self.permissions = permissions
        self.claims = claims
        self.candidates = candidates
    }
}
