import AsyncKit
import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode

/// The accessories that the hub is paired with, and how pairings end.
///
/// A pairing with an accessory that is in no home is *orphaned*. It is kept, in the vault, until the accessory is seen and has
/// removed it, however late that is: an accessory whose pairing we had forgotten before would have to be reset.
final class Pairings {
    /// A pairing with an accessory that is in no home and does not know that yet.
    struct Orphan: Sendable {
        let pairing: AccessoryPairing
        let identity: ControllerIdentity
        /// Whether a repair was to put it in the place of the accessory's own pairing.
        var isCandidate = false
        /// Whether the accessory is seen, and asked to remove it.
        fileprivate(set) var isUnderWay = false
        /// Something in its place refuses and proves nothing: the accessory after a reset, or another device.
        fileprivate(set) var isRefused = false
        fileprivate let end = AsyncSignal()
    }

    private let vault: any PairingVault
    private let store: any HomeStore
    private let interrupted: [AccessoryPairing]
    private let unpairing: Unpairing
    private let timeout: Duration
    private let logger: Logger
    /// The accessories in the vault.
    private(set) var devices: Set<DeviceID> = []
    /// The oldest first.
    private(set) var orphans: [Orphan] = []
    /// The accessories that have removed our pairing, and until when that counts for more than what mDNS says.
    private var unpaired: [DeviceID: ContinuousClock.Instant] = [:]
    /// How long a record of mDNS lives.
    private static let recordLifetime = Duration.seconds(4500)

    init(
        _ vault: any PairingVault, unpairing: Unpairing, candidates: [AccessoryPairing], store: any HomeStore,
        timeout: Duration, logger: Logger
    ) {
        self.vault = vault
        self.store = store
        interrupted = candidates
        self.unpairing = unpairing
        self.timeout = timeout
        self.logger = logger
    }

    // MARK: What the networks show

    /// What mDNS says, but for accessories of which we know better.
    ///
    /// One that has removed our pairing is free, whatever its record says, until that must have lapsed or an attempt to pair says
    /// otherwise. Avahi 0.8 keeps both of two records that came within a second, and may say the old one for as long as it
    /// lives, even if it has said the new one before.
    func corrected(_ snapshot: AccessorySnapshot) -> AccessorySnapshot {
        guard !unpaired.isEmpty else { return snapshot }
        var snapshot = snapshot
        let now = ContinuousClock.now
        for (index, accessory) in snapshot.accessories.enumerated() {
            guard let until = unpaired[accessory.id], now < until else { continue }
            snapshot.accessories[index].status.insert(.notPaired)
        }
        return snapshot
    }

    func markUnpaired(_ device: DeviceID) {
        let now = ContinuousClock.now
        unpaired = unpaired.filter { $0.value > now }
        unpaired[device] = now + Self.recordLifetime
    }

    // MARK: What is paired with

    /// Connects to every accessory of the homes, and unpairs those that are in none.
    func load(in hub: isolated HomeHub) async {
        let pairings: [AccessoryPairing]
        let identity: ControllerIdentity
        do {
            identity = try await vault.identity()
            pairings = try await vault.pairings()
        } catch {
            logger.critical("pairings unreadable", metadata: ["error": "\(error)"])
            return
        }
        devices = Set(pairings.map(\.deviceID))
        for pairing in pairings {
            let present = hub.graph.accessories(at: pairing.deviceID)
            if present.isEmpty {
                logger.warning("pairing orphaned", metadata: ["accessory": "\(pairing.deviceID)"])
                unpairWhenVisible(pairing, as: identity, in: hub)
            } else if !present.contains(where: { !$0.isBridged && $0.isBlocked }) {
                hub.links.connect(to: pairing, as: identity, in: hub)
            }
        }
        for candidate in interrupted {
            logger.warning("repair interrupted", metadata: ["accessory": "\(candidate.deviceID)"])
            unpairCandidateWhenVisible(candidate, as: identity, in: hub)
        }
        for accessory in hub.graph.homes.flatMap(\.accessories)
        where !accessory.isBridged && !devices.contains(accessory.deviceID) {
            logger.warning(
                "pairing missing",
                metadata: ["accessory": "\(accessory.deviceID)", "remedy": "homehub repair"])
        }
    }

