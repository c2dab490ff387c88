import AsyncKit
import HAPController
import HAPProtocol
import HomeModel
import Logging

import struct HAPModel.CharacteristicID
import struct HAPModel.DeviceID

extension HomeHub {
    // MARK: Links

    /// Connects to every accessory of the homes, and takes leave of those that are in none.
    func connectToAll() async {
        let pairings: [AccessoryPairing]
        let identity: ControllerIdentity
        do {
            identity = try await vault.identity()
            pairings = try await vault.pairings()
        } catch {
            logger.critical("the pairings cannot be read; no accessory is reached", metadata: ["error": "\(error)"])
            return
        }
        paired = Set(pairings.map(\.deviceID))
        for pairing in pairings {
            let present = graph.accessories(at: pairing.deviceID)
            if present.isEmpty {
                logger.warning(
                    "an accessory is paired with and in no home; it is let go when it is seen",
                    metadata: ["accessory": "\(pairing.deviceID)"])
                letGoWhenSeen(pairing, as: identity)
            } else if !present.contains(where: { !$0.isBridged && $0.isBlocked }) {
                connect(to: pairing, as: identity)
            }
        }
        for accessory in graph.homes.flatMap(\.accessories)
        where !accessory.isBridged && !paired.contains(accessory.deviceID) {
            logger.warning(
                "an accessory is in a home, but not paired with; remove it and add it again",
                metadata: ["accessory": "\(accessory.deviceID)"])
        }
    }

    /// Keeps a connection to an accessory from now on.
    func connect(
        to pairing: AccessoryPairing, as identity: ControllerIdentity, knowing added: AccessorySetup.Added? = nil
    ) {
        let device = pairing.deviceID
        // It may have left the homes, or been blocked, while its pairing was looked up.
        guard connections[device] == nil,
            graph.accessories(at: device).contains(where: { !$0.isBridged && !$0.isBlocked })
        else { return }
        let link = AccessoryLink(
            pairing, as: identity, dialer: dialer,
            database: added.map { ($0.database, configurationNumber: $0.configurationNumber) },
            timing: configuration.timing, logger: logger)
        connections[device] = Connection(link)
        connections[device]?.places = places(of: device)
        if let added { tell(added.database.readings, of: device) }
        start { await self.look(after: link) }
    }

    /// Connects again to an accessory that was left alone.
    func reconnect(to device: DeviceID) {
        start {
            do {
                let identity = try await self.vault.identity()
                guard let pairing = try await self.vault.pairings().first(where: { $0.deviceID == device }) else {
                    return
                }
                await self.connect(to: pairing, as: identity)
            } catch {
                self.logger.error(
                    "a pairing cannot be read", metadata: ["accessory": "\(device)", "error": "\(error)"])
            }
        }
    }

    private func look(after link: AccessoryLink) async {
        await withTaskGroup { group in
            group.addTask { await link.run() }
            await link.appeared(browser.snapshot[link.id])
            for await updates in link.updates { for update in updates { received(update, from: link) } }
        }
        // Whoever waits for it waits no more; another link may be there already.
        if connections[link.id]?.link === link {
            connections[link.id]?.opened()
            connections[link.id]?.settled()
        }
    }

    /// Where the characteristics of an accessory server are.
    func places(of device: DeviceID) -> [CharacteristicID: Characteristic.ID] {
        var places: [CharacteristicID: Characteristic.ID] = [:]
        for accessory in graph.accessories(at: device) {
            for characteristic in accessory.services.flatMap(\.characteristics) {
                places[CharacteristicID(accessory.aid, characteristic.iid)] = characteristic.id
            }
        }
        return places
    }

    // MARK: News

    /// Takes over what an accessory has told until now, so that it does not come behind what is done next.
    func takeNews(of device: DeviceID) {
        guard let link = connections[device]?.link else { return }
        for update in link.updates.take() ?? [] { received(update, from: link) }
    }

    private func received(_ update: LinkUpdate, from link: AccessoryLink) {
        let device = link.id
        guard var connection = connections[device], connection.link === link else { return }
        switch update {
        case .state(let state): received(state, of: device)
        case .database(let database, _): received(database, of: device)
        case .values(let readings):
            let news = connection.requests.received(readings)
            connections[device] = connection
            heard(news, from: device)
        case .occurrence(let place, let value):
            guard let id = connection.places[place] else { return }
            let event = LiveEvent.valueUpdated(id, value, time: WallClock.now)
            if graph.apply(event) { perform(feed.heard(event)) }
        }
    }

    private func received(_ state: LinkState, of device: DeviceID) {
        switch state {
        case .searching, .connecting: return
        case .connected:
            if connections[device]?.isUnusable == false { connections[device]?.violations = 0 }
            if connections[device]?.isUnproven == true {
                prove(device)
                return
            }
            connections[device]?.isConnected = true
        case .unreachable(let failure):
            connections[device]?.isConnected = false
            connections[device]?.away = []
            if case .outOfCompliance(let error) = failure { misbehaved(device, error.description) }
            if failure == .notPaired {
                logger.warning(
                    "an accessory does not know us any more; remove it and add it again",
                    metadata: ["accessory": "\(device)"])
            }
        case .stopped: connections[device]?.isConnected = false
        }
        connections[device]?.isUnproven = false
        connections[device]?.opened()
        updateReachability(of: device)
        guard connections[device]?.isConnected == true, let early = connections[device]?.early else { return }
        connections[device]?.early = [:]
        tell(early, of: device)
    }

    /// Looks which of the accessories behind a bridge are there, before any is said to be: the database does not tell.
    func prove(_ device: DeviceID) {
        guard let link = connections[device]?.link else { return }
        let probes = graph.accessories(at: device).filter(\.isBridged).compactMap(\.probe)
        start {
            let readings = (try? await link.read(probes)) ?? [:]
            await self.proven(link, readings)
        }
    }

    private func proven(_ link: AccessoryLink, _ readings: [CharacteristicID: Reading]) {
        // If the connection has ended meanwhile, there is nothing to prove any more.
        guard let connection = connections[link.id], connection.link === link, connection.isUnproven else { return }
        connections[link.id]?.isUnproven = false
        heardOfBridged(readings.mapValues(\.status), behind: link.id)
        received(.connected, of: link.id)
    }
}

extension Accessory {
    /// A characteristic that only the accessory itself can tell, not the bridge that it is behind.
    fileprivate var probe: CharacteristicID? {
        services.lazy.filter { $0.type != .accessoryInformation }.flatMap(\.characteristics)
            .first { $0.metadata.permissions.contains(.pairedRead) && !$0.type.isMomentary }
            .map { CharacteristicID(aid, $0.iid) }
    }
}
