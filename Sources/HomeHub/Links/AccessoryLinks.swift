import AsyncKit
import HAPController
import HAPProtocol
import HomeModel
import Logging
import SystemKit

import struct HAPModel.AccessoryID
import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

/// The connections to the accessory servers of the homes: whether each is there, what it consists of, what it reports.
final class AccessoryLinks {
    private(set) var connections: [DeviceID: Connection] = [:]
    /// Those that were just added, and may yet let us in.
    private var unadmitted: Set<DeviceID> = []

    // MARK: Connecting

    /// Keeps a connection to an accessory from now on.
    func connect(
        to pairing: AccessoryPairing, as identity: ControllerIdentity, known added: AccessorySetup.Added? = nil,
        in hub: isolated HomeHub
    ) {
        let device = pairing.deviceID
        // It may have left the homes, or been blocked, while its pairing was looked up.
        guard connections[device] == nil,
            hub.graph.accessories(at: device).contains(where: { !$0.isBridged && !$0.isBlocked })
        else { return }
        let link = AccessoryLink(
            pairing, as: identity, dialer: hub.dialer,
            database: added.map { ($0.database, configurationNumber: $0.configurationNumber) },
            timing: hub.configuration.timing, logger: hub.logger)
        connections[device] = Connection(
            link, hub.graph.characteristics(at: device), targetPauses: hub.configuration.targetPauses)
        if let added {
            apply(added.database.readings, of: device, in: hub)
            awaitAdmission(link, in: hub)
        }
        hub.start { hub in await hub.links.follow(link, in: hub) }
    }

    /// Gives an accessory that was just added time to let us in: some take a moment to come back from being paired.
    private func awaitAdmission(_ link: AccessoryLink, in hub: isolated HomeHub) {
        let time = hub.configuration.admissionTime
        guard time > .zero else { return }
        unadmitted.insert(link.id)
        hub.start { hub in
            try? await Task.sleep(for: time)
            hub.links.admissionTimePassed(link, in: hub)
        }
    }

    private func admissionTimePassed(_ link: AccessoryLink, in hub: isolated HomeHub) {
        guard connections[link.id]?.link === link, unadmitted.remove(link.id) != nil,
            connections[link.id]?.isOpening == true, connections[link.id]?.failure != nil
        else { return }
        connections[link.id]?.opened()
        updateReachability(of: link.id, in: hub)
    }

    /// Connects again to an accessory that was left alone.
    func reconnect(to device: DeviceID, in hub: isolated HomeHub) {
        hub.start { hub in
            guard let (pairing, identity) = await hub.pairings.pairing(with: device) else { return }
            hub.links.connect(to: pairing, as: identity, in: hub)
        }
    }

    /// Gives a connection up.
    ///
    /// - Returns: its link, which is to be stopped; `nil` if there was none.
    func remove(_ device: DeviceID) -> AccessoryLink? {
        unadmitted.remove(device)
        var connection = connections.removeValue(forKey: device)
        connection?.opened()
        connection?.subscriptions.ended()
        return connection?.link
    }

    /// The networks show something else.
    func browserChanged(in hub: isolated HomeHub) async {
        for (device, connection) in connections {
            await connection.link.appeared(hub.browser.snapshot[device])
            updateFault(of: device, in: hub)
        }
    }

    /// Whether an accessory has said that it has no pairing with us, when it was asked last.
    func isForgotten(by device: DeviceID) -> Bool { connections[device]?.failure == .notPaired }

    /// The link to an accessory server; while the first try to connect to one that is seen goes on, it is waited for.
    func openedLink(to device: DeviceID, in hub: isolated HomeHub) async -> AccessoryLink? {
        let isSeen = hub.browser.snapshot[device] != nil
        if isSeen, let opened = connections[device]?.untilOpened() { await opened.wait() }
        return connections[device]?.link
    }