    /// Looks a pairing up.
    ///
    /// - Returns: it, and who we are; `nil` if there is none, or the vault cannot be read.
    func pairing(with device: DeviceID) async -> (AccessoryPairing, ControllerIdentity)? {
        do {
            let pairing = try await vault.pairings().first { $0.deviceID == device }
            let identity = try await vault.identity()
            return pairing.map { ($0, identity) }
        } catch {
            logger.error("pairing unreadable", metadata: ["accessory": "\(device)", "error": "\(error)"])
            return nil
        }
    }

    /// Pairs with an accessory.
    ///
    /// - Parameters:
    ///   - accessory: the accessory, as it is seen.
    ///   - code: the setup code.
    ///   - token: its maker's ownership token, if it wants one.
    ///   - hub: the hub.
    /// - Returns: what was added, and who we are.
    /// - Throws: why it was not.
    func pair(
        with accessory: HAPController.DiscoveredAccessory, code: SetupCode, token: [UInt8]?, in hub: isolated HomeHub
    ) async throws(SetupError) -> (AccessorySetup.Added, ControllerIdentity) {
        let setup = AccessorySetup(dialer: unpairing.dialer, vault: vault, timing: unpairing.timing, logger: logger)
        let identity: ControllerIdentity
        do {
            identity = try await vault.identity()
        } catch {
            throw .vaultFailed
        }
        let orphan = orphans.firstIndex { $0.pairing.deviceID == accessory.id }.map { orphans.remove(at: $0) }
        // A new pairing must not be removed.
        orphan?.end.send()
        let added: AccessorySetup.Added
        do {
            added = try await setup.pair(with: accessory, code: code, ownershipToken: token)
        } catch {
            if error == .alreadyPaired { unpaired[accessory.id] = nil }
            if orphan != nil, let (pairing, identity) = await pairing(with: accessory.id) {
                unpairWhenVisible(pairing, as: identity, in: hub)
            }
            throw error
        }
        unpaired[accessory.id] = nil
        devices.insert(accessory.id)
        hub.additions.updateSearches(in: hub)
        return (added, identity)
    }

    // MARK: Repairing

    /// Returns the accessories that can't be added, because we are paired with them.
    ///
    /// An orphan that refuses us may have been reset, and pairing with it proves that.
    ///
    /// - Parameter former: the accessory whose pairing a repair replaces; `nil` for none.
    /// - Returns: their device ids.
    func unaddable(besides former: DeviceID? = nil) -> Set<DeviceID> {
        devices.subtracting(orphans.filter(\.isRefused).map(\.pairing.deviceID)).filter { $0 != former }
    }

    /// Pairs with a device that may take an accessory's place; the accessory's own pairing stays.
    ///
    /// - Returns: the device's database and the hub's identity.
    /// - Throws: the reason of the failure; then no candidate is left.
    func pairCandidate(
        with device: HAPController.DiscoveredAccessory, code: SetupCode, token: [UInt8]?
    ) async throws(SetupError) -> (AccessorySetup.Added, ControllerIdentity) {
        let setup = AccessorySetup(
            dialer: unpairing.dialer, vault: CandidateVault(vault: vault, store: store), timing: unpairing.timing,
            logger: logger)
        guard let identity = try? await vault.identity() else { throw .vaultFailed }
        do throws(SetupError) {
            let added = try await setup.pair(with: device, code: code, ownershipToken: token)
            unpaired[device.id] = nil
            return (added, identity)
        } catch {
            if error == .alreadyPaired { unpaired[device.id] = nil }
            throw error
        }
    }

    /// A candidate has taken the place of an accessory's pairing; a former device is unpaired when it is seen.
    func promoted(
        _ candidate: AccessoryPairing, over former: AccessoryPairing?, as identity: ControllerIdentity,
        in hub: isolated HomeHub
    ) {
        devices.insert(candidate.deviceID)
        orphans.removeAll { $0.isCandidate && $0.pairing.deviceID == candidate.deviceID }
        if let former, former.deviceID != candidate.deviceID { orphan(former, as: identity, in: hub) }
        hub.additions.updateSearches(in: hub)
    }

