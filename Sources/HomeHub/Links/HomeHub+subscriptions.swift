import HAPController
import HomeModel

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

// Subscriptions to the values that the hub follows and that sessions observe (Documentation/Subscriptions.md).
extension HomeHub {
    /// Updates the subscriptions after sessions have started or stopped observing values.
    func demandChanged(of ids: [Characteristic.ID]) {
        for device in Set(ids.compactMap { graph.accessory(of: $0)?.deviceID }) { demandChanged(at: device) }
    }

    func demandChanged(at device: DeviceID) {
        guard connections[device]?.subscriptions.demandChanged() == true else { return }
        start { hub in await hub.reconcileSubscriptions(at: device) }
    }

    private func reconcileSubscriptions(at device: DeviceID) async {
        guard let link = connections[device]?.link else { return }
        while connections[device]?.link === link, connections[device]?.subscriptions.nextRound() == true,
            let characteristics = connections[device]?.characteristics
        {
            let demand = feed.subscriptions
            let observed = Set(characteristics.filter { demand.contains($0.value) }.keys)
            // No session observes an unreachable accessory, but its reports show its return.
            let away = Set(graph.accessories(at: device).filter { !$0.isReachable }.map(\.aid))
            let outcomes = await link.observe(
                observed.union(followed(at: device)),
                keeping: Set(characteristics.keys.filter { away.contains($0.aid) }), insistingOn: observed)
            guard connections[device]?.link === link else { return }
            let refused = connections[device]?.subscriptions.asked(outcomes.mapValues { HomeError.Code($0) }) ?? []
            feed.refused(refused.compactMap { connections[device]?.characteristics[$0] })
        }
        guard connections[device]?.link === link else { return }
        connections[device]?.subscriptions.ended()
    }

    /// Subscribes again to the characteristics that a bridge rejected while it couldn't reach an accessory.
    func retrySubscriptions(of accessory: Accessory) {
        guard let link = connections[accessory.deviceID]?.link else { return }
        start { _ in await link.retrySubscriptions(of: accessory.aid) }
    }

    /// Returns the results with errors for the subscriptions that accessories rejected.
    func withRefusals(_ results: [ValueResult]) -> [ValueResult] {
        var results = results
        for index in results.indices where results[index].error == nil {
            let id = results[index].characteristic
            guard let accessory = graph.accessory(of: id), let characteristic = accessory.characteristic(id),
                let code = connections[accessory.deviceID]?.subscriptions
                    .refusal(of: CharacteristicID(accessory.aid, characteristic.iid))
            else { continue }
            results[index].error = HomeError(code, accessory: accessory.id)
        }
        return results
    }
}