    private func follow(_ link: AccessoryLink, in hub: isolated HomeHub) async {
        await withTaskGroup { group in
            await link.desire(followed(at: link.id, in: hub.graph))
            group.addTask { await link.run() }
            group.addTask { await hub.turn { hub in await hub.links.poll(link, in: hub) } }
            await link.appeared(hub.browser.snapshot[link.id])
            for await updates in link.updates {
                for update in updates { received(update, from: link, in: hub) }
            }
            group.cancelAll()
        }
        // Whatever waits for its subscriptions waits no more; another link may be there already.
        if connections[link.id]?.link === link { connections[link.id]?.subscriptions.ended() }
    }

    // MARK: Updates of links

    /// Takes over what an accessory has reported until now, so that it does not come behind what is done next.
    func takeUpdates(of device: DeviceID, in hub: isolated HomeHub) {
        guard let link = connections[device]?.link else { return }
        for update in link.updates.take() ?? [] { received(update, from: link, in: hub) }
    }

    private func received(_ update: LinkUpdate, from link: AccessoryLink, in hub: isolated HomeHub) {
        let device = link.id
        guard connections[device]?.link === link else { return }
        switch update {
        case .state(let state): received(state, of: device, in: hub)
        case .database(let database, _): received(database, of: device, in: hub)
        case .values(let readings):
            received(connections[device]?.requests.received(readings) ?? [:], from: device, in: hub)
        case .occurrence(let location, let value):
            guard let id = connections[device]?.characteristics[location] else { return }
            hub.apply(.valueUpdated(id, value, time: .now), isOccurrence: true)
        }
    }

    private func received(_ state: LinkState, of device: DeviceID, in hub: isolated HomeHub) {
        switch state {
        case .searching, .connecting: return
        case .connected:
            connections[device]?.compliance.connected()
            if connections[device]?.needsProbe == true { return probe(device, in: hub) }
            connections[device]?.connected()
            connections[device]?.subscriptions.connected()
        case .unreachable(let failure):
            connections[device]?.disconnected(failure)
            if case .outOfCompliance(let error) = failure { violated(device, error.description, in: hub) }
            // Its current record shows whether another controller has paired with it.
            if failure == .notPaired || failure == .notGenuine { hub.browser.refresh() }
            if failure == .notPaired {
                hub.logger.warning(
                    "pairing rejected",
                    metadata: ["accessory": "\(device)", "remedy": "homehub repair"])
            }
            if unadmitted.contains(device) { return }
        case .stopped: connections[device]?.disconnected()
        }
        unadmitted.remove(device)
        connections[device]?.opened()
        updateReachability(of: device, in: hub)
        apply(connections[device]?.takeEarly() ?? [:], of: device, in: hub)
    }

    // MARK: Targets that were written

    /// As ``TargetReads/wrote(to:)``.
    func wrote(to services: Set<Service.ID>, at device: DeviceID) -> Bool {
        connections[device]?.targets.wrote(to: services) ?? false
    }

    /// Returns the pause before the next read of targets, and the signal of a write; `nil` if there is nothing to read.
    func nextTargetRead(at device: DeviceID, in graph: HomeGraph) -> (pause: Duration, written: AsyncSignal)? {
        let approaching = Set(graph.accessories(at: device).flatMap(\.services).filter(\.isApproachingTarget).map(\.id))
        guard let pause = connections[device]?.targets.nextPause(where: approaching.contains),
            let written = connections[device]?.targets.written
        else { return nil }
        return (pause, written)
    }

    /// As ``TargetReads/beginRead()``.
    func beginTargetRead(at device: DeviceID) -> Set<Service.ID> { connections[device]?.targets.beginRead() ?? [] }

    // MARK: Reachability

    /// Asks which of the accessories behind a bridge can be reached, before any is said to be: the database does not tell.
    private func probe(_ device: DeviceID, in hub: isolated HomeHub) {
        guard let link = connections[device]?.link else { return }
        let probes = hub.graph.accessories(at: device).filter(\.isBridged).compactMap(\.probe)
        hub.start { hub in
            let readings = (try? await link.read(probes)) ?? [:]
            hub.links.probed(link, readings, in: hub)
        }
    }