    /// Unpairs a candidate that can't take an accessory's place.
    func drop(_ candidate: AccessoryPairing, as identity: ControllerIdentity, in hub: isolated HomeHub) async {
        if await unpairing.unpair(candidate, as: identity, within: timeout) {
            markUnpaired(candidate.deviceID)
            await forgetCandidate(candidate.deviceID)
        } else if !Task.isCancelled {
            unpairCandidateWhenVisible(candidate, as: identity, in: hub)
        }
    }

    private func unpairCandidateWhenVisible(
        _ candidate: AccessoryPairing, as identity: ControllerIdentity, in hub: isolated HomeHub
    ) {
        orphans.append(Orphan(pairing: candidate, identity: identity, isCandidate: true))
        unpairVisibleOrphans(in: hub)
    }

    private func forgetCandidate(_ device: DeviceID) async {
        do {
            try await store.forgetCandidate(device)
        } catch {
            logger.error("pairing removal failed", metadata: ["accessory": "\(device)", "error": "\(error)"])
        }
    }

    // MARK: Removing

    /// Unpairs accessories that have left the homes, all at once, and forgets them.
    ///
    /// - Returns: those that could not be unpaired yet.
    func remove(_ gone: [Accessory], in hub: isolated HomeHub) async -> [Accessory.ID] {
        let stale = await withTaskGroup(of: Accessory.ID?.self) { group in
            for accessory in gone {
                group.addTask {
                    await hub.turn { hub in await hub.pairings.remove(accessory.deviceID, in: hub) }
                        ? nil : accessory.id
                }
            }
            var stale: Set<Accessory.ID> = []
            for await id in group { if let id { stale.insert(id) } }
            return stale
        }
        return gone.map(\.id).filter(stale.contains)
    }

    /// Ends an accessory's connection and its pairing, on both sides if it can be reached.
    ///
    /// One that cannot be unpaired now is orphaned: it is unpaired when it is seen, and nothing waits for that.
    ///
    /// - Returns: whether the accessory has removed it; what it advertises is no proof, for that may be old.
    private func remove(_ device: DeviceID, in hub: isolated HomeHub) async -> Bool {
        _ = await hub.links.openedLink(to: device, in: hub)
        var isUnpaired = hub.links.isForgotten(by: device)
        let pairing = await pairing(with: device)
        if let link = hub.links.remove(device) {
            do throws(PairingsError) {
                if !isUnpaired { try await link.unpair() }
                isUnpaired = true
            } catch {
                await link.stop()
                // Some remove the pairing and close the connection before they have answered: they say so when asked again.
                if error == .request(.ended(.lost)), let (pairing, identity) = pairing {
                    isUnpaired = await unpairing.unpair(pairing, as: identity, within: min(timeout, .seconds(2)))
                }
                if !isUnpaired {
                    logger.warning(
                        "unpairing failed",
                        metadata: [
                            "accessory": "\(device)", "reason": "\(error)",
                            "remedy": "wait until it is seen, or reset it",
                        ])
                }
            }
            await link.stop()
        } else if hub.browser.snapshot[device] != nil, let (pairing, identity) = pairing {
            // What is blocked has no link, and its database may be of no use.
            isUnpaired = await unpairing.unpair(pairing, as: identity, within: timeout)
        }
        if isUnpaired {
            markUnpaired(device)
            await forget(device, in: hub)
        } else if let (pairing, identity) = pairing, !Task.isCancelled {
            orphan(pairing, as: identity, in: hub)
        }
        return isUnpaired
    }

    /// Unpairs an accessory when it is seen, in the place of the oldest if too many wait for that.
    private func orphan(_ pairing: AccessoryPairing, as identity: ControllerIdentity, in hub: isolated HomeHub) {
        logger.warning("pairing orphaned", metadata: ["accessory": "\(pairing.deviceID)"])
        makeRoomForOrphan(in: hub)
        unpairWhenVisible(pairing, as: identity, in: hub)
    }

