internal import AccessoryRole
internal import DeviceKit
internal import HAPProtocol
internal import Logging

// Lights that their sources have removed: some are remembered, so that they come back under their aids, and the operator can
// have them forgotten.
extension DeviceBridge {
    /// The number of the next light that is removed.
    func nextRemoval() -> Int { (absent.values.compactMap(\.removal).max() ?? 0) + 1 }

    /// Lights that were removed, the first of them first; not those that are back and wait to be shown.
    private var removedLights: [StoredLight] {
        absent.values.filter { $0.isRemoved && unstored[$0.key] == nil }
            .sorted { ($0.removal ?? 0, $0.aid) < ($1.removal ?? 0, $1.aid) }
    }

    /// Forgets those that were removed first, if there are too many.
    func limitRemovedLights() async {
        let excess = removedLights.dropLast(Self.maximumRemovedLights)
        // If it fails, the next one that is removed brings another attempt.
        try? await forgetRemoved(Array(excess))
    }

    /// Forgets for good all lights that were removed by their sources, and those of drivers that are not configured any more.
    ///
    /// One that its driver merely has not announced may be unplugged, and stays. No aid of theirs is given again: one that comes
    /// back is a new light.
    ///
    /// - Returns: the lights, by aid.
    /// - Throws: what the store throws; nothing has changed then.
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