    private func probed(
        _ link: AccessoryLink, _ readings: [CharacteristicID: Reading], in hub: isolated HomeHub
    ) {
        // If the connection has ended meanwhile, there is nothing to probe any more.
        guard let connection = connections[link.id], connection.link === link, connection.needsProbe else { return }
        connections[link.id]?.probed()
        received(readings.mapValues(\.status), behind: link.id, in: hub)
        received(.connected, of: link.id, in: hub)
    }

    /// Whether those behind a bridge can be reached shows in what it answers of them.
    func received(_ statuses: [CharacteristicID: HAPStatus], behind device: DeviceID, in hub: isolated HomeHub) {
        let aids = Set(statuses.keys.map(\.aid))
        let bridged = hub.graph.accessories(at: device).filter { $0.isBridged && aids.contains($0.aid) }
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
        updateReachability(of: device, in: hub)
    }

    /// Applies what changed about which accessories of a server can be reached.
    private func updateReachability(of device: DeviceID, in hub: isolated HomeHub) {
        var hasChanged = false
        for accessory in hub.graph.accessories(at: device) {
            guard let isReachable = connections[device].map({ $0.isReachable(accessory.aid) }) ?? false,
                accessory.isReachable != isReachable
            else { continue }
            hasChanged = true
            hub.apply(.reachabilityUpdated(accessory.id, isReachable))
            if isReachable, accessory.isBridged { retrySubscriptions(of: accessory, in: hub) }
        }
        updateFault(of: device, in: hub)
        // The end of an observation of an unreachable accessory wasn't sent yet.
        if hasChanged { demandChanged(at: device, in: hub) }
    }

    /// Applies what is known of why the accessories of a server cannot be reached.
    private func updateFault(of device: DeviceID, in hub: isolated HomeHub) {
        let snapshot = hub.browser.snapshot
        let seen = snapshot[device]
        if let seen { connections[device]?.seen(seen) }
        guard let connection = connections[device], !connection.isConnected else { return }
        let fault = AccessoryFault(
            connection.failure, isPaired: seen?.isPaired,
            hasSuccessor: snapshot.accessories.contains(where: connection.isSucceeded))
        for accessory in hub.graph.accessories(at: device) { hub.apply(.faultUpdated(accessory.id, fault)) }
    }

    // MARK: Values

    /// Takes over what was reported by an accessory server.
    ///
    /// - Parameters:
    ///   - readings: what was reported.
    ///   - device: the server.
    ///   - asker: the session that asked for it and has it in an answer; `nil` for what the accessory reported by itself.
    ///   - hub: the hub.
    func received(
        _ readings: [CharacteristicID: Reading], from device: DeviceID, asker: SessionID? = nil,
        in hub: isolated HomeHub
    ) {
        guard !readings.isEmpty else { return }
        // Observers are notified of values again from the moment on in which it can be reached again, not before.
        received(readings.mapValues(\.status), behind: device, in: hub)
        if asker != nil {
            apply(readings, of: device, asker: asker, in: hub)
        } else {
            apply(connections[device]?.reported(readings) ?? [:], of: device, in: hub)
        }
    }

    private func apply(
        _ readings: [CharacteristicID: Reading], of device: DeviceID, asker: SessionID? = nil, in hub: isolated HomeHub
    ) {
        guard !readings.isEmpty, let characteristics = connections[device]?.characteristics else { return }
        let time = Timestamp.now
        for (location, reading) in readings.sorted(by: { $0.key < $1.key }) {
            guard case .success(let value) = reading, let id = characteristics[location] else { continue }
            hub.apply(.valueUpdated(id, value, time: time), writer: asker)
        }
    }

    // MARK: Requests under way

    /// Values are being read or written.
    func began(_ locations: [CharacteristicID], at device: DeviceID) { connections[device]?.requests.begin(locations) }

    /// Values are about to be written: whatever was reported of them until now is older.
    func willWrite(_ locations: [CharacteristicID], by link: AccessoryLink, in hub: isolated HomeHub) async {
        await link.willWrite(locations)
        takeUpdates(of: link.id, in: hub)
        received(connections[link.id]?.requests.willWrite(locations) ?? [:], from: link.id, in: hub)
    }

