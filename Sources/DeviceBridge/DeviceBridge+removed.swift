internal import AccessoryRole
internal import DeviceKit
internal import HAPProtocol
internal import Logging

// Lights that their sources have removed. Some are remembered, so that they return with their aids. The operator can
// purge them.
extension DeviceBridge {
    /// The number of the next removed light.
    func nextRemoval() -> Int { (absent.values.compactMap(\.removal).max() ?? 0) + 1 }

    /// The removed lights, oldest removal first, without returned lights that wait to be shown.
    private var removedLights: [StoredLight] {
        absent.values.filter { $0.isRemoved && unstored[$0.key] == nil }
            .sorted { ($0.removal ?? 0, $0.aid) < ($1.removal ?? 0, $1.aid) }
    }

    /// Forgets the lights that were removed first, if there are too many.
    func limitRemovedLights() async {
        let excess = removedLights.dropLast(Self.maximumRemovedLights)
        // If it fails, the next removal tries again.
        try? await forgetRemoved(Array(excess))
    }

    /// Permanently forgets all lights that were removed by their sources, and those of drivers that are no longer
    /// configured.
    ///
    /// A light that its driver hasn't announced may just be unplugged, and stays. The aids are not reused, so a light
    /// that returns is a new light.
    ///
    /// - Returns: The lights, sorted by aid.
    /// - Throws: The store's error. Nothing has changed then.
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
