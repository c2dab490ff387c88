import HAPController
import HAPCrypto
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode

// Creates and removes pairings. `Pairings` holds their state, and the vault holds their keys.
extension HomeHub {
    /// Connects to every accessory of the homes, and unpairs accessories without a home.
    func loadPairings() async {
        let stored: [AccessoryPairing]
        let identity: ControllerIdentity
        do {
            identity = try await vault.identity()
            stored = try await vault.pairings()
        } catch {
            logger.critical("pairings unreadable", metadata: ["error": "\(error)"])
            return
        }
        for pairing in stored { pairings.insert(pairing.deviceID) }
        for pairing in stored {
            let present = graph.accessories(at: pairing.deviceID)
            if present.isEmpty {
                logger.warning("pairing orphaned", metadata: ["accessory": "\(pairing.deviceID)"])
                unpairWhenVisible(Pairings.Orphan(pairing: pairing, identity: identity))
            } else {
                connect(to: pairing, as: identity)
            }
        }
        for candidate in interruptedRepairs {
            logger.warning("repair interrupted", metadata: ["accessory": "\(candidate.deviceID)"])
            unpairWhenVisible(Pairings.Orphan(pairing: candidate, identity: identity, isCandidate: true))
        }
        for accessory in graph.homes.flatMap(\.accessories)
        where !accessory.isBridged && !pairings.devices.contains(accessory.deviceID) {
            logger.warning(
                "pairing missing",
                metadata: ["accessory": "\(accessory.deviceID)", "remedy": "homehub repair"])
        }
    }

    /// Returns the pairing with a device and the hub's identity, or `nil` if it is missing or the vault can't be read.
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

    // MARK: Creation

    /// Pairs with an accessory; returns the pairing with the accessory's database, and the hub's identity.
    func pair(
        with accessory: AdvertisedAccessory, code: SetupCode, token: [UInt8]?
    ) async throws(SetupError) -> (AccessorySetup.Added, ControllerIdentity) {
        try await paired(with: accessory) { () throws(SetupError) in
            try await pair(with: accessory, code: code, token: token, keptIn: vault)
        }
    }

    /// Adds the hub's pairing to an accessory with the pairing of another controller; otherwise like
    /// ``pair(with:code:token:)``.
    func addPairing(
        to accessory: AdvertisedAccessory, with former: ControllerPairing
    ) async throws(SetupError) -> (AccessorySetup.Added, ControllerIdentity) {
        guard let controller = ControllerID(Array(former.controller.utf8)),
            let key = try? Ed25519KeyPair(seed: SecretBytes(former.seed)),
            former.accessoryKey.count == Ed25519.publicKeyLength
        else { throw .formerPairing }
        let setup = AccessorySetup(dialer: dialer, vault: vault, timing: configuration.timing, logger: logger)
        return try await paired(with: accessory) { () throws(SetupError) in
            try await setup.addPairing(
                to: accessory, with: AccessoryPairing(deviceID: accessory.id, publicKey: former.accessoryKey),
                of: ControllerIdentity(controller: controller, longTermKey: key))
        }
    }

    /// Records the result of pairing with an accessory, which may be an orphan.
    private func paired(
        with accessory: AdvertisedAccessory, _ pair: () async throws(SetupError) -> AccessorySetup.Added
    ) async throws(SetupError) -> (AccessorySetup.Added, ControllerIdentity) {
        guard let identity = try? await vault.identity() else { throw .vaultFailed }
        let wasOrphan = pairings.removeOrphan(accessory.id)
        do throws(SetupError) {
            let added = try await pair()
            pairings.insert(accessory.id)
            updateSearches()
            return (added, identity)
        } catch {
            if wasOrphan, let (pairing, identity) = await pairing(with: accessory.id) {
                unpairWhenVisible(Pairings.Orphan(pairing: pairing, identity: identity))
            }
            throw error
        }
    }