    /// As ``RequestsUnderWay/writeCount``.
    func writeCount(at device: DeviceID) -> Int { connections[device]?.requests.writeCount ?? 0 }

    /// As ``RequestsUnderWay/current(_:since:)``.
    func current(
        _ readings: [CharacteristicID: Reading], from device: DeviceID, since count: Int
    ) -> [CharacteristicID: Reading] {
        connections[device]?.requests.current(readings, since: count) ?? readings
    }

    /// The answer came, or never will.
    ///
    /// - Returns: what was reported meanwhile, which is newer than the answer and is to be taken over behind it.
    func ended(
        _ locations: [CharacteristicID], at device: DeviceID, in hub: isolated HomeHub
    ) -> [CharacteristicID: Reading] {
        takeUpdates(of: device, in: hub)
        return connections[device]?.requests.end(locations) ?? [:]
    }

    // MARK: What they consist of

    /// An accessory consists of something else, perhaps.
    private func received(_ database: AccessoryDatabase, of device: DeviceID, in hub: isolated HomeHub) {
        guard connections[device] != nil else { return }
        decide(database, of: device, in: hub)
        let hasBridged = hub.graph.accessories(at: device).contains(where: \.isBridged)
        apply(
            connections[device]?.databaseRead(database.readings, hasBridged: hasBridged) ?? [:], of: device, in: hub)
    }

    /// Has the homes take over what an accessory consists of, now or later.
    private func decide(_ database: AccessoryDatabase, of device: DeviceID, in hub: isolated HomeHub) {
        let interval = hub.configuration.databaseInterval
        switch connections[device]?.compliance.received(database, interval: interval, now: .now) {
        case .takeOver: takeOver(database, of: device, in: hub)
        case let step?: takeOverLater(step, of: device, in: hub)
        case nil: return
        }
    }

    /// Has the homes take over what an accessory consists of; what changes nothing is taken over at once.
    private func takeOver(_ database: AccessoryDatabase, of device: DeviceID, in hub: isolated HomeHub) {
        guard let link = connections[device]?.link else { return }
        var planned = hub.graph
        do throws(HomeError) {
            guard try planned.takeOver(database, of: device) == nil else {
                connections[device]?.compliance.storing()
                hub.start { hub in await hub.links.store(database, of: link, in: hub) }
                return
            }
            connections[device]?.compliance.takenOver(isChanged: false, now: .now)
        } catch {
            refused(database, of: device, because: error, in: hub)
        }
    }

    /// Stores what an accessory has become, and takes over what it tells of it.
    private func store(_ database: AccessoryDatabase, of link: AccessoryLink, in hub: isolated HomeHub) async {
        let device = link.id
        do throws(HomeError) {
            let place = try hub.commitQueue.enter(isBounded: false)
            try await hub.change(at: place) { (planned) throws(HomeError) in
                let transaction = try planned.takeOver(database, of: device)
                return (transaction != nil, transaction)
            } applied: { isChanged in
                if isChanged {
                    connections[device]?.updated(hub.graph.characteristics(at: device))
                    demandChanged(at: device, in: hub)
                }
                connections[device]?.compliance.takenOver(isChanged: isChanged, now: .now)
                guard connections[device]?.link === link else { return }
                stored(database, of: device, in: hub)
            }
            if let newer = connections[device]?.compliance.stored() { decide(newer, of: device, in: hub) }
        } catch {
            let newer = connections[device]?.compliance.stored()
            // A hub that ends takes it over with its next start.
            guard error.code != .daemonUnavailable else { return }
            refused(newer ?? database, of: device, because: error, in: hub)
            if error.code != .storageFailed, let newer { decide(newer, of: device, in: hub) }
        }
    }

    /// The homes have taken over what an accessory consists of, some time after it was read.
    private func stored(_ database: AccessoryDatabase, of device: DeviceID, in hub: isolated HomeHub) {
        guard let connection = connections[device] else { return }
        // What was reported since is newer than the database.
        let new = database.readings.filter { location, _ in
            connection.characteristics[location].flatMap { hub.graph.characteristic($0) }.map { $0.value == nil }
                == true
        }
        let hasBridged = hub.graph.accessories(at: device).contains(where: \.isBridged)
        apply(connections[device]?.databaseStored(new, hasBridged: hasBridged) ?? [:], of: device, in: hub)
        if connection.isConnected, hasBridged { probe(device, in: hub) }
    }

