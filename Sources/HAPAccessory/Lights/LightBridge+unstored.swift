internal import HAPProtocol
internal import LightKit

// Lights that could not be stored, as on a full disk, and so wait to be shown: nobody is told of an aid that is not durable.
extension LightBridge {
    /// A light that waits.
    struct UnstoredLight {
        var description: LightDescription
        /// What its driver has said of it meanwhile.
        var report = LightReport()
    }

    /// Takes a light over a little later, if it is still there then.
    func takeOverLater(_ key: LightKey, _ description: LightDescription) {
        unstored[key, default: UnstoredLight(description: description)].description = description
        guard retries.insert(key).inserted else { return }
        scheduler.schedule(at: scheduler.now + AccessoryRegistry.storeRetry) { [self] in
            Task.immediate { await takeOverNow(key) }
        }
    }

    private func takeOverNow(_ key: LightKey) async {
        if !structureTurns.takeIfFree() { await withCheckedContinuation { structureTurns.wait($0) } }
        defer { structureTurns.passOn() }
        retries.remove(key)
        // What came or went meanwhile has been seen to.
        guard let light = unstored[key] else { return }
        await takeOver(key, light.description)
        if !retries.contains(key) { unstored[key] = nil }
    }

    /// A light has been stored: what was said of it meanwhile is true of it now.
    func catchUp(_ key: LightKey) {
        guard let light = unstored.removeValue(forKey: key) else { return }
        reported(light.report, from: key.light, by: key.driver)
    }

    /// A driver is gone, or another has taken its place: what the former one told is no longer true.
    func forgetUnstored(of driver: String) { unstored = unstored.filter { $0.key.driver != driver } }
}
