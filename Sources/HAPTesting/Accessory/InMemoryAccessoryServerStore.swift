package import AccessoryRole
package import DeviceBridge
package import DeviceKit
package import HAPProtocol
internal import Synchronization

/// An in-memory store that can be slow or fail on request.
package final class InMemoryAccessoryServerStore: AccessoryServerStore, LightStore {
    /// The kinds of changes that the store saves.
    package enum Change: Hashable, Sendable, CaseIterable {
        case pairings, failedAttempts, configuration, instanceIDs, light, states
    }

    package struct Broken: Error {}

    private struct State {
        var stored: StoredBridge
        var broken: Set<Change> = []
        var held: Set<Change> = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var saved: [Change] = []
    }

    private let state: Mutex<State>

    package init(_ stored: StoredServer = .random(), lights: [StoredLight] = []) {
        state = Mutex(State(stored: StoredBridge(server: stored, lights: lights)))
    }

    /// The state that would be loaded after a restart.
    package var stored: StoredServer { state.withLock(\.stored.server) }

    package var bridge: StoredBridge { state.withLock(\.stored) }

    /// The lights that would be loaded after a restart.
    package var lights: [StoredLight] { state.withLock(\.stored.lights) }

    /// The successfully saved changes, in order.
    package var saved: [Change] { state.withLock(\.saved) }

    /// The number of changes that are waiting for ``release()``.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// From now on, makes only the given changes fail.
    package func breakDown(_ changes: Set<Change>) { state.withLock { $0.broken = changes } }

    /// From now on, makes only the given changes wait for ``release()``.
    package func hold(_ changes: Set<Change>) { state.withLock { $0.held = changes } }

    /// Lets all waiting changes continue, and future changes complete immediately.
    package func release() {
        let waiting = state.withLock { state in
            state.held = []
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func change(_ change: Change, _ body: (inout StoredBridge) -> Void) async throws {
        if state.withLock({ $0.held.contains(change) }) {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    guard state.held.contains(change) else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }
        try state.withLock { state in
            guard !state.broken.contains(change) else { throw Broken() }
            body(&state.stored)
            state.saved.append(change)
        }
    }

    // MARK: AccessoryServerStore and LightStore

    package func save(_ pairings: PairingList) async throws {
        try await change(.pairings) { $0.server.pairings = pairings }
    }

    package func save(failedAttempts: Int) async throws {
        try await change(.failedAttempts) { $0.server.failedAttempts = failedAttempts }
    }

    package func save(_ configuration: StoredConfiguration) async throws {
        try await change(.configuration) { $0.server.configuration = configuration }
    }

    package func save(instanceIDs: InstanceIDs) async throws {
        try await change(.instanceIDs) { $0.server.instanceIDs = instanceIDs }
    }

    package func save(_ light: StoredLight) async throws {
        try await change(.light) { stored in
            if let index = stored.lights.firstIndex(where: { $0.key == light.key }) {
                stored.lights[index] = light
            } else {
                stored.lights.append(light)
                stored.lights.sort { $0.aid < $1.aid }
            }
            stored.highestAID = max(stored.highestAID, light.aid)
        }
    }

    package func forget(_ lights: [LightKey]) async throws {
        try await change(.light) { stored in stored.lights.removeAll { lights.contains($0.key) } }
    }

    package func save(transition: [UInt8]?, of light: LightKey) async throws {
        try await change(.light) { stored in
            guard let index = stored.lights.firstIndex(where: { $0.key == light }) else { return }
            stored.lights[index].transition = transition
        }
    }

    package func save(states: [LightKey: LightReport]) async throws {
        try await change(.states) { stored in
            for (key, state) in states {
                guard let index = stored.lights.firstIndex(where: { $0.key == key }) else { continue }
                stored.lights[index].state = state
            }
        }
    }
}
