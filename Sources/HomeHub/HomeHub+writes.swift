import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

extension HomeHub {
    /// A page as a session sees it: with what it observes itself.
    func page(_ request: AccessoryPageRequest, for session: SessionID) throws(HomeError) -> AccessoryPage {
        var page = try graph.page(request)
        let observed = feed.observed(by: session)
        guard !observed.isEmpty else { return page }
        for accessory in page.accessories.indices {
            for service in page.accessories[accessory].services.indices {
                for index in page.accessories[accessory].services[service].characteristics.indices {
                    let id = page.accessories[accessory].services[service].characteristics[index].id
                    page.accessories[accessory].services[service].characteristics[index].isNotificationEnabled =
                        observed.contains(id)
                }
            }
        }
        return page
    }

    /// Changes the homes as an app asks.
    ///
    /// The answer to a removal waits until the accessories have been told, or could not be: the homes are changed before.
    /// An app that hears of another change of the home in between has a gap in its copy then, and loads it anew.
    func write(_ write: HomeWrite, _ call: Call) {
        let before = graph
        let commit: HomeCommit
        do throws(HomeError) {
            var planned = graph
            commit = try planned.perform(write, using: &generator)
            if let transaction = commit.transaction { try self.commit(transaction, in: planned, by: call) }
        } catch {
            answer(call, with: error)
            return
        }
        switch write {
        case .removeAccessory, .removeHome:
            let gone = before.homes.flatMap(\.accessories).filter { !$0.isBridged && graph.accessory($0.id) == nil }
            guard !gone.isEmpty else { break }
            start {
                var told = commit
                told.stale = await self.release(gone)
                await self.answer(call, .success(told.json))
            }
            return
        case .unblockAccessory(_, let id):
            answer(call, .success(commit.json))
            if commit.transaction != nil, let device = graph.accessory(id)?.deviceID { reconnect(to: device) }
            return
        default: break
        }
        answer(call, .success(commit.json))
    }

    /// Stores a transaction, applies it and tells it.
    ///
    /// - Parameters:
    ///   - transaction: what changed.
    ///   - planned: the homes with it applied.
    ///   - call: whose it is; it is to be answered in the same turn, and can be failed no more.
    /// - Throws: 52 if it cannot be stored; then nothing has changed.
    func commit(_ transaction: HomeTransaction, in planned: HomeGraph, by call: Call? = nil) throws(HomeError) {
        try stored { try store.commit(transaction, in: planned) }
        graph = planned
        if let call { calls.committed(call) }
        perform(feed.committed(transaction, by: call?.session))
    }

    /// Tells accessories that have left the homes that they are paired with no more, all at once, and forgets them.
    ///
    /// - Returns: those that could not be told.
    private func release(_ gone: [Accessory]) async -> [Accessory.ID] {
        let stale = await withTaskGroup(of: Accessory.ID?.self) { group in
            for accessory in gone {
                group.addTask { await self.release(accessory.deviceID) ? nil : accessory.id }
            }
            var stale: Set<Accessory.ID> = []
            for await id in group { if let id { stale.insert(id) } }
            return stale
        }
        return gone.map(\.id).filter(stale.contains)
    }

    /// Ends an accessory's connection and its pairing, on both sides if it can be reached.
    ///
    /// - Returns: whether it knows.
    private func release(_ device: DeviceID) async -> Bool {
        _ = await openedLink(to: device)
        var connection = connections.removeValue(forKey: device)
        connection?.settled()
        var isTold = false
        if let link = connection?.link {
            do {
                try await link.unpair()
                isTold = true
            } catch {
                logger.warning(
                    "an accessory could not be told that it is paired with no more; it must be reset",
                    metadata: ["accessory": "\(device)", "reason": "\(error)"])
            }
            await link.stop()
        } else if browser.snapshot[device] != nil, let (pairing, identity) = await pairing(with: device) {
            // What is blocked has no link, and its database may be of no use.
            isTold = await takeLeave(of: pairing, as: identity, within: configuration.farewellPatience)
        }
        // A hub that ends meanwhile lets it go with its next start.
        if isTold || !Task.isCancelled { await forget(device) }
        return isTold
    }

    /// Looks a pairing up.
    private func pairing(with device: DeviceID) async -> (AccessoryPairing, ControllerIdentity)? {
        do {
            let pairing = try await vault.pairings().first { $0.deviceID == device }
            let identity = try await vault.identity()
            return pairing.map { ($0, identity) }
        } catch {
            logger.error("a pairing cannot be read", metadata: ["accessory": "\(device)", "error": "\(error)"])
            return nil
        }
    }

    /// Removes an accessory's pairing from the vault.
    func forget(_ device: DeviceID) async {
        do {
            try await vault.forget(device)
        } catch {
            logger.error(
                "a pairing cannot be forgotten", metadata: ["accessory": "\(device)", "error": "\(error)"])
        }
        paired.remove(device)
        searchesSee()
    }
}
