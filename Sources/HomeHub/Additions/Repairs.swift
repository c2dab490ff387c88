import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode

/// The accessories that are being paired again after a reset, or with a device that replaces theirs.
///
/// The new pairing is kept next to the old one until the device has proven to be like the accessory. Then one step of the store
/// puts it in the place of the old one, together with the numbers of the device. Whenever the hub is killed, the home has
/// either pairing; a new one that wasn't taken over is removed at the device once it is seen.
final class Repairs {
    private var underWay: Set<Accessory.ID> = []

    /// Pairs again with an accessory.
    func repair(_ request: RepairRequest, _ call: Call, in hub: isolated HomeHub) {
        do throws(HomeError) {
            let accessory = try hub.graph.checkRepair(of: request.accessory, with: request.device)
            try request.payload?.validate()
            guard request.payload == nil || hub.sessions.has(.setupPayload, call.session) else {
                throw HomeError(
                    .missingEntitlement, detail: "this app did not declare that it adds accessories with their codes")
            }
            guard let code = request.code ?? request.payload?.setup?.code else {
                throw HomeError(.missingParameter, detail: "the setup code is missing; it is on the accessory's label")
            }
            guard underWay.insert(accessory.id).inserted else {
                throw HomeError(.operationInProgress, detail: "the accessory is being paired already")
            }
            hub.start { hub in
                await hub.repairs.carryOut(request, of: accessory, code: code, call, in: hub)
            }
        } catch {
            hub.answer(call, with: error)
        }
    }

    private func carryOut(
        _ request: RepairRequest, of accessory: Accessory, code: SetupCode, _ call: Call, in hub: isolated HomeHub
    ) async {
        defer { underWay.remove(accessory.id) }
        do throws(HomeError) {
            guard hub.isAwaited(call) else { return }
            let target = Self.target(of: request, accessory)
            guard !accessory.isReachable || target != .device(accessory.deviceID) else {
                throw HomeError(
                    .alreadyExists,
                    detail: "\"\(accessory.name)\" answers and knows this home; choose the device that replaces it",
                    accessory: accessory.id)
            }
            // What it advertised before the reset may still be seen.
            if hub.links.isForgotten(by: accessory.deviceID) { hub.pairings.markUnpaired(accessory.deviceID) }
            let device = try await hub.additions.device(for: target, replacing: accessory.deviceID, in: hub)
            guard hub.isAwaited(call) else { return }
            try hub.graph.checkRepair(of: accessory.id, with: device.id)
            try await repair(
                accessory, with: device, code: code, token: request.payload?.ownershipToken?.bytes, call, in: hub)
        } catch {
            hub.answer(call, with: error)
        }
    }

    /// The chosen device, the one whose label was scanned, or the same one.
    private static func target(of request: RepairRequest, _ accessory: Accessory) -> SetupTarget {
        if let device = request.device { return .device(device) }
        if let setupID = request.payload?.setup?.setupID { return .setupID(setupID) }
        return .device(accessory.deviceID)
    }

    private func repair(
        _ accessory: Accessory, with device: HAPController.DiscoveredAccessory, code: SetupCode, token: [UInt8]?,
        _ call: Call, in hub: isolated HomeHub
    ) async throws(HomeError) {
        let former = await hub.pairings.pairing(with: accessory.deviceID)?.0
        // Its attempts to connect would disturb the new pairing.
        if let link = hub.links.remove(accessory.deviceID) { await link.stop() }
        defer { hub.links.reconnect(to: hub.graph.accessory(accessory.id)?.deviceID ?? accessory.deviceID, in: hub) }
        let added: AccessorySetup.Added
        let identity: ControllerIdentity
        do throws(SetupError) {
            (added, identity) = try await hub.pairings.pairCandidate(with: device, code: code, token: token)
        } catch {
            hub.logger.info("repair failed", metadata: ["accessory": "\(device.id)", "reason": "\(error)"])
            throw error == .vaultFailed ? hub.store.failure("nothing was changed", after: nil) : HomeError(error)
        }
        do throws(HomeError) {
            let place = try hub.commitQueue.enter()
            try await hub.change(at: place, by: call, promoting: added.pairing) { (planned) throws(HomeError) in
                var generator = SystemRandomNumbers()
                let commit = try planned.repair(
                    accessory.id,
                    with: ReplacementDevice(
                        deviceID: device.id, category: device.category, accessories: added.database.accessories,
                        descriptions: added.database.descriptions), using: &generator)
                return (commit, commit.transaction)
            } applied: { commit in
                hub.answer(call, .success(commit.json))
                hub.logger.info(
                    "accessory repaired",
                    metadata: ["accessory": "\(device.id)", "former": "\(accessory.deviceID)"])
                hub.pairings.promoted(added.pairing, over: former, as: identity, in: hub)
                hub.links.connect(to: added.pairing, as: identity, known: added, in: hub)
            }
        } catch {
            hub.logger.info("repair undone", metadata: ["accessory": "\(device.id)", "error": "\(error)"])
            await hub.pairings.drop(added.pairing, as: identity, in: hub)
            throw error
        }
    }
}