    /// Removes an accessory's pairing from the vault.
    private func forget(_ device: DeviceID, in hub: isolated HomeHub) async {
        do {
            try await vault.forget(device)
        } catch {
            logger.error("pairing removal failed", metadata: ["accessory": "\(device)", "error": "\(error)"])
        }
        devices.remove(device)
        hub.additions.updateSearches(in: hub)
        hub.start { hub in await hub.pairings.lookAgain(for: device, in: hub) }
    }

    /// Asks the networks a few times for an accessory that was let go, and says still that it is paired.
    private func lookAgain(for device: DeviceID, in hub: isolated HomeHub) async {
        for pause in [2, 5, 15, 60] {
            guard (try? await Task.sleep(for: .seconds(pause))) != nil, !devices.contains(device),
                hub.browser.snapshot[device]?.isPaired == true
            else { return }
            hub.browser.refresh()
        }
    }

    // MARK: Orphans

    /// Unpairs an accessory that is in no home; one that cannot be reached soon is unpaired when it is seen.
    func unpair(_ pairing: AccessoryPairing, as identity: ControllerIdentity, in hub: isolated HomeHub) async {
        if await unpairing.unpair(pairing, as: identity, within: timeout) {
            markUnpaired(pairing.deviceID)
            await forget(pairing.deviceID, in: hub)
        } else if !Task.isCancelled {
            orphan(pairing, as: identity, in: hub)
        }
    }

    /// Forgets the oldest of those that are not seen, if there are as many as there may be.
    ///
    /// What the vault has at the start stays: there it becomes no more, and nothing has been looked for yet.
    private func makeRoomForOrphan(in hub: isolated HomeHub) {
        guard orphans.count >= Self.maximumOrphans,
            let index = orphans.firstIndex(where: { !$0.isUnderWay && !$0.isCandidate })
        else { return }
        let device = orphans.remove(at: index).pairing.deviceID
        logger.warning(
            "orphaned pairing dropped",
            metadata: [
                "accessory": "\(device)", "limit": "\(Self.maximumOrphans)", "remedy": "reset the accessory",
            ])
        hub.start { hub in await hub.pairings.forget(device, in: hub) }
    }

    /// Unpairs an accessory that is in no home once it is seen, however late that is.
    ///
    /// Until then its pairing is kept, in the vault, so that a hub that ends goes on with its next start; nothing is sent.
    /// It is kept for ever, unless one more comes than ``maximumOrphans``: then the oldest is forgotten.
    private func unpairWhenVisible(
        _ pairing: AccessoryPairing, as identity: ControllerIdentity, in hub: isolated HomeHub
    ) {
        orphans.append(Orphan(pairing: pairing, identity: identity))
        unpairVisibleOrphans(in: hub)
    }

    /// Unpairs those that are seen now.
    func unpairVisibleOrphans(in hub: isolated HomeHub) {
        let snapshot = hub.browser.snapshot
        for (index, orphan) in orphans.enumerated()
        where !orphan.isUnderWay && snapshot[orphan.pairing.deviceID] != nil {
            orphans[index].isUnderWay = true
            hub.start { hub in await hub.pairings.unpair(orphan, in: hub) }
        }
    }

    private func refused(_ device: DeviceID, in hub: isolated HomeHub) {
        guard let index = orphans.firstIndex(where: { $0.pairing.deviceID == device }), !orphans[index].isRefused else {
            return
        }
        orphans[index].isRefused = true
        hub.additions.updateSearches(in: hub)
    }

    private func unpair(_ orphan: Orphan, in hub: isolated HomeHub) async {
        let device = orphan.pairing.deviceID
        let isUnpaired = await unpairing.unpair(orphan.pairing, as: orphan.identity, until: orphan.end) {
            await hub.turn { hub in hub.pairings.refused(device, in: hub) }
        }
        guard let index = orphans.firstIndex(where: { $0.end === orphan.end }) else { return }
        if isUnpaired {
            orphans.remove(at: index)
            markUnpaired(device)
            if orphan.isCandidate { await forgetCandidate(device) } else { await forget(device, in: hub) }
        } else if !Task.isCancelled {
            orphans[index].isUnderWay = false
            // It may have come back meanwhile.
            unpairVisibleOrphans(in: hub)
        }
    }
}
