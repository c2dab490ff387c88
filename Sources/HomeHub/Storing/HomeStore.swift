package import HAPController
package import HomeModel

package import struct HAPModel.DeviceID

/// The hub's persistent storage.
///
/// When a method returns, its data survives a power failure, except for ``save(_:)`` and
/// ``save(_:lastExecutionTime:)``. A call may take long if the disk is slow, but it never blocks the hub's executor.
/// Once begun, it continues even if its task is canceled. Calls are performed in order. Pairings are stored by the
/// `PairingVault`.
package protocol HomeStore: Sendable {
    /// Loads the stored state. It's called once, before the hub runs, and it's the only call that blocks.
    func load() throws -> StoredHomes

    /// Stores a transaction atomically.
    ///
    /// The transaction is already applied to `graph`.
    ///
    /// - Throws: The store's error. Nothing is stored in that case.
    func commit(_ transaction: HomeTransaction, in graph: HomeGraph) async throws

    /// Stores a transaction like ``commit(_:in:)``, and atomically replaces an accessory's pairing with a candidate.
    ///
    /// - Throws: The store's error. Nothing has changed in that case.
    func commit(_ transaction: HomeTransaction, in graph: HomeGraph, promoting candidate: AccessoryPairing) async throws

    /// Stores the pairing of a device that may replace an accessory, in addition to the accessory's own pairing.
    func keep(candidate: AccessoryPairing) async throws

    /// Removes a candidate. It has no effect if the candidate doesn't exist.
    func forgetCandidate(_ device: DeviceID) async throws

    /// Stores a permission, replacing the earlier decision about the app.
    func remember(_ permission: RememberedPermission) async throws

    /// Stores the answer about a vendor claim, replacing an earlier answer.
    func remember(_ claim: RememberedClaim) async throws

    /// Removes the answer about a vendor claim.
    func forget(_ claim: VendorClaimID) async throws

    /// Removes all answers about an app, including the answers about its vendor claims.
    func forget(_ app: AppIdentity) async throws

    /// Stores the time of a scene's last execution. Unknown scenes are ignored.
    func save(_ scene: ActionSet.ID, lastExecutionTime: Timestamp) async throws

    /// Stores the current values of characteristics.
    ///
    /// A power failure may lose the values. Unknown characteristics are ignored.
    func save(_ values: [Characteristic.ID: TimestampedValue]) async throws

    /// Stores states and records of automations in one transaction, replacing earlier states and records with the same
    /// ID.
    ///
    /// Unknown automations are ignored. The transaction also disables the run-once automations in `usedUp`, unless
    /// their definitions have changed, so that they don't run again after a crash. A change of the home that disables
    /// them follows.
    ///
    /// The store keeps the last ``TriggerLimits/records`` records of each automation. Removing an automation removes its
    /// state and its records.
    func save(_ states: [TriggerState], _ records: [TriggerRecord], disabling usedUp: [Trigger]) async throws

    /// Returns the records of an automation, newest first.
    func triggerRecords(of trigger: Trigger.ID) async throws -> [TriggerRecord]

    /// Returns the newest records of a home's automations, newest first.
    func triggerRecords(of home: Home.ID, limit: Int) async throws -> [TriggerRecord]

    /// Returns the newest record of each of a home's automations.
    func latestTriggerRecords(of home: Home.ID) async throws -> [TriggerRecord]

    /// Returns the store's directory if a write failed because the disk is full; otherwise `nil`.
    ///
    /// `error` is `nil` if the cause of the failure is unknown.
    func fullDirectory(after error: (any Error)?) -> String?
}

extension HomeStore {
    /// Stores states and records of automations.
    package func save(_ states: [TriggerState], _ records: [TriggerRecord]) async throws {
        try await save(states, records, disabling: [])
    }

    /// Returns the error that informs apps of a failed write, which has code 1004.
    ///
    /// `outcome` describes the effect of the failure.
    func failure(_ outcome: String, after error: (any Error)?) -> HomeError {
        let code = HomeError.Code.storageFailed
        guard let directory = fullDirectory(after: error) else {
            return HomeError(code, detail: "\(outcome): \(code.problem)", remedy: code.remedy)
        }
        return HomeError(code, detail: "\(outcome): the disk is full", remedy: "make room in \(directory)")
    }
}

/// The pairing of a device that may replace an accessory.
package typealias CandidatePairing = AccessoryPairing

/// The stored state that the hub loads at its start.
package struct StoredHomes: Sendable, Equatable {
    /// The homes.
    ///
    /// All accessories are unreachable until their links report otherwise, and no session observes anything.
    package var graph: HomeGraph
    package var permissions: [RememberedPermission]
    package var claims: [RememberedClaim]
    /// The pairings of interrupted repairs.
    package var candidates: [AccessoryPairing]
    /// The states of automations, at most one for each automation.
    package var triggerStates: [TriggerState]

    package init(
        graph: HomeGraph = HomeGraph(), permissions: [RememberedPermission] = [], claims: [RememberedClaim] = [],
        candidates: [AccessoryPairing] = [], triggerStates: [TriggerState] = []
    ) {
        self.graph = graph
        self.permissions = permissions
        self.claims = claims
        self.candidates = candidates
        self.triggerStates = triggerStates
    }
}
