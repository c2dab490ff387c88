internal import AccessoryRole
internal import DeviceKit
internal import HAPProtocol
internal import Logging

// Lights that their sources have removed. The most recently removed lights are remembered, so that they get the same
// aids when they return. The operator can purge them.
extension DeviceBridge {
    /// Returns the removal number of the next removed light.
    func nextRemoval() -> Int { (absent.values.compactMap(\.removal).max() ?? 0) + 1 }

    /// The removed lights, oldest removal first, without those that have returned and are waiting to be shown.
    private var removedLights: [StoredLight] {
        absent.values.filter { $0.isRemoved && unstored[$0.key] == nil }
            .sorted { ($0.removal ?? 0, $0.aid) < ($1.removal ?? 0, $1.aid) }
    }

    /// Forgets the lights that were removed first, if there are too many removed lights.
    func limitRemovedLights() async {
        let excess = removedLights.dropLast(Self.maximumRemovedLights)
        // If this fails, the next removal tries again.
        try? await forgetRemoved(Array(excess))
    }

    /// Permanently forgets the lights that their sources have removed, and the lights of drivers that are no longer
    /// configured.
    ///
    /// A light that a configured driver hasn't announced isn't forgotten, because it may just be unplugged. Aids aren't
    /// reused, so a forgotten light that returns is treated as a new light.
    ///
    /// - Returns: The forgotten lights, sorted by aid.
    /// - Throws: The store's error. In that case, no light is forgotten.
    package func purge() async throws -> [StoredLight] {
        await structureMutex.acquire()
        defer { structureMutex.release() }
        let vanished = lights.values.filter { $0.driver.driver == nil }
        let hidden = absent.values.filter { !$0.isRemoved && driver($0.key.driver).driver == nil }
        let gone = vanished.map(\.stored) + hidden + removedLights
        try await forgetRemoved(gone)
        guard !vanished.isEmpty else { return gone.sorted { $0.aid < $1.aid } }
        for light in vanished {
            _ = await hide(light.key)
            absent[light.key] = nil
        }
        await reconcileNames()
        await fillRoom()
        return gone.sorted { $0.aid < $1.aid }
    }

    private func forgetRemoved(_ lights: [StoredLight]) async throws {
        guard !lights.isEmpty else { return }
        do {
            try await store.forget(lights.map(\.key))
        } catch {
            logger.error("removed light save failed", metadata: ["error": "\(error)"])
            throw error
        }
        for light in lights {
            absent[light.key] = nil
            unsavedRemovals.remove(light.key)
            warn(nil, about: .light(light.key))
        }
        logger.info("removed lights forgotten", metadata: ["count": "\(lights.count)"])
    }
}
