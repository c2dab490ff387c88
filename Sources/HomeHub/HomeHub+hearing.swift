import AsyncKit
import HAPController
import HAPProtocol
import HomeModel

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

extension HomeHub {
    /// Takes over what was heard of an accessory server.
    ///
    /// - Parameters:
    ///   - readings: what was heard.
    ///   - device: the server.
    ///   - asker: who asked for it and has it as an answer; nobody for what the accessory told by itself.
    func heard(_ readings: [CharacteristicID: Reading], from device: DeviceID, asker: SessionID? = nil) {
        guard !readings.isEmpty else { return }
        // Whoever observes it is told of values again from the moment on in which it is there again, not before.
        heardOfBridged(readings.mapValues(\.status), behind: device)
        if connections[device]?.isConnected == true || asker != nil {
            tell(readings, of: device, asker: asker)
        } else {
            connections[device]?.early.merge(readings) { $1 }
        }
    }

    func tell(_ readings: [CharacteristicID: Reading], of device: DeviceID, asker: SessionID? = nil) {
        guard let places = connections[device]?.places else { return }
        let time = WallClock.now
        for (place, reading) in readings.sorted(by: { $0.key < $1.key }) {
            guard case .success(let value) = reading, let id = places[place] else { continue }
            tell(.valueUpdated(id, value, time: time), writer: asker)
        }
    }

    /// Whether those behind a bridge are there shows in what it answers of them.
    func heardOfBridged(_ statuses: [CharacteristicID: HAPStatus], behind device: DeviceID) {
        let aids = Set(statuses.keys.map(\.aid))
        let bridged = graph.accessories(at: device).filter { $0.isBridged && aids.contains($0.aid) }
        guard !bridged.isEmpty else { return }
        let descriptions = Set(
            bridged.flatMap { accessory in
                accessory.services.filter { $0.type == .accessoryInformation }.flatMap(\.characteristics)
                    .map { CharacteristicID(accessory.aid, $0.iid) }
            })
        for (aid, isThere) in BridgedReachability.heard(statuses, descriptions: descriptions.contains)
        where bridged.contains(where: { $0.aid == aid }) {
            if isThere { connections[device]?.away.remove(aid) } else { connections[device]?.away.insert(aid) }
        }
        updateReachability(of: device)
    }

    /// Tells what changed about which accessories of a server can be reached.
    func updateReachability(of device: DeviceID) {
        let connection = connections[device]
        // What was just added counts as reachable until it turns out that it is not.
        guard connection?.isOpening != true else { return }
        var hasChanged = false
        for accessory in graph.accessories(at: device) {
            let isReachable =
                connection?.isConnected == true && connection?.away.contains(accessory.aid) == false
            guard accessory.isReachable != isReachable else { continue }
            hasChanged = true
            tell(.reachabilityUpdated(accessory.id, isReachable))
        }
        // What nobody observes any more since it went was not taken back.
        if hasChanged { settleSubscriptions(at: device) }
    }

    /// Applies something that was heard, and tells of it if it is news.
    func tell(_ event: LiveEvent, writer: SessionID? = nil) {
        guard graph.apply(event) else { return }
        if case .valueUpdated(let id, let value, let time) = event {
            unnoted[id] = HeardValue(value, at: time)
            if noteAt == nil {
                noteAt = .now.advanced(by: configuration.noteInterval)
                deadlineChanged.send()
            }
        }
        perform(feed.heard(event, writer: writer))
    }
}
