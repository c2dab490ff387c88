import AsyncKit
import HAPController
import HAPProtocol
import HomeModel

import struct HAPModel.AccessoryID
import struct HAPModel.CharacteristicID

/// The hub's connection to one accessory server.
///
/// It's *opening* during the first connection attempt. The database of a bridge doesn't show which accessories are
/// reachable, so they are *probed* after the database was read. Values that arrive before the end of the probe are
/// kept.
struct Connection {
    let link: AccessoryLink
    /// The IDs of the server's characteristics in the homes.
    private(set) var characteristics: [CharacteristicID: Characteristic.ID]
    /// A Boolean value that indicates whether there is a session and the reachable accessories are known.
    private(set) var isConnected = false
    /// The reason why the last attempt or session ended; `nil` before the first attempt has ended and during a session.
    private(set) var failure: LinkFailure?
    /// A Boolean value that indicates whether the bridged accessories must be probed.
    private(set) var needsProbe = false
    /// The unreachable bridged accessories.
    private(set) var unreachable: Set<AccessoryID> = []
    var requests = RequestsUnderWay()
    var compliance = DatabaseHistory()
    var subscriptions = SubscriptionRun()
    var targets: TargetReads
    private var lastSeen: AdvertisedAccessory?
    /// Values that were reported before ``connected()``.
    private var early: [CharacteristicID: Reading] = [:]
    private(set) var isOpening = true
    /// A Boolean value that indicates whether the accessory was just added and may not accept connections yet.
    var awaitsAdmission = false
    private var opening: [AsyncSignal] = []

    init(
        _ link: AccessoryLink, _ characteristics: [CharacteristicID: Characteristic.ID], targetPauses: [Duration]
    ) {
        self.link = link
        self.characteristics = characteristics
        targets = TargetReads(pauses: targetPauses)
    }

    // MARK: Reachability

    mutating func seen(_ accessory: AdvertisedAccessory) { lastSeen = accessory }

    /// Returns a Boolean value that indicates whether an accessory is probably this connection's accessory after a
    /// reset.
    ///
    /// It must be unpaired, of the same model and at the same address.
    func isSucceeded(by accessory: AdvertisedAccessory) -> Bool {
        guard let lastSeen, accessory.id != lastSeen.id, !accessory.isPaired else { return false }
        return accessory.model == lastSeen.model && accessory.category == lastSeen.category
            && accessory.endpoints.contains(where: lastSeen.endpoints.contains)
    }

    /// Marks the connection as usable: there is a session, and the reachable accessories are known.
    mutating func connected() {
        isConnected = true
        failure = nil
    }

    mutating func disconnected(_ failure: LinkFailure? = nil) {
        isConnected = false
        self.failure = failure
        unreachable = []
    }

    mutating func probed() { needsProbe = false }

    /// Ends the first connection attempt and resumes the calls that wait for it.
    mutating func opened() {
        needsProbe = false
        isOpening = false
        awaitsAdmission = false
        for waiter in opening { waiter.send() }
        opening = []
    }

    /// Ends the wait for a new accessory to accept connections; returns whether the last attempt now counts as failed.
    mutating func admissionTimePassed() -> Bool {
        guard awaitsAdmission else { return false }
        awaitsAdmission = false
        guard failure != nil else { return false }
        opened()
        return true
    }

    /// Returns a signal that is sent after the first connection attempt; `nil` if it has ended.
    mutating func untilOpened() -> AsyncSignal? {
        guard isOpening else { return nil }
        let signal = AsyncSignal()
        opening.append(signal)
        return signal
    }

    /// Returns a Boolean value that indicates whether an accessory of the server is reachable; `nil` if that's unknown.
    func isReachable(_ aid: AccessoryID) -> Bool? {
        // A new accessory counts as reachable until the first attempt has failed.
        isOpening ? nil : isConnected && !unreachable.contains(aid)
    }

    mutating func bridged(_ aid: AccessoryID, isReachable: Bool) {
        if isReachable { unreachable.remove(aid) } else { unreachable.insert(aid) }
    }

    // MARK: Database

    /// Updates the characteristics after a database was applied to the homes.
    mutating func updated(_ characteristics: [CharacteristicID: Characteristic.ID]) {
        self.characteristics = characteristics
    }

    /// Handles the values in a database that was read; returns the values to apply now.
    mutating func databaseRead(
        _ readings: [CharacteristicID: Reading], hasBridged: Bool
    ) -> [CharacteristicID: Reading] {
        needsProbe = hasBridged
        // The database of a bridge doesn't show which accessories are reachable.
        guard !isConnected else { return readings }
        early = readings
        return [:]
    }

    /// Handles the values in a database that was applied to the homes late; returns the values to apply now.
    ///
    /// Values that the accessory has reported in the meantime are newer.
    mutating func databaseStored(
        _ readings: [CharacteristicID: Reading], hasBridged: Bool
    ) -> [CharacteristicID: Reading] {
        guard isConnected else {
            early.merge(readings) { newer, _ in newer }
            return [:]
        }
        if hasBridged { needsProbe = true }
        return readings
    }

    // MARK: Values

    /// Handles reported values; returns the values to apply now.
    mutating func reported(_ readings: [CharacteristicID: Reading]) -> [CharacteristicID: Reading] {
        guard !isConnected else { return readings }
        early.merge(readings) { $1 }
        return [:]
    }

    /// Removes and returns the values that were waiting for the connection.
    mutating func takeEarly() -> [CharacteristicID: Reading] {
        guard isConnected else { return [:] }
        defer { early = [:] }
        return early
    }
}
