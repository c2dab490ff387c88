import AsyncKit
import HAPController
import HAPProtocol
import Logging

/// Ends pairings at accessories that no link looks after.
struct Unpairing: Sendable {
    let browser: AccessoryServerBrowser
    let dialer: any AccessoryDialer
    let timing: ControllerTiming
    let logger: Logger

    /// Has an accessory remove our pairing.
    ///
    /// - Parameters:
    ///   - pairing: the accessory.
    ///   - identity: who we are.
    ///   - timeout: how long it may take; without it, for as long as the accessory is seen.
    ///   - end: ends it early.
    ///   - onRefusal: is called when something refuses that has not proven to be the accessory.
    /// - Returns: whether the accessory has no pairing with us any more.
    func unpair(
        _ pairing: AccessoryPairing, as identity: ControllerIdentity, within timeout: Duration? = nil,
        until end: AsyncSignal? = nil, onRefusal: @escaping @Sendable () async -> Void = {}
    ) async -> Bool {
        let link = AccessoryLink(
            pairing, as: identity, dialer: dialer, timing: timing, isForUnpairing: true, logger: logger)
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                async let running: Void = link.run()
                await link.appeared(browser.snapshot[link.id])
                var isUnpaired = false
                for await updates in link.updates {
                    if updates.contains(.state(.unreachable(.notGenuine))) { await onRefusal() }
                    isUnpaired = updates.contains(.state(.unreachable(.notPaired)))
                    if isUnpaired { break }
                }
                await link.stop()
                await running
                return isUnpaired
            }
            group.addTask {
                for await _ in browser.snapshots() {
                    let accessory = browser.snapshot[link.id]
                    if accessory == nil, timeout == nil { break }
                    await link.appeared(accessory)
                }
                return false
            }
            if let end {
                group.addTask {
                    await end.wait()
                    return false
                }
            }
            if let timeout {
                group.addTask {
                    try? await Task.sleep(for: timeout)
                    return false
                }
            }
            let isUnpaired = await group.next() ?? false
            group.cancelAll()
            return isUnpaired
        }
    }
}