    /// The homes have not taken over what an accessory consists of.
    private func refused(
        _ database: AccessoryDatabase, of device: DeviceID, because error: HomeError, in hub: isolated HomeHub
    ) {
        hub.logger.error("accessory database rejected", metadata: ["accessory": "\(device)", "error": "\(error)"])
        let isUnusable = error.code == .accessoryOutOfCompliance
        connections[device]?.compliance.refused(isUnusable: isUnusable, now: .now)
        if isUnusable { violated(device, error.message, in: hub) }
        if error.code == .storageFailed {
            let time = ContinuousClock.now + hub.configuration.storeRetryInterval
            if let step = connections[device]?.compliance.postpone(database, until: time) {
                takeOverLater(step, of: device, in: hub)
            }
        }
    }

    /// Takes over a little later what could not be stored, or what the accessory has become until then.
    private func takeOverLater(_ step: DatabaseHistory.Step, of device: DeviceID, in hub: isolated HomeHub) {
        guard case .retry(let time) = step, let link = connections[device]?.link else { return }
        hub.start { hub in
            guard (try? await Task.sleep(until: time)) != nil else { return }
            hub.links.takeOverWaiting(link, in: hub)
        }
    }

    private func takeOverWaiting(_ link: AccessoryLink, in hub: isolated HomeHub) {
        let device = link.id
        guard connections[device]?.link === link, connections[device]?.compliance.isStoring == false,
            let database = connections[device]?.compliance.due()
        else { return }
        takeOver(database, of: device, in: hub)
        guard let compliance = connections[device]?.compliance, !compliance.isWaiting, !compliance.isStoring else {
            return
        }
        stored(database, of: device, in: hub)
    }

    /// Leaves an accessory alone that breaks the rules again and again.
    private func violated(_ device: DeviceID, _ reason: String, in hub: isolated HomeHub) {
        guard let isTooOften = connections[device]?.compliance.violated() else { return }
        hub.logger.warning(
            "accessory violated protocol", metadata: ["accessory": "\(device)", "reason": "\(reason)"])
        guard isTooOften, let accessory = hub.graph.accessories(at: device).first(where: { !$0.isBridged }) else {
            return
        }
        hub.start { hub in await hub.links.block(accessory.id, at: device, in: hub) }
    }

    private func block(_ id: Accessory.ID, at device: DeviceID, in hub: isolated HomeHub) async {
        do throws(HomeError) {
            let place = try hub.commitQueue.enter(isBounded: false)
            try await hub.change(at: place) { planned in
                let transaction = planned.block(id)
                return (transaction != nil, transaction)
            } applied: { isBlocked in
                guard isBlocked else { return }
                hub.logger.error(
                    "accessory blocked", metadata: ["accessory": "\(device)", "remedy": "unblock it in an app"])
                if let link = remove(device) { hub.start { _ in await link.stop() } }
                updateReachability(of: device, in: hub)
            }
        } catch {
            // It is logged; the next violation tries again.
        }
    }

    // MARK: What they are asked to report

    /// Sessions want to be notified of other values than before.
    func demandChanged(of ids: [Characteristic.ID], in hub: isolated HomeHub) {
        for device in Set(ids.compactMap { hub.graph.accessory(of: $0)?.deviceID }) {
            demandChanged(at: device, in: hub)
        }
    }

    private func demandChanged(at device: DeviceID, in hub: isolated HomeHub) {
        guard connections[device]?.subscriptions.demandChanged() == true else { return }
        hub.start { hub in await hub.links.reconcileSubscriptions(at: device, in: hub) }
    }

