import AsyncKit
import HAPController
import HomeModel

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

// How the hub knows the state of accessories without an app that observes it (Documentation/Subscriptions.md).
extension AccessoryLinks {
    /// Returns the state that an accessory server reports by itself.
    func followed(at device: DeviceID, in graph: HomeGraph) -> Set<CharacteristicID> {
        graph.state(at: device) { $1.canNotify }
    }

    // MARK: Values that aren't reported

    /// Reads the state that an accessory server doesn't report, at long intervals, until the caller is canceled.
    func poll(_ link: AccessoryLink, in hub: isolated HomeHub) async {
        while (try? await Task.sleep(for: hub.configuration.pollInterval)) != nil {
            let ids = unreported(by: link.id, besides: await link.reported, in: hub.graph)
            if !ids.isEmpty { _ = try? await link.read(ids) }
        }
    }

    /// Returns the values to poll: the state of accessories without batteries, and a value of each unreachable accessory
    /// of a bridge, to notice its return.
    private func unreported(
        by device: DeviceID, besides reported: Set<CharacteristicID>, in graph: HomeGraph
    ) -> Set<CharacteristicID> {
        guard let connection = connections[device], connection.isConnected else { return [] }
        let probes = graph.accessories(at: device).filter {
            $0.isBridged && connection.isReachable($0.aid) == false
        }.compactMap(\.probe)
        return graph.state(at: device) { accessory, characteristic in
            !accessory.hasBattery && connection.isReachable(accessory.aid) == true
                && !reported.contains(CharacteristicID(accessory.aid, characteristic.iid))
        }.union(probes)
    }

    // MARK: Targets

    /// Targets of services were written: reads the services until they have reached them.
    func wroteTargets(of services: Set<Service.ID>, at device: DeviceID, in hub: isolated HomeHub) {
        guard !services.isEmpty, wrote(to: services, at: device) else { return }
        hub.start { hub in await hub.links.readTargets(at: device, in: hub) }
    }

    private func readTargets(at device: DeviceID, in hub: isolated HomeHub) async {
        while let (pause, written) = nextTargetRead(at: device, in: hub.graph), !Task.isCancelled {
            // A write starts over.
            guard await !written.wait(until: .now + pause), let link = connections[device]?.link else { continue }
            let services = beginTargetRead(at: device)
            _ = try? await link.read(
                hub.graph.state(at: device) { services.contains($1.service) })
            takeUpdates(of: device, in: hub)
        }
    }
}

extension HomeGraph {
    /// Returns the readable state at an accessory server.
    fileprivate func state(
        at device: DeviceID, where isIncluded: (Accessory, Characteristic) -> Bool
    ) -> Set<CharacteristicID> {
        var ids: Set<CharacteristicID> = []
        for accessory in accessories(at: device) {
            for characteristic in accessory.services.lazy.flatMap(\.characteristics)
            where characteristic.isReadableState && isIncluded(accessory, characteristic) {
                ids.insert(CharacteristicID(accessory.aid, characteristic.iid))
            }
        }
        return ids
    }
}
