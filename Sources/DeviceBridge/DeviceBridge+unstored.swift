internal import AccessoryRole
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol

// What could not be stored, as on a full disk, and is stored later. A light that has come waits to be shown until then:
// no controller sees an aid that is not durable. A removed light disappears at once. A light that comes into a full house
// waits as well, until another one goes.
extension DeviceBridge {
    /// A light that waits.
    struct UnstoredLight {
        var description: LightDescription
        /// What its driver has said of it meanwhile.
        var report = LightReport()
        /// The aid that it is to have, if it has never been stored.
        var aid: AccessoryID?
    }

    /// Adds or changes a light a little later, if it is still there then.
    func addOrReplaceLater(_ key: LightKey, _ description: LightDescription, aid: AccessoryID? = nil) {
        // A light that is shown waits for its description alone; of others no more are kept than fill a house.
        guard lights[key] != nil || unstored[key] != nil || unstored.count < Self.maximumWaitingLights else { return }
        unstored[key, default: UnstoredLight(description: description)].description = description
        if let aid { unstored[key]?.aid = aid }
        tryAgainLater(key)
    }

    /// Adds a light when another one goes.
    ///
    /// No more are kept than fill a house: others would not fit in.
    func addWhenThereIsRoom(_ key: LightKey, _ description: LightDescription) {
        warnOfTooMany(key)
        guard unstored[key] != nil || unstored.count < Self.maximumWaitingLights else { return }
        unstored[key, default: UnstoredLight(description: description)].description = description
    }

    /// Adds lights that wait for room, as long as there is some.
    func fillRoom() async {
        for (key, light) in unstored.sorted(by: { $0.key.description < $1.key.description })
        where servers.keys.contains(where: hasRoom) && !retries.contains(key) {
            await addOrReplace(key, light.description)
        }
    }

    /// Stores that a light was removed, a little later if need be.
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
        // What came or went meanwhile has been seen to.
        if let light = unstored[key] { await addOrReplace(key, light.description) }
        if unstored[key] == nil, unsavedRemovals.contains(key) { await saveRemoval(key) }
    }

    /// A light has been stored: what was said of it meanwhile is true of it now.
    func catchUp(_ key: LightKey) {
        guard let light = unstored.removeValue(forKey: key) else { return }
        reported(light.report, from: key.light, by: key.driver)
    }

    /// A driver is gone, or another has taken its place: what the former one told is no longer true.
    func forgetUnstored(of driver: String) { unstored = unstored.filter { $0.key.driver != driver } }
}