    /// Has an accessory report its state and what sessions observe of it.
    private func reconcileSubscriptions(at device: DeviceID, in hub: isolated HomeHub) async {
        guard let link = connections[device]?.link else { return }
        while connections[device]?.link === link, connections[device]?.subscriptions.nextRound() == true,
            let characteristics = connections[device]?.characteristics
        {
            let demand = hub.sessions.observed
            let observed = Set(characteristics.filter { demand.contains($0.value) }.keys)
            // No session observes an unreachable accessory, but its reports show its return.
            let away = Set(hub.graph.accessories(at: device).filter { !$0.isReachable }.map(\.aid))
            let outcomes = await link.observe(
                observed.union(followed(at: device, in: hub.graph)),
                keeping: Set(characteristics.keys.filter { away.contains($0.aid) }), insistingOn: observed)
            guard connections[device]?.link === link else { return }
            let refused = connections[device]?.subscriptions.asked(outcomes.mapValues { HomeError.Code($0) }) ?? []
            hub.sessions.refused(refused.compactMap { connections[device]?.characteristics[$0] })
        }
        guard connections[device]?.link === link else { return }
        connections[device]?.subscriptions.ended()
    }

    /// Subscribes again to the characteristics that a bridge refused while it couldn't reach an accessory.
    private func retrySubscriptions(of accessory: Accessory, in hub: isolated HomeHub) {
        guard let link = connections[accessory.deviceID]?.link else { return }
        hub.start { _ in await link.retrySubscriptions(of: accessory.aid) }
    }

    /// Whether an accessory server is just being told what to report.
    func isReconciling(_ device: DeviceID) -> Bool { connections[device]?.subscriptions.isRunning == true }

    /// Waits until an accessory server has been told what to report.
    func untilReconciled(_ device: DeviceID, in hub: isolated HomeHub) async {
        if let ended = connections[device]?.subscriptions.untilEnded() { await ended.wait() }
    }

    /// Puts what accessories have refused to report into the results of a request.
    func withRefusals(_ results: [ValueResult], in hub: isolated HomeHub) -> [ValueResult] {
        var results = results
        for index in results.indices where results[index].error == nil {
            let id = results[index].characteristic
            guard let accessory = hub.graph.accessory(of: id), let characteristic = accessory.characteristic(id),
                let code = connections[accessory.deviceID]?.subscriptions
                    .refusal(of: CharacteristicID(accessory.aid, characteristic.iid))
            else { continue }
            results[index].error = HomeError(code, accessory: accessory.id)
        }
        return results
    }
}

extension HomeGraph {
    /// The characteristics of an accessory server.
    fileprivate func characteristics(at device: DeviceID) -> [CharacteristicID: Characteristic.ID] {
        var characteristics: [CharacteristicID: Characteristic.ID] = [:]
        for accessory in accessories(at: device) {
            for characteristic in accessory.services.flatMap(\.characteristics) {
                characteristics[CharacteristicID(accessory.aid, characteristic.iid)] = characteristic.id
            }
        }
        return characteristics
    }

    /// Takes over what an accessory server consists of.
    ///
    /// - Returns: what changes by that; `nil` if nothing does.
    /// - Throws: as `update(_:with:descriptions:using:)`.
    fileprivate mutating func takeOver(
        _ database: AccessoryDatabase, of device: DeviceID
    ) throws(HomeError) -> HomeTransaction? {
        var generator = SystemRandomNumbers()
        return try update(
            device, with: database.accessories, descriptions: database.descriptions, using: &generator)
    }
}

extension AccessoryDatabase {
    /// The values that it tells.
    fileprivate var readings: [CharacteristicID: Reading] {
        var readings: [CharacteristicID: Reading] = [:]
        for (id, characteristic) in characteristics where !characteristic.type.isMomentary {
            readings[id] = characteristic.value.map { .success($0) }
        }
        return readings
    }
}

extension Accessory {
    /// A characteristic that only the accessory itself can tell, not the bridge that it is behind.
    var probe: CharacteristicID? {
        services.lazy.filter { $0.type != .accessoryInformation }.flatMap(\.characteristics)
            .first { $0.metadata.permissions.contains(.pairedRead) && !$0.type.isMomentary }
            .map { CharacteristicID(aid, $0.iid) }
    }
}
