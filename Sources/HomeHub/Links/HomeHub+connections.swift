import AsyncKit
import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

// Connections to the accessory servers of the homes, and the reachability of accessories.
extension HomeHub {
    /// Connects to an accessory, and reconnects after each lost connection.
    func connect(
        to pairing: AccessoryPairing, as identity: ControllerIdentity, known added: AccessorySetup.Added? = nil
    ) {
        let device = pairing.deviceID
        // Don't connect to a blocked accessory, or to one that was removed from the homes while its pairing was read.
        guard connections[device] == nil,
            graph.accessories(at: device).contains(where: { !$0.isBridged && !$0.isBlocked })
        else { return }
        let link = AccessoryLink(
            pairing, as: identity, dialer: dialer,
            database: added.map { ($0.database, configurationNumber: $0.configurationNumber) },
            timing: configuration.timing, logger: logger)
        connections[device] = Connection(
            link, graph.characteristics(at: device), targetPauses: configuration.targetPauses)
        if let added {
            apply(added.database.readings, of: device)
            awaitAdmission(link)
        }
        start { hub in await hub.follow(link) }
    }

    /// Gives a new accessory time to accept a connection.
    ///
    /// Some accessories accept connections only a while after pairing.
    private func awaitAdmission(_ link: AccessoryLink) {
        let time = configuration.admissionTime
        guard time > .zero else { return }
        connections[link.id]?.awaitsAdmission = true
        start { hub in
            try? await Task.sleep(for: time)
            guard hub.connections[link.id]?.link === link, hub.connections[link.id]?.admissionTimePassed() == true
            else { return }
            hub.updateReachability(of: link.id)
        }
    }

    /// Reconnects to an accessory that was blocked or repaired.
    func reconnect(to device: DeviceID) {
        start { hub in
            guard let (pairing, identity) = await hub.pairing(with: device) else { return }
            hub.connect(to: pairing, as: identity)
        }
    }

    /// Removes a connection and returns its link, which the caller stops.
    func removeConnection(to device: DeviceID) -> AccessoryLink? {
        var connection = connections.removeValue(forKey: device)
        connection?.opened()
        connection?.subscriptions.ended()
        return connection?.link
    }

    /// Handles changed mDNS records.
    func browserChanged() async {
        for (device, connection) in connections {
            await connection.link.appeared(browser.snapshot[device])
            updateFault(of: device)
        }
    }

    /// Returns the link to an accessory server.
    ///
    /// If the server is visible, the method waits until the first connection attempt has ended.
    func openedLink(to device: DeviceID) async -> AccessoryLink? {
        let isSeen = browser.snapshot[device] != nil
        if isSeen, let opened = connections[device]?.untilOpened() { await opened.wait() }
        return connections[device]?.link
    }

    private func follow(_ link: AccessoryLink) async {
        await withTaskGroup { group in
            await link.desire(followed(at: link.id))
            group.addTask { await link.run() }
            group.addTask { await self.poll(link) }
            await link.appeared(browser.snapshot[link.id])
            for await updates in link.updates {
                for update in updates { received(update, from: link) }
            }
            group.cancelAll()
        }
        // Resume the calls that wait for subscriptions, unless another link has replaced this one.
        if connections[link.id]?.link === link { connections[link.id]?.subscriptions.ended() }
    }

    // MARK: Updates of links

    /// Applies all pending updates of an accessory now, so that they don't overwrite newer values later.
    func takeUpdates(of device: DeviceID) {
        guard let link = connections[device]?.link else { return }
        for update in link.updates.take() ?? [] { received(update, from: link) }
    }

    private func received(_ update: LinkUpdate, from link: AccessoryLink) {
        let device = link.id
        guard connections[device]?.link === link else { return }
        switch update {
        case .state(let state): received(state, of: device)
        case .database(let database, _): received(database, of: device)
        case .values(let readings):
            received(connections[device]?.requests.received(readings) ?? [:], from: device)
        case .occurrence(let location, let value):
            guard let id = connections[device]?.characteristics[location] else { return }
            apply(.valueUpdated(id, value, time: .now), isOccurrence: true)
        }
    }

    private func received(_ state: LinkState, of device: DeviceID) {
        switch state {
        case .searching, .connecting: return
        case .connected:
            connections[device]?.compliance.connected()
            if connections[device]?.needsProbe == true { return probe(device) }
            connections[device]?.connected()
            connections[device]?.subscriptions.connected()
        case .unreachable(let failure):
            connections[device]?.disconnected(failure)
            if case .outOfCompliance(let error) = failure { violated(device, error.description) }
            // A current mDNS record shows whether another controller has paired with the accessory.
            if failure == .notPaired || failure == .notGenuine { browser.refresh() }
            if failure == .notPaired {
                logger.warning(
                    "pairing rejected",
                    metadata: ["accessory": "\(device)", "remedy": "homehub repair"])
            }
            if connections[device]?.awaitsAdmission == true { return }
        case .stopped: connections[device]?.disconnected()
        }
        connections[device]?.opened()
        updateReachability(of: device)
        apply(connections[device]?.takeEarly() ?? [:], of: device)
    }

    // MARK: Reachability

    /// Reads a value of each bridged accessory to find out whether it's reachable, because the database doesn't contain
    /// that.
    func probe(_ device: DeviceID) {
        guard let link = connections[device]?.link else { return }
        let probes = graph.accessories(at: device).filter(\.isBridged).compactMap(\.probe)
        start { hub in
            let readings = (try? await link.read(probes)) ?? [:]
            hub.probed(link, readings)
        }
    }

