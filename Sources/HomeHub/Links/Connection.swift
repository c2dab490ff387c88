import AsyncKit
import HAPController
import HAPProtocol
import HomeModel

import struct HAPModel.AccessoryID
import struct HAPModel.CharacteristicID

/// What the hub knows of its link to one accessory server.
///
/// While the first try to connect is not over, it is *opening*. Behind a bridge the database does not say which accessories
/// can be reached; after it was read they are *probed*, before any is said to be reachable. Values that come before the
/// connection counts as one are kept for that moment.
struct Connection {
    let link: AccessoryLink
    /// The homes' characteristics at the server.
    private(set) var characteristics: [CharacteristicID: Characteristic.ID]
    /// Whether there is a session, and it is known which accessories can be reached.
    private(set) var isConnected = false
    /// How the last try to connect, or the last session, ended; `nil` before that, and while there is a session.
    private(set) var failure: LinkFailure?
    /// Whether it is still to be seen which of the accessories behind it can be reached.
    private(set) var needsProbe = false
    /// The accessories behind it that it cannot reach.
    private(set) var unreachable: Set<AccessoryID> = []
    var requests = RequestsUnderWay()
    var compliance = DatabaseHistory()
    var subscriptions = SubscriptionRun()
    var targets: TargetReads
    /// As it was seen last.
    private var lastSeen: HAPController.DiscoveredAccessory?
    /// Values that were reported before it counted as connected.
    private var early: [CharacteristicID: Reading] = [:]
    private(set) var isOpening = true
    /// Whether it was just added, and may not admit us yet.
    var awaitsAdmission = false
    private var opening: [AsyncSignal] = []

    init(
        _ link: AccessoryLink, _ characteristics: [CharacteristicID: Characteristic.ID], targetPauses: [Duration]
    ) {
        self.link = link
        self.characteristics = characteristics
        targets = TargetReads(pauses: targetPauses)
    }

    // MARK: Whether it is there

    /// The networks show it.
    mutating func seen(_ accessory: HAPController.DiscoveredAccessory) { lastSeen = accessory }

    /// Whether another accessory is this one after a reset: free, of the same model, and where this one was.
    func isSucceeded(by accessory: HAPController.DiscoveredAccessory) -> Bool {
        guard let lastSeen, accessory.id != lastSeen.id, !accessory.isPaired else { return false }
        return accessory.model == lastSeen.model && accessory.category == lastSeen.category
            && accessory.endpoints.contains(where: lastSeen.endpoints.contains)
    }

    /// There is a session, and it is known which accessories can be reached.
    mutating func connected() {
        isConnected = true
        failure = nil
    }

    /// There is no session.
    mutating func disconnected(_ failure: LinkFailure? = nil) {
        isConnected = false
        self.failure = failure
        unreachable = []
    }

    /// It has been asked which of the accessories behind it can be reached.
    mutating func probed() { needsProbe = false }

    /// It is known how things stand: nothing is to be probed, and whatever waited for it waits no more.
    mutating func opened() {
        needsProbe = false
        isOpening = false
        awaitsAdmission = false
        for waiter in opening { waiter.send() }
        opening = []
    }

    /// The time to admit us has passed.
    ///
    /// - Returns: whether the last attempt to connect counts as failed now.
    mutating func admissionTimePassed() -> Bool {
        guard awaitsAdmission else { return false }
        awaitsAdmission = false
        guard failure != nil else { return false }
        opened()
        return true
    }

    /// What is sent once it is known whether there is a connection; `nil` if that is known.
    mutating func untilOpened() -> AsyncSignal? {
        guard isOpening else { return nil }
        let signal = AsyncSignal()
        opening.append(signal)
        return signal
    }

    /// Whether an accessory of the server can be reached; `nil` while that is not known.
    func isReachable(_ aid: AccessoryID) -> Bool? {
        // What was just added counts as reachable until it turns out that it is not.
        isOpening ? nil : isConnected && !unreachable.contains(aid)
    }

    /// An accessory behind the server can be reached, or cannot.
    mutating func bridged(_ aid: AccessoryID, isReachable: Bool) {
        if isReachable { unreachable.remove(aid) } else { unreachable.insert(aid) }
    }

    // MARK: What it consists of

    /// The homes have taken over what it consists of.
    mutating func updated(_ characteristics: [CharacteristicID: Characteristic.ID]) {
        self.characteristics = characteristics
    }

    /// It consists of something else, perhaps.
    ///
    /// - Parameters:
    ///   - readings: the values in its database.
    ///   - hasBridged: whether there are accessories behind it.
    /// - Returns: what can be applied now.
    mutating func databaseRead(
        _ readings: [CharacteristicID: Reading], hasBridged: Bool
    ) -> [CharacteristicID: Reading] {
        needsProbe = hasBridged
        // Of what is behind a bridge, the database does not say whether it can be reached.
        guard !isConnected else { return readings }
        early = readings
        return [:]
    }

    /// What the homes took over late has values, too, which are older than what was reported since.
    ///
    /// - Returns: what can be applied now.
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

    /// Values were reported that no session has asked for.
    ///
    /// - Returns: what can be applied now.
    mutating func reported(_ readings: [CharacteristicID: Reading]) -> [CharacteristicID: Reading] {
        guard !isConnected else { return readings }
        early.merge(readings) { $1 }
        return [:]
    }

    /// Takes the values that have waited for the connection.
    mutating func takeEarly() -> [CharacteristicID: Reading] {
        guard isConnected else { return [:] }
        defer { early = [:] }
        return early
    }
}