    /// Pairs with a device that may replace an accessory.
    ///
    /// The accessory's own pairing remains.
    ///
    /// - Returns: The candidate with the device's database, and the hub's identity.
    /// - Throws: The reason for the failure. The candidate is removed in that case.
    func pairCandidate(
        with device: AdvertisedAccessory, code: SetupCode, token: [UInt8]?
    ) async throws(SetupError) -> (AccessorySetup.Added, ControllerIdentity) {
        guard let identity = try? await vault.identity() else { throw .vaultFailed }
        let candidates = CandidateVault(vault: vault, store: store)
        return (try await pair(with: device, code: code, token: token, keptIn: candidates), identity)
    }

    private func pair(
        with device: AdvertisedAccessory, code: SetupCode, token: [UInt8]?,
        keptIn vault: any PairingVault
    ) async throws(SetupError) -> AccessorySetup.Added {
        let setup = AccessorySetup(dialer: dialer, vault: vault, timing: configuration.timing, logger: logger)
        do throws(SetupError) {
            let added = try await setup.pair(with: device, code: code, ownershipToken: token)
            pairings.markPaired(device.id)
            return added
        } catch {
            if error == .alreadyPaired { pairings.markPaired(device.id) }
            throw error
        }
    }

    /// Handles a promoted candidate.
    ///
    /// If it replaces another device, that device is unpaired when it becomes visible.
    func promoted(
        _ candidate: AccessoryPairing, over former: AccessoryPairing?, as identity: ControllerIdentity
    ) {
        pairings.promote(candidate.deviceID)
        if let former, former.deviceID != candidate.deviceID { orphan(former, as: identity) }
        updateSearches()
    }

    // MARK: Removal

    /// Unpairs removed accessories in parallel; returns the accessories that couldn't be unpaired yet.
    func removePairings(of gone: [Accessory]) async -> [Accessory.ID] {
        let stale = await withTaskGroup(of: Accessory.ID?.self) { group in
            for accessory in gone {
                group.addTask { await self.removePairing(with: accessory.deviceID) ? nil : accessory.id }
            }
            var stale: Set<Accessory.ID> = []
            for await id in group { if let id { stale.insert(id) } }
            return stale
        }
        return gone.map(\.id).filter(stale.contains)
    }

    /// Ends an accessory's connection and removes its pairing, on both sides if the accessory is reachable.
    ///
    /// If the accessory can't be unpaired now, its pairing is orphaned, even if the accessory seems to be visible,
    /// because its mDNS record may be outdated.
    ///
    /// - Returns: Whether the accessory has removed the pairing.
    private func removePairing(with device: DeviceID) async -> Bool {
        _ = await openedLink(to: device)
        var isUnpaired = connections[device]?.failure == .notPaired
        let pairing = await pairing(with: device)
        if let link = removeConnection(to: device) {
            do throws(PairingsError) {
                if !isUnpaired { try await link.unpair() }
                isUnpaired = true
            } catch {
                await link.stop()
                // Some accessories remove the pairing and close the connection without an answer. The next pair verify
                // reveals that.
                if error == .request(.ended(.lost)), let (pairing, identity) = pairing {
                    let limit = min(configuration.unpairingTimeout, .seconds(2))
                    isUnpaired = await unpairing.unpair(pairing, as: identity, within: limit)
                }
                if !isUnpaired {
                    logger.warning(
                        "unpairing failed",
                        metadata: [
                            "accessory": "\(device)", "reason": "\(error)",
                            "remedy": "wait until the accessory is found again, or reset it",
                        ])
                }
            }
            await link.stop()
        } else if browser.snapshot[device] != nil, let (pairing, identity) = pairing {
            // A blocked accessory has no link, and its database may be unusable.
            isUnpaired = await unpairing.unpair(pairing, as: identity, within: configuration.unpairingTimeout)
        }
        if isUnpaired {
            await unpaired(device)
        } else if let (pairing, identity) = pairing, !Task.isCancelled {
            orphan(pairing, as: identity)
        }
        return isUnpaired
    }