    private func probed(_ link: AccessoryLink, _ readings: [CharacteristicID: Reading]) {
        // A probe is invalid after its connection has ended.
        guard let connection = connections[link.id], connection.link === link, connection.needsProbe else { return }
        connections[link.id]?.probed()
        received(readings.mapValues(\.status), behind: link.id)
        received(.connected, of: link.id)
    }

    /// Updates the reachability of bridged accessories from the statuses in a bridge's answer.
    func received(_ statuses: [CharacteristicID: HAPStatus], behind device: DeviceID) {
        let aids = Set(statuses.keys.map(\.aid))
        let bridged = graph.accessories(at: device).filter { $0.isBridged && aids.contains($0.aid) }
        guard !bridged.isEmpty else { return }
        let descriptions = Set(
            bridged.flatMap { accessory in
                accessory.services.filter { $0.type == .accessoryInformation }.flatMap(\.characteristics)
                    .map { CharacteristicID(accessory.aid, $0.iid) }
            })
        for (aid, isReachable) in BridgedReachability.read(from: statuses, descriptions: descriptions.contains)
        where bridged.contains(where: { $0.aid == aid }) {
            connections[device]?.bridged(aid, isReachable: isReachable)
        }
        updateReachability(of: device)
    }

    func updateReachability(of device: DeviceID) {
        var hasChanged = false
        for accessory in graph.accessories(at: device) {
            guard let isReachable = connections[device].map({ $0.isReachable(accessory.aid) }) ?? false else {
                continue
            }
            guard accessory.isReachable != isReachable else {
                // When the hub starts, all accessories are marked as unreachable, but automations haven't been
                // notified.
                if !isReachable { automationsSetUnreachable(accessory) }
                continue
            }
            hasChanged = true
            apply(.reachabilityUpdated(accessory.id, isReachable))
            if isReachable { automationsSetReachable(accessory) } else { automationsSetUnreachable(accessory) }
            if isReachable, accessory.isBridged { retrySubscriptions(of: accessory) }
        }
        updateFault(of: device)
        // Unsubscriptions from an unreachable accessory are sent only when it returns.
        if hasChanged { demandChanged(at: device) }
    }

    /// Applies the known reason why the accessories of a server are unreachable.
    private func updateFault(of device: DeviceID) {
        let snapshot = browser.snapshot
        let seen = snapshot[device]
        if let seen { connections[device]?.seen(seen) }
        guard let connection = connections[device], !connection.isConnected else { return }
        let fault = AccessoryFault(
            connection.failure, isPaired: seen?.isPaired,
            hasSuccessor: snapshot.accessories.contains(where: connection.isSucceeded))
        for accessory in graph.accessories(at: device) { apply(.faultUpdated(accessory.id, fault)) }
    }

    // MARK: Values

    /// Applies values that an accessory server reported, or that are in the answer to a call from the `asker` session.
    func received(
        _ readings: [CharacteristicID: Reading], from device: DeviceID, asker: SessionID? = nil
    ) {
        guard !readings.isEmpty else { return }
        // Update the reachability first, because apps observe values only of reachable accessories.
        received(readings.mapValues(\.status), behind: device)
        if asker != nil {
            apply(readings, of: device, asker: asker)
        } else {
            apply(connections[device]?.reported(readings) ?? [:], of: device)
        }
    }

    func apply(_ readings: [CharacteristicID: Reading], of device: DeviceID, asker: SessionID? = nil) {
        guard !readings.isEmpty, let characteristics = connections[device]?.characteristics else { return }
        let time = Timestamp.now
        for (location, reading) in readings.sorted(by: { $0.key < $1.key }) {
            guard let id = characteristics[location] else { continue }
            switch reading {
            case .success(let value): apply(.valueUpdated(id, value, time: time), writer: asker)
            case .failure: readFailed(of: id)
            }
        }
    }

    /// Notifies apps that a value may be outdated.
    ///
    /// Apps don't show values of unreachable accessories.
    private func readFailed(of id: Characteristic.ID) {
        guard let accessory = graph.accessory(of: id), accessory.isReachable,
            accessory.characteristic(id)?.isReadableState == true
        else { return }
        apply(.readFailed(id))
    }

    /// Prepares for a write by applying the reports that arrived before it.
    func willWrite(_ locations: [CharacteristicID], by link: AccessoryLink) async {
        await link.willWrite(locations)
        takeUpdates(of: link.id)
        received(connections[link.id]?.requests.willWrite(locations) ?? [:], from: link.id)
    }

    /// Ends a request for values; returns the values reported in the meantime, which are newer than the answer and must
    /// be applied after it.
    func ended(_ locations: [CharacteristicID], at device: DeviceID) -> [CharacteristicID: Reading] {
        takeUpdates(of: device)
        return connections[device]?.requests.end(locations) ?? [:]
    }
}

extension Accessory {
    /// A characteristic whose value the bridge can't know without contacting the accessory.
    var probe: CharacteristicID? {
        services.lazy.filter { $0.type != .accessoryInformation }.flatMap(\.characteristics)
            .first { $0.metadata.permissions.contains(.pairedRead) && !$0.type.isMomentary }
            .map { CharacteristicID(aid, $0.iid) }
    }
}
