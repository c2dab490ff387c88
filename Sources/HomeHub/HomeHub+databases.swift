import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

// What accessories consist of, and those that do not keep to the rules for it.
extension HomeHub {
    /// An accessory consists of something else, perhaps.
    func received(_ database: AccessoryDatabase, of device: DeviceID) {
        if let last = connections[device]?.storedAt, .now < last + configuration.databaseInterval {
            storeLater(database, of: device, at: last + configuration.databaseInterval)
        } else {
            takeOver(database, of: device)
        }
        // Of what is behind a bridge, the database says nothing of whether it is there.
        if connections[device]?.isConnected == true {
            tell(database.readings, of: device)
        } else {
            connections[device]?.early = database.readings
        }
        connections[device]?.isUnproven = graph.accessories(at: device).contains(where: \.isBridged)
    }

    private func takeOver(_ database: AccessoryDatabase, of device: DeviceID) {
        connections[device]?.unstored = nil
        do throws(HomeError) {
            var planned = graph
            let transaction = try planned.update(
                device, with: database.accessories, descriptions: database.descriptions, using: &generator)
            if let transaction {
                connections[device]?.storedAt = .now
                try commit(transaction, in: planned)
                connections[device]?.places = places(of: device)
                settleSubscriptions(at: device)
            }
            connections[device]?.isUnusable = false
            connections[device]?.violations = 0
        } catch {
            connections[device]?.storedAt = .now
            logger.error(
                "what an accessory consists of now cannot be taken over",
                metadata: ["accessory": "\(device)", "error": "\(error)"])
            if error.code == .accessoryOutOfCompliance {
                connections[device]?.isUnusable = true
                misbehaved(device, error.message)
            }
            if error.code == .genericError { storeLater(database, of: device, at: .now + configuration.storePatience) }
        }
    }

    /// Takes over a little later what could not be stored, or what the accessory has become until then.
    private func storeLater(_ database: AccessoryDatabase, of device: DeviceID, at time: ContinuousClock.Instant) {
        guard let connection = connections[device] else { return }
        connections[device]?.unstored = database
        guard connection.unstored == nil else { return }
        start {
            guard (try? await Task.sleep(until: time)) != nil else { return }
            await self.storeAgain(connection.link)
        }
    }

    private func storeAgain(_ link: AccessoryLink) {
        let device = link.id
        guard let connection = connections[device], connection.link === link, let database = connection.unstored else {
            return
        }
        takeOver(database, of: device)
        guard let places = connections[device]?.places, connections[device]?.unstored == nil else { return }
        // What was heard since is newer than the database.
        let new = database.readings.filter { place, _ in
            places[place].flatMap { graph.characteristic($0) }.map { $0.value == nil } == true
        }
        guard connection.isConnected else {
            connections[device]?.early.merge(new) { heard, _ in heard }
            return
        }
        tell(new, of: device)
        guard graph.accessories(at: device).contains(where: \.isBridged) else { return }
        connections[device]?.isUnproven = true
        prove(device)
    }

    /// Leaves an accessory alone that breaks the rules again and again.
    func misbehaved(_ device: DeviceID, _ reason: String) {
        guard var connection = connections[device] else { return }
        connection.violations += 1
        connections[device] = connection
        logger.warning("an accessory breaks HAP's rules", metadata: ["accessory": "\(device)", "reason": "\(reason)"])
        guard connection.violations >= Connection.patience,
            let accessory = graph.accessories(at: device).first(where: { !$0.isBridged })
        else { return }
        do throws(HomeError) {
            var planned = graph
            guard let transaction = planned.block(accessory.id) else { return }
            try commit(transaction, in: planned)
        } catch {
            return
        }
        logger.error("an accessory is blocked until somebody unblocks it", metadata: ["accessory": "\(device)"])
        connections[device] = nil
        connection.opened()
        connection.settled()
        let link = connection.link
        start { await link.stop() }
        updateReachability(of: device)
    }
}

extension AccessoryDatabase {
    /// The values that it tells.
    var readings: [CharacteristicID: Reading] {
        var readings: [CharacteristicID: Reading] = [:]
        for (id, characteristic) in characteristics where !characteristic.type.isMomentary {
            readings[id] = characteristic.value.map { .success($0) }
        }
        return readings
    }
}