    /// Unpairs an accessory without a home, now or when it becomes visible.
    func unpair(_ pairing: AccessoryPairing, as identity: ControllerIdentity) async {
        if await unpairing.unpair(pairing, as: identity, within: configuration.unpairingTimeout) {
            await unpaired(pairing.deviceID)
        } else if !Task.isCancelled {
            orphan(pairing, as: identity)
        }
    }

    /// Unpairs a candidate that can't replace an accessory, now or when it becomes visible.
    func dropCandidate(_ candidate: AccessoryPairing, as identity: ControllerIdentity) async {
        if await unpairing.unpair(candidate, as: identity, within: configuration.unpairingTimeout) {
            await unpaired(candidate.deviceID, isCandidate: true)
        } else if !Task.isCancelled {
            unpairWhenVisible(Pairings.Orphan(pairing: candidate, identity: identity, isCandidate: true))
        }
    }

    private func unpaired(_ device: DeviceID, isCandidate: Bool = false) async {
        pairings.markUnpaired(device)
        await forget(device, isCandidate: isCandidate)
    }

    /// Removes a pairing from the vault, or a candidate from the store.
    private func forget(_ device: DeviceID, isCandidate: Bool = false) async {
        do {
            if isCandidate { try await store.forgetCandidate(device) } else { try await vault.forget(device) }
        } catch {
            logger.error("pairing removal failed", metadata: ["accessory": "\(device)", "error": "\(error)"])
        }
        guard !isCandidate else { return }
        pairings.remove(device)
        updateSearches()
        start { hub in await hub.lookAgain(for: device) }
    }

    /// Queries the mDNS record of an unpaired accessory a few times while the record still shows the accessory as
    /// paired.
    private func lookAgain(for device: DeviceID) async {
        for pause in [2, 5, 15, 60] {
            guard (try? await Task.sleep(for: .seconds(pause))) != nil, !pairings.devices.contains(device),
                browser.snapshot[device]?.isPaired == true
            else { return }
            browser.refresh()
        }
    }

    // MARK: Orphans

    /// Unpairs an accessory when it becomes visible.
    ///
    /// If too many are waiting, the oldest is dropped.
    private func orphan(_ pairing: AccessoryPairing, as identity: ControllerIdentity) {
        logger.warning("pairing orphaned", metadata: ["accessory": "\(pairing.deviceID)"])
        if let dropped = pairings.makeRoomForOrphan() {
            logger.warning(
                "orphaned pairing dropped",
                metadata: [
                    "accessory": "\(dropped)", "limit": "\(Pairings.maximumOrphans)", "remedy": "reset the accessory",
                ])
            start { hub in await hub.forget(dropped) }
        }
        unpairWhenVisible(Pairings.Orphan(pairing: pairing, identity: identity))
    }

    private func unpairWhenVisible(_ orphan: Pairings.Orphan) {
        pairings.add(orphan)
        unpairVisibleOrphans()
    }

    func unpairVisibleOrphans() {
        let snapshot = browser.snapshot
        for orphan in pairings.begin(where: { snapshot[$0] != nil }) { start { hub in await hub.unpair(orphan) } }
    }

    private func unpair(_ orphan: Pairings.Orphan) async {
        let device = orphan.pairing.deviceID
        let isUnpaired = await unpairing.unpair(orphan.pairing, as: orphan.identity, until: orphan.end) {
            await self.refused(device)
        }
        guard pairings.ended(orphan, isUnpaired: isUnpaired) else { return }
        if isUnpaired {
            await unpaired(device, isCandidate: orphan.isCandidate)
        } else if !Task.isCancelled {
            // The accessory may have returned in the meantime.
            unpairVisibleOrphans()
        }
    }

    private func refused(_ device: DeviceID) { if pairings.refused(device) { updateSearches() } }
}
