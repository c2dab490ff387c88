import AsyncKit
import HAPController
import HAPProtocol
import Logging

/// Removes the hub's pairings from accessories that have no link.
struct Unpairing: Sendable {
    let browser: AccessoryServerBrowser
    let dialer: any AccessoryDialer
    let timing: ControllerTiming
    let logger: Logger

    /// Removes the hub's pairing from an accessory.
    ///
    /// - Parameters:
    ///   - pairing: The pairing with the accessory.
    ///   - identity: The hub's identity.
    ///   - timeout: The longest time that unpairing may take; `nil` to try for as long as the accessory is visible.
    ///   - end: A signal that ends the attempt early.
    ///   - onRefusal: Called when a peer that hasn't proven to be the accessory refuses the hub.
    /// - Returns: Whether the accessory no longer has a pairing with the hub.
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
