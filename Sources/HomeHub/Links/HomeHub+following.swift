import AsyncKit
import HAPController
import HomeModel

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

// Follows states even if no app observes them (Documentation/Subscriptions.md).
extension HomeHub {
    /// Returns the characteristics to subscribe to at an accessory server even if no app observes them.
    ///
    /// They are the states that the server can report, and other values that automations need.
    func followed(at device: DeviceID) -> Set<CharacteristicID> {
        graph.state(at: device, and: automations.watched) { $1.canNotify }
    }

    // MARK: Values that aren't reported

    /// Reads the states that an accessory server doesn't report, at long intervals, until the task is canceled.
    func poll(_ link: AccessoryLink) async {
        while (try? await Task.sleep(for: configuration.pollInterval)) != nil {
            let ids = unreported(by: link.id, besides: await link.reported)
            if !ids.isEmpty { _ = try? await link.read(ids) }
        }
    }

    /// Returns the characteristics to poll.
    ///
    /// They are the states of accessories without batteries, other values that automations need, and a value of each
    /// unreachable bridged accessory to detect its return.
    private func unreported(by device: DeviceID, besides reported: Set<CharacteristicID>) -> Set<CharacteristicID> {
        guard let connection = connections[device], connection.isConnected else { return [] }
        let probes = graph.accessories(at: device).filter {
            $0.isBridged && connection.isReachable($0.aid) == false
        }.compactMap(\.probe)
        return graph.state(at: device, and: automations.watched) { accessory, characteristic in
            (!accessory.hasBattery || automations.watches(characteristic.id)) && characteristic.hasValue
                && connection.isReachable(accessory.aid) == true
                && !reported.contains(CharacteristicID(accessory.aid, characteristic.iid))
        }.union(probes)
    }

    // MARK: Targets

    /// After a write of targets, reads the services repeatedly until they have reached their targets.
    func wroteTargets(of services: Set<Service.ID>, at device: DeviceID) {
        guard !services.isEmpty, connections[device]?.targets.wrote(to: services) == true else { return }
        start { hub in await hub.readTargets(at: device) }
    }

    private func readTargets(at device: DeviceID) async {
        while let (pause, written) = nextTargetRead(at: device), !Task.isCancelled {
            // Another write restarts the sequence of pauses.
            guard await !written.wait(until: .now + pause), let link = connections[device]?.link,
                let services = connections[device]?.targets.beginRead()
            else { continue }
            _ = try? await link.read(graph.state(at: device, and: []) { services.contains($1.service) })
            takeUpdates(of: device)
        }
    }

    /// Returns the pause before the next read, and the signal of another write; `nil` if there is nothing to read.
    private func nextTargetRead(at device: DeviceID) -> (pause: Duration, written: AsyncSignal)? {
        let approaching = Set(graph.accessories(at: device).flatMap(\.services).filter(\.isApproachingTarget).map(\.id))
        guard let pause = connections[device]?.targets.nextPause(where: approaching.contains),
            let written = connections[device]?.targets.written
        else { return nil }
        return (pause, written)
    }
}

extension HomeGraph {
    /// Returns the readable states of an accessory server, and the given other characteristics that it has.
    fileprivate func state(
        at device: DeviceID, and others: Set<Characteristic.ID>,
        where isIncluded: (Accessory, Characteristic) -> Bool
    ) -> Set<CharacteristicID> {
        var ids: Set<CharacteristicID> = []
        for accessory in accessories(at: device) {
            for characteristic in accessory.services.lazy.flatMap(\.characteristics)
            where (characteristic.isReadableState || others.contains(characteristic.id))
                && isIncluded(accessory, characteristic)
            {
                ids.insert(CharacteristicID(accessory.aid, characteristic.iid))
            }
        }
        return ids
    }
}

extension Characteristic {
    /// A Boolean value that indicates whether the characteristic can be read and has a lasting value, unlike a button.
    var hasValue: Bool { metadata.permissions.contains(.pairedRead) && !type.isMomentary }
}
