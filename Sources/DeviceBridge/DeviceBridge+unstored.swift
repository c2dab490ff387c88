internal import AccessoryRole
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol

// Changes that couldn't be stored, for example because the disk is full, and are retried later. A new light isn't shown
// before it is stored, because controllers must not see an aid that isn't durable. A removed light disappears
// immediately. Lights for which no bridge has room also wait here until another light is removed.
extension DeviceBridge {
    /// A light that hasn't been stored yet, or for which no bridge has room.
    struct UnstoredLight {
        var description: LightDescription
        /// The merged reports of its driver since the light started waiting.
        var report = LightReport()
        /// The aid reserved for it, if it has never been stored.
        var aid: AccessoryID?
    }

    /// Adds or changes a light a little later, unless it is removed before that.
    func addOrReplaceLater(_ key: LightKey, _ description: LightDescription, aid: AccessoryID? = nil) {
        // For visible lights, only the new descriptions are waiting. The number of other waiting lights is limited.
        guard lights[key] != nil || unstored[key] != nil || unstored.count < Self.maximumWaitingLights else { return }
        unstored[key, default: UnstoredLight(description: description)].description = description
        if let aid { unstored[key]?.aid = aid }
        tryAgainLater(key)
    }

    /// Adds a light when another light is removed.
    ///
    /// The number of waiting lights is limited. Lights beyond the limit are dropped.
    func addWhenThereIsRoom(_ key: LightKey, _ description: LightDescription) {
        warnOfTooMany(key)
        guard unstored[key] != nil || unstored.count < Self.maximumWaitingLights else { return }
        unstored[key, default: UnstoredLight(description: description)].description = description
    }

    /// Adds waiting lights while a bridge has room.
    func fillRoom() async {
        for (key, light) in unstored.sorted(by: { $0.key.description < $1.key.description })
        where servers.keys.contains(where: hasRoom) && !retries.contains(key) {
            await addOrReplace(key, light.description)
        }
    }

    /// Stores the removal of a light, retrying later if necessary.
    func saveRemoval(_ key: LightKey) async {
        guard let light = absent[key] else { return }
        guard await save(light) else {
            unsavedRemovals.insert(key)
            return tryAgainLater(key)
        }
        if unsavedRemovals.remove(key) != nil { warn(nil, about: .light(key)) }
    }

    private func tryAgainLater(_ key: LightKey) {
        guard retries.insert(key).inserted else { return }
        scheduler.schedule(at: scheduler.now + AccessoryServer.storeRetry) { [self] in
            Task.immediate { await tryAgain(key) }
        }
    }

    private func tryAgain(_ key: LightKey) async {
        await structureMutex.acquire()
        defer { structureMutex.release() }
        retries.remove(key)
        // The light may have been added or removed in the meantime.
        if let light = unstored[key] { await addOrReplace(key, light.description) }
        if unstored[key] == nil, unsavedRemovals.contains(key) { await saveRemoval(key) }
    }

    /// Applies the reports that arrived before a light was stored.
    func catchUp(_ key: LightKey) {
        guard let light = unstored.removeValue(forKey: key) else { return }
        reported(light.report, from: key.light, by: key.driver)
    }

    /// Drops the waiting lights of a driver that was removed or replaced, because its reports no longer apply.
    func forgetUnstored(of driver: String) { unstored = unstored.filter { $0.key.driver != driver } }
}
