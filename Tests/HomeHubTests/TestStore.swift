import HAPController
import HAPTesting
import HomeHub
import HomeModel
import Synchronization

import struct HAPModel.DeviceID

/// An in-memory store that a test can break or stall.
final class TestStore: HomeStore {
    struct Broken: Error {}

    private struct State {
        var stored = StoredHomes()
        var records: [TriggerRecord] = []
        var noted: [[Characteristic.ID: TimestampedValue]] = []
        var commits = 0
        var isBroken = false
        var isFull = false
        var refusals = 0
    }

    private let state = Mutex(State())
    private let gate = Gate()

    /// The vault for promoted candidates.
    let vault = Mutex<InMemoryPairingVault?>(nil)

    init(_ stored: StoredHomes = StoredHomes()) { state.withLock { $0.stored = stored } }

    var stored: StoredHomes { state.withLock(\.stored) }
    var noted: [[Characteristic.ID: TimestampedValue]] { state.withLock(\.noted) }
    /// The number of failed writes.
    var refusals: Int { state.withLock(\.refusals) }
    var commits: Int { state.withLock(\.commits) }

    func breakDown(_ isBroken: Bool = true) { state.withLock { $0.isBroken = isBroken } }

    /// Fails every write because of a full disk.
    func fillUp() {
        state.withLock { state in
            state.isBroken = true
            state.isFull = true
        }
    }

    func fullDirectory(after error: (any Error)?) -> String? {
        state.withLock { $0.isFull ? "/var/lib/homehub" : nil }
    }

    /// Suspends writes until ``resume()``.
    func stall() { gate.close() }

    /// Resumes writes.
    func resume() { gate.open() }

    /// Performs the waiting writes and suspends later ones.
    func writeWaiting() { gate.letWaitingPass() }

    /// The number of suspended writes.
    var waitingCount: Int { gate.waitingCount }

    private func change(_ body: (inout State) -> Void) async throws {
        await gate.pass()
        try state.withLock { state in
            guard !state.isBroken else {
                state.refusals += 1
                throw Broken()
            }
            body(&state)
        }
    }

    func load() throws -> StoredHomes {
        try state.withLock { state in
            guard !state.isBroken else { throw Broken() }
            var stored = state.stored
            for home in stored.graph.homes {
                for accessory in home.accessories {
                    stored.graph.apply(.reachabilityUpdated(accessory.id, false))
                }
            }
            return stored
        }
    }

    func commit(_ transaction: HomeTransaction, in graph: HomeGraph) async throws {
        try await change { state in
            state.stored.graph = graph
            state.commits += 1
        }
    }

    func commit(
        _ transaction: HomeTransaction, in graph: HomeGraph, promoting candidate: AccessoryPairing
    ) async throws {
        try await change { state in
            state.stored.graph = graph
            state.stored.candidates.removeAll { $0.deviceID == candidate.deviceID }
            state.commits += 1
            vault.withLock { $0?.keep(candidate) }
        }
    }

    func keep(candidate: AccessoryPairing) async throws {
        try await change { state in
            state.stored.candidates.removeAll { $0.deviceID == candidate.deviceID }
            state.stored.candidates.append(candidate)
        }
    }

    func forgetCandidate(_ device: DeviceID) async throws {
        try await change { $0.stored.candidates.removeAll { $0.deviceID == device } }
    }

    func remember(_ permission: RememberedPermission) async throws {
        try await change { state in
            state.stored.permissions.removeAll { $0.app == permission.app }
            state.stored.permissions.append(permission)
        }
    }

    func forget(_ app: AppIdentity) async throws {
        try await change { state in
            state.stored.permissions.removeAll { $0.app == app }
            state.stored.claims.removeAll { $0.claim.app == app }
        }
    }

    func remember(_ claim: RememberedClaim) async throws {
        try await change { state in
            state.stored.claims.removeAll { $0.claim == claim.claim }
            state.stored.claims.append(claim)
        }
    }

    func forget(_ claim: VendorClaimID) async throws {
        try await change { $0.stored.claims.removeAll { $0.claim == claim } }
    }

    func save(_ scene: ActionSet.ID, lastExecutionTime: Timestamp) async throws {
        try await change {
            $0.stored.graph.apply(.actionSetExecutionUpdated(scene, isExecuting: false, last: lastExecutionTime))
        }
    }

    func save(_ states: [TriggerState], _ records: [TriggerRecord], disabling usedUp: [Trigger]) async throws {
        try await change { state in
            var homes = state.stored.graph.homes
            for home in homes.indices {
                for index in homes[home].triggers.indices where usedUp.contains(homes[home].triggers[index]) {
                    homes[home].triggers[index].isEnabled = false
                }
            }
            if !usedUp.isEmpty { state.stored.graph = HomeGraph(homes: homes) }
            for new in states {
                state.stored.triggerStates.removeAll { $0.trigger == new.trigger }
                state.stored.triggerStates.append(new)
            }
            for record in records {
                if let index = state.records.firstIndex(where: { $0.id == record.id }) {
                    state.records[index] = record
                } else {
                    state.records.append(record)
                }
            }
        }
    }

    func triggerRecords(of trigger: Trigger.ID) async throws -> [TriggerRecord] {
        state.withLock { $0.records.reversed().filter { $0.trigger == trigger } }
    }

    func triggerRecords(of home: Home.ID, limit: Int) async throws -> [TriggerRecord] {
        state.withLock { state in
            let triggers = Set(state.stored.graph.home(home)?.triggers.map(\.id) ?? [])
            return state.records.reversed().lazy.filter { triggers.contains($0.trigger) }.prefix(limit).map(\.self)
        }
    }

    func latestTriggerRecords(of home: Home.ID) async throws -> [TriggerRecord] {
        let records = try await triggerRecords(of: home, limit: .max)
        return Array(Dictionary(records.map { ($0.trigger, $0) }) { newest, _ in newest }.values)
    }

    func save(_ values: [Characteristic.ID: TimestampedValue]) async throws {
        try await change { $0.noted.append(values) }
    }
}
