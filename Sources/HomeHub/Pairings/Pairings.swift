import AsyncKit
import HAPController
import HAPProtocol

import struct HAPModel.DeviceID

/// The accessories that the hub is paired with, and the pairings that must be removed.
///
/// A pairing with an accessory that is in no home is *orphaned*. The vault keeps it until the accessory is seen and has removed
/// it, however late: an accessory whose pairing the hub forgot before would have to be reset.
struct Pairings: Sendable {
    /// A pairing with an accessory that is in no home and doesn't know that yet.
    struct Orphan: Sendable {
        let pairing: AccessoryPairing
        let identity: ControllerIdentity
        /// A Boolean value that indicates whether it was meant to replace an accessory's own pairing.
        var isCandidate = false
        /// A Boolean value that indicates whether the accessory is seen, and asked to remove it.
        fileprivate(set) var isUnderWay = false
        /// A Boolean value that indicates whether a peer in its place refuses without proof: the accessory after a reset, or
        /// another device.
        fileprivate(set) var isRefused = false
        /// Ends the attempt to unpair.
        let end = AsyncSignal()
    }

    /// The accessories in the vault.
    private(set) var devices: Set<DeviceID> = []
    /// The oldest first.
    private(set) var orphans: [Orphan] = []
    /// The accessories that have removed our pairing, and the time until which that overrides their records.
    private var unpaired: [DeviceID: ContinuousClock.Instant] = [:]
    /// The lifetime of a record of mDNS.
    private static let recordLifetime = Duration.seconds(4500)

    // MARK: Devices

    mutating func insert(_ device: DeviceID) {
        unpaired[device] = nil
        devices.insert(device)
    }

    mutating func remove(_ device: DeviceID) { devices.remove(device) }

    mutating func markUnpaired(_ device: DeviceID, now: ContinuousClock.Instant = .now) {
        unpaired = unpaired.filter { $0.value > now }
        unpaired[device] = now + Self.recordLifetime
    }

    /// A device is paired, as its record shows.
    mutating func markPaired(_ device: DeviceID) { unpaired[device] = nil }

    /// Returns the records of mDNS, corrected for accessories that have removed our pairing.
    ///
    /// Such an accessory is free, whatever its record shows, until that has expired or an attempt to pair shows otherwise.
    /// Avahi 0.8 keeps both of two records that came within a second. It may show the old one for its whole lifetime, even
    /// after it has shown the new one.
    func corrected(_ snapshot: AccessorySnapshot, now: ContinuousClock.Instant = .now) -> AccessorySnapshot {
        guard !unpaired.isEmpty else { return snapshot }
        var snapshot = snapshot
        for (index, accessory) in snapshot.accessories.enumerated() {
            guard let until = unpaired[accessory.id], now < until else { continue }
            snapshot.accessories[index].status.insert(.notPaired)
        }
        return snapshot
    }

    /// Returns the accessories that can't be added, because we are paired with them.
    ///
    /// An orphan that refuses us may have been reset, and pairing with it proves that.
    ///
    /// The accessory `former`, whose pairing a repair replaces, isn't one of them.
    func unaddable(besides former: DeviceID? = nil) -> Set<DeviceID> {
        devices.subtracting(orphans.filter(\.isRefused).map(\.pairing.deviceID)).filter { $0 != former }
    }

    // MARK: Orphans

    mutating func add(_ orphan: Orphan) { orphans.append(orphan) }

    /// Removes the orphan of an accessory that is added again: its new pairing must not be removed.
    mutating func removeOrphan(_ device: DeviceID) -> Bool {
        guard let index = orphans.firstIndex(where: { $0.pairing.deviceID == device }) else { return false }
        orphans.remove(at: index).end.send()
        return true
    }

    /// Removes the candidate of a device, which has become an accessory's own pairing.
    mutating func promote(_ device: DeviceID) {
        insert(device)
        orphans.removeAll { $0.isCandidate && $0.pairing.deviceID == device }
    }

    /// Removes the oldest idle orphan if there are ``maximumOrphans``, and returns its device.
    ///
    /// Orphans from the vault stay: there can't be more of them, and the search for them has just begun.
    mutating func makeRoomForOrphan() -> DeviceID? {
        guard orphans.count >= Self.maximumOrphans,
            let index = orphans.firstIndex(where: { !$0.isUnderWay && !$0.isCandidate })
        else { return nil }
        return orphans.remove(at: index).pairing.deviceID
    }

    /// Returns the idle orphans that are visible; an attempt to unpair each must begin.
    mutating func begin(where isVisible: (DeviceID) -> Bool) -> [Orphan] {
        var begun: [Orphan] = []
        for (index, orphan) in orphans.enumerated() where !orphan.isUnderWay && isVisible(orphan.pairing.deviceID) {
            orphans[index].isUnderWay = true
            begun.append(orphan)
        }
        return begun
    }

    /// A peer in the place of an orphan's accessory refuses without proof; returns whether that is new.
    mutating func refused(_ device: DeviceID) -> Bool {
        guard let index = orphans.firstIndex(where: { $0.pairing.deviceID == device }), !orphans[index].isRefused
        else { return false }
        orphans[index].isRefused = true
        return true
    }

    /// An attempt to unpair has ended; returns whether the orphan still waited for it.
    mutating func ended(_ orphan: Orphan, isUnpaired: Bool) -> Bool {
        guard let index = orphans.firstIndex(where: { $0.end === orphan.end }) else { return false }
        if isUnpaired { orphans.remove(at: index) } else { orphans[index].isUnderWay = false }
        return true
    }
}
