import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

// Applies the attribute databases of accessory servers to the homes. `DatabaseHistory` schedules them.
extension HomeHub {
    func received(_ database: AccessoryDatabase, of device: DeviceID) {
        guard connections[device] != nil else { return }
        decide(database, of: device)
        let hasBridged = graph.accessories(at: device).contains(where: \.isBridged)
        apply(connections[device]?.databaseRead(database.readings, hasBridged: hasBridged) ?? [:], of: device)
    }

    /// Applies a database now or later.
    private func decide(_ database: AccessoryDatabase, of device: DeviceID) {
        let interval = configuration.databaseInterval
        switch connections[device]?.compliance.received(database, interval: interval, now: .now) {
        case .takeOver: takeOver(database, of: device)
        case let step?: takeOverLater(step, of: device)
        case nil: return
        }
    }

    /// Applies a database.
    ///
    /// A database without changes isn't stored.
    private func takeOver(_ database: AccessoryDatabase, of device: DeviceID) {
        guard let link = connections[device]?.link else { return }
        var planned = graph
        do throws(HomeError) {
            guard try planned.takeOver(database, of: device) == nil else {
                connections[device]?.compliance.storing()
                start { hub in await hub.storeDatabase(database, of: link) }
                return
            }
            connections[device]?.compliance.takenOver(isChanged: false, now: .now)
        } catch {
            refused(database, of: device, because: error)
        }
    }

    private func storeDatabase(_ database: AccessoryDatabase, of link: AccessoryLink) async {
        let device = link.id
        do throws(HomeError) {
            let place = try commitQueue.enter(isBounded: false)
            try await change(at: place) { (planned) throws(HomeError) in
                let transaction = try planned.takeOver(database, of: device)
                return (transaction != nil, transaction)
            } applied: { isChanged in
                if isChanged {
                    connections[device]?.updated(graph.characteristics(at: device))
                    demandChanged(at: device)
                }
                connections[device]?.compliance.takenOver(isChanged: isChanged, now: .now)
                guard connections[device]?.link === link else { return }
                stored(database, of: device)
            }
            if let newer = connections[device]?.compliance.stored() { decide(newer, of: device) }
        } catch {
            let newer = connections[device]?.compliance.stored()
            // The hub is shutting down. After its next start, it reads the database again and applies it.
            guard error.code != .daemonUnavailable else { return }
            refused(newer ?? database, of: device, because: error)
            if error.code != .storageFailed, let newer { decide(newer, of: device) }
        }
    }

    /// Applies the values of a database that was applied to the homes some time after it was read.
    private func stored(_ database: AccessoryDatabase, of device: DeviceID) {
        guard let connection = connections[device] else { return }
        // Values that were reported after the database was read are newer.
        let new = database.readings.filter { location, _ in
            connection.characteristics[location].flatMap { graph.characteristic($0) }.map { $0.value == nil } == true
        }
        let hasBridged = graph.accessories(at: device).contains(where: \.isBridged)
        apply(connections[device]?.databaseStored(new, hasBridged: hasBridged) ?? [:], of: device)
        if connection.isConnected, hasBridged { probe(device) }
    }

    /// Handles a database that the homes rejected.
    private func refused(_ database: AccessoryDatabase, of device: DeviceID, because error: HomeError) {
        logger.error("accessory database rejected", metadata: ["accessory": "\(device)", "error": "\(error)"])
        let isUnusable = error.code == .accessoryOutOfCompliance
        connections[device]?.compliance.refused(isUnusable: isUnusable, now: .now)
        if isUnusable { violated(device, error.message) }
        if error.code == .storageFailed {
            let time = ContinuousClock.now + configuration.storeRetryInterval
            if let step = connections[device]?.compliance.postpone(database, until: time) {
                takeOverLater(step, of: device)
            }
        }
    }

    /// Applies the newest waiting database at the time that the step specifies.
    private func takeOverLater(_ step: DatabaseHistory.Step, of device: DeviceID) {
        guard case .retry(let time) = step, let link = connections[device]?.link else { return }
        start { hub in
            guard (try? await Task.sleep(until: time)) != nil else { return }
            hub.takeOverWaiting(link)
        }
    }

    private func takeOverWaiting(_ link: AccessoryLink) {
        let device = link.id
        guard connections[device]?.link === link, connections[device]?.compliance.isStoring == false,
            let database = connections[device]?.compliance.due()
        else { return }
        takeOver(database, of: device)
        guard let compliance = connections[device]?.compliance, !compliance.isWaiting, !compliance.isStoring else {
            return
        }
        stored(database, of: device)
    }

    // MARK: Violations

    /// Counts a protocol violation of an accessory server, and blocks the server after repeated violations.
    func violated(_ device: DeviceID, _ reason: String) {
        guard let isTooOften = connections[device]?.compliance.violated() else { return }
        logger.warning("accessory violated protocol", metadata: ["accessory": "\(device)", "reason": "\(reason)"])
        guard isTooOften, let accessory = graph.accessories(at: device).first(where: { !$0.isBridged }) else { return }
        start { hub in await hub.block(accessory.id, at: device) }
    }

    private func block(_ id: Accessory.ID, at device: DeviceID) async {
        do throws(HomeError) {
            let place = try commitQueue.enter(isBounded: false)
            try await change(at: place) { planned in
                let transaction = planned.block(id)
                return (transaction != nil, transaction)
            } applied: { isBlocked in
                guard isBlocked else { return }
                logger.error(
                    "accessory blocked", metadata: ["accessory": "\(device)", "remedy": "unblock it in an app"])
                if let link = removeConnection(to: device) { start { _ in await link.stop() } }
                updateReachability(of: device)
            }
        } catch {
            // The error was logged. The next violation tries again.
        }
    }
}

extension HomeGraph {
    func characteristics(at device: DeviceID) -> [CharacteristicID: Characteristic.ID] {
        var characteristics: [CharacteristicID: Characteristic.ID] = [:]
        for accessory in accessories(at: device) {
            for characteristic in accessory.services.flatMap(\.characteristics) {
                characteristics[CharacteristicID(accessory.aid, characteristic.iid)] = characteristic.id
            }
        }
        return characteristics
    }

    /// Applies the database of an accessory server; returns the transaction, or `nil` if nothing changes.
    ///
    /// - Throws: The errors of `update(_:with:descriptions:using:)`.
    fileprivate mutating func takeOver(
        _ database: AccessoryDatabase, of device: DeviceID
    ) throws(HomeError) -> HomeTransaction? {
        var generator = SystemRandomNumbers()
        return try update(
            device, with: database.accessories, descriptions: database.descriptions, using: &generator)
    }
}

extension AccessoryDatabase {
    var readings: [CharacteristicID: Reading] {
        var readings: [CharacteristicID: Reading] = [:]
        for (id, characteristic) in characteristics where !characteristic.type.isMomentary {
            readings[id] = characteristic.value.map { .success($0) }
        }
        return readings
    }
}
