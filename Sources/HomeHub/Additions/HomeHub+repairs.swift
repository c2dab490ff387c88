import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode

// Repairs accessories: pairs again with accessories that were reset, or with devices that replace them.
//
// The store keeps the new pairing as a candidate, in addition to the old one, until the device is known to match the
// accessory. Then a single write promotes the candidate and stores the device's instance IDs. If the hub is killed, the
// home has one of the two pairings. A candidate that wasn't promoted is removed from its device when the device becomes
// visible.
extension HomeHub {
    func repair(_ request: RepairRequest, _ call: Call) {
        do throws(HomeError) {
            let accessory = try graph.checkRepair(of: request.accessory, with: request.device)
            try request.payload?.validate()
            guard request.payload == nil || has(.setupPayload, call.session) else {
                throw HomeError(
                    .missingEntitlement, detail: "this app didn't declare that it adds accessories with setup codes")
            }
            guard let code = request.code ?? request.payload?.setup?.code else {
                throw HomeError(.missingParameter, detail: "the setup code is missing; it's on the accessory's label")
            }
            guard repairsUnderWay.insert(accessory.id).inserted else {
                throw HomeError(.operationInProgress, detail: "the accessory is already being paired")
            }
            start { hub in await hub.carryOut(request, of: accessory, code: code, call) }
        } catch {
            answer(call, with: error)
        }
    }

    private func carryOut(_ request: RepairRequest, of accessory: Accessory, code: SetupCode, _ call: Call) async {
        defer { repairsUnderWay.remove(accessory.id) }
        do throws(HomeError) {
            guard isAwaited(call) else { return }
            let target = SetupTarget(request.device, request.payload) ?? .device(accessory.deviceID)
            guard !accessory.isReachable || target != .device(accessory.deviceID) else {
                throw HomeError(
                    .alreadyExists,
                    detail: "\"\(accessory.name)\" is already paired and working; choose the device that replaces it",
                    accessory: accessory.id)
            }
            // The device's record from before the reset may still be visible.
            if connections[accessory.deviceID]?.failure == .notPaired { pairings.markUnpaired(accessory.deviceID) }
            let device = try await find(target, replacing: accessory.deviceID)
            guard isAwaited(call) else { return }
            try graph.checkRepair(of: accessory.id, with: device.id)
            try await repair(
                accessory, with: device, code: code, token: request.payload?.ownershipToken?.bytes, call)
        } catch {
            answer(call, with: error)
        }
    }

    private func repair(
        _ accessory: Accessory, with device: AdvertisedAccessory, code: SetupCode, token: [UInt8]?,
        _ call: Call
    ) async throws(HomeError) {
        let former = await pairing(with: accessory.deviceID)?.0
        // Further connection attempts would disturb the new pairing.
        if let link = removeConnection(to: accessory.deviceID) { await link.stop() }
        defer { reconnect(to: graph.accessory(accessory.id)?.deviceID ?? accessory.deviceID) }
        let added: AccessorySetup.Added
        let identity: ControllerIdentity
        do throws(SetupError) {
            (added, identity) = try await pairCandidate(with: device, code: code, token: token)
        } catch {
            logger.info("repair failed", metadata: ["accessory": "\(device.id)", "reason": "\(error)"])
            throw error == .vaultFailed ? store.failure("nothing was changed", after: nil) : HomeError(error)
        }
        do throws(HomeError) {
            let place = try commitQueue.enter()
            try await change(at: place, by: call, promoting: added.pairing) { (planned) throws(HomeError) in
                var generator = SystemRandomNumbers()
                let commit = try planned.repair(
                    accessory.id,
                    with: ReplacementDevice(
                        deviceID: device.id, category: device.category, accessories: added.database.accessories,
                        descriptions: added.database.descriptions), using: &generator)
                return (commit, commit.transaction)
            } applied: { commit in
                answer(call, .success(commit.json))
                logger.info(
                    "accessory repaired",
                    metadata: ["accessory": "\(device.id)", "former": "\(accessory.deviceID)"])
                promoted(added.pairing, over: former, as: identity)
                connect(to: added.pairing, as: identity, known: added)
            }
        } catch {
            logger.info("repair undone", metadata: ["accessory": "\(device.id)", "error": "\(error)"])
            await dropCandidate(added.pairing, as: identity)
            throw error
        }
    }
}
