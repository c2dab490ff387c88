import AsyncKit
import HAPController
import HAPProtocol
import HomeModel
import Logging

/// An accessory that is paired with and in no home, and does not know yet that it is to be so no more.
struct Stray: Sendable {
    let pairing: AccessoryPairing
    let identity: ControllerIdentity
    /// It is seen, and being told.
    var isBeingTold = false
}

// Pairings that end, and accessories that are told so.
extension HomeHub {
    /// Ends the pairing with an accessory that is in no home; what does not know soon is told when it is seen.
    func letGo(_ pairing: AccessoryPairing, as identity: ControllerIdentity) async {
        if await takeLeave(of: pairing, as: identity, within: configuration.farewellPatience) {
            await forget(pairing.deviceID)
        } else if !Task.isCancelled {
            makeRoomForStray()
            letGoWhenSeen(pairing, as: identity)
        }
    }

    /// Forgets the oldest of those that are not seen, if there are as many as there may be.
    ///
    /// What the vault has at the start stays: there it becomes no more, and nobody has been looked for yet.
    private func makeRoomForStray() {
        guard strays.count >= Self.maximumStrays, let index = strays.firstIndex(where: { !$0.isBeingTold }) else {
            return
        }
        let device = strays.remove(at: index).pairing.deviceID
        logger.warning(
            "too many accessories do not know that they are in no home; the oldest is forgotten and must be reset",
            metadata: ["accessory": "\(device)", "limit": "\(Self.maximumStrays)"])
        start { await self.forget(device) }
    }

    /// Ends the pairing with an accessory that is in no home once it is seen, however late that is: forgotten before it
    /// knows, it would have to be reset.
    ///
    /// Until then its pairing is kept, in the vault, so that a hub that ends goes on with its next start; nothing is sent.
    /// It is kept for ever, unless one more comes than ``maximumStrays``: then the oldest is forgotten.
    func letGoWhenSeen(_ pairing: AccessoryPairing, as identity: ControllerIdentity) {
        strays.append(Stray(pairing: pairing, identity: identity))
        tellStrays()
    }

    /// Tells those that are seen now.
    func tellStrays() {
        let snapshot = browser.snapshot
        for (index, stray) in strays.enumerated()
        where !stray.isBeingTold && snapshot[stray.pairing.deviceID] != nil {
            strays[index].isBeingTold = true
            start { await self.tell(stray) }
        }
    }

    private func tell(_ stray: Stray) async {
        let device = stray.pairing.deviceID
        let isTold = await takeLeave(of: stray.pairing, as: stray.identity)
        guard let index = strays.firstIndex(where: { $0.pairing.deviceID == device }) else { return }
        if isTold {
            strays.remove(at: index)
            await forget(device)
        } else if !Task.isCancelled {
            strays[index].isBeingTold = false
            // It may have come back meanwhile.
            tellStrays()
        }
    }

    /// Tells an accessory that is in no home that it is paired with no more.
    ///
    /// - Parameters:
    ///   - pairing: the accessory.
    ///   - identity: who we are.
    ///   - patience: how long it may take; without it, for as long as the accessory is seen.
    /// - Returns: whether it knows.
    func takeLeave(
        of pairing: AccessoryPairing, as identity: ControllerIdentity, within patience: Duration? = nil
    ) async -> Bool {
        let link = AccessoryLink(
            pairing, as: identity, dialer: dialer, timing: configuration.timing, isFarewell: true, logger: logger)
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                async let running: Void = link.run()
                await link.appeared(self.browser.snapshot[link.id])
                var isTold = false
                for await updates in link.updates where updates.contains(.state(.unreachable(.notPaired))) {
                    isTold = true
                    break
                }
                await link.stop()
                await running
                return isTold
            }
            group.addTask {
                for await _ in self.browser.snapshots() {
                    let accessory = self.browser.snapshot[link.id]
                    if accessory == nil, patience == nil { break }
                    await link.appeared(accessory)
                }
                return false
            }
            if let patience {
                group.addTask {
                    try? await Task.sleep(for: patience)
                    return false
                }
            }
            let isTold = await group.next() ?? false
            group.cancelAll()
            return isTold
        }
    }
}
