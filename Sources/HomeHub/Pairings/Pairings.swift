import AsyncKit
import HAPController
import HAPProtocol

import struct HAPModel.DeviceID

/// The accessories that the hub is paired with, and the pairings to remove.
///
/// A pairing with an accessory that isn't in any home is *orphaned*. The vault keeps it until the accessory is visible
/// and has removed it, however long that takes, because the accessory would otherwise have to be reset. The hub drops
/// the oldest orphan only if there are too many.
struct Pairings: Sendable {
    /// A pairing whose accessory isn't in any home but hasn't removed it yet.
    struct Orphan: Sendable {
        let pairing: AccessoryPairing
        let identity: ControllerIdentity
        /// A Boolean value that indicates whether the pairing was meant to replace an accessory's own pairing.
        var isCandidate = false
        /// A Boolean value that indicates whether an attempt to unpair the visible accessory is in progress.
        fileprivate(set) var isUnderWay = false
        /// A Boolean value that indicates whether a peer at the accessory's address refused the hub without proving its
        /// identity.
        ///
        /// The peer is the accessory after a reset, or another device.
        fileprivate(set) var isRefused = false
        /// Ends the attempt to unpair.
        let end = AsyncSignal()
    }

    /// The accessories in the vault.
    private(set) var devices: Set<DeviceID> = []
    /// The orphans, oldest first.
    private(set) var orphans: [Orphan] = []
    /// The accessories that have removed the hub's pairing, and the time until which their mDNS records are ignored.
    private var unpaired: [DeviceID: ContinuousClock.Instant] = [:]
    /// The lifetime of an mDNS record.
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

    /// Records that a device is paired, so that its mDNS record is no longer corrected.
    mutating func markPaired(_ device: DeviceID) { unpaired[device] = nil }

    /// Returns the mDNS records, corrected for accessories that removed the hub's pairing.
    ///
    /// Such an accessory counts as unpaired, regardless of its record, until the record has expired or an attempt to
    /// pair shows otherwise. If two records arrive within a second, Avahi 0.8 keeps both. It may report the old one for
    /// its whole lifetime, even after it has reported the new one.
    func corrected(_ snapshot: AccessorySnapshot, now: ContinuousClock.Instant = .now) -> AccessorySnapshot {
        guard !unpaired.isEmpty else { return snapshot }
        var snapshot = snapshot
        for (index, accessory) in snapshot.accessories.enumerated() {
            guard let until = unpaired[accessory.id], now < until else { continue }
            snapshot.accessories[index].status.insert(.notPaired)
        }
        return snapshot
    }

    /// Returns the accessories that can't be added because the hub is paired with them.
    ///
    /// The result doesn't include orphans that refuse the hub, because they may have been reset, and a pairing attempt
    /// would prove that. It doesn't include `former`, the accessory whose pairing a repair replaces, either.
    func unaddable(besides former: DeviceID? = nil) -> Set<DeviceID> {
        devices.subtracting(orphans.filter(\.isRefused).map(\.pairing.deviceID)).filter { $0 != former }
    }

    // MARK: Orphans

    mutating func add(_ orphan: Orphan) { orphans.append(orphan) }

    /// Removes the orphan of an accessory that is added again, so that the hub doesn't remove the new pairing.
    mutating func removeOrphan(_ device: DeviceID) -> Bool {
        guard let index = orphans.firstIndex(where: { $0.pairing.deviceID == device }) else { return false }
        orphans.remove(at: index).end.send()
        return true
    }

    /// Removes the candidate of a device after it has become an accessory's own pairing.
    mutating func promote(_ device: DeviceID) {
        insert(device)
        orphans.removeAll { $0.isCandidate && $0.pairing.deviceID == device }
    }

    /// Removes the oldest idle orphan if ``maximumOrphans`` is reached, and returns its device.
    ///
    /// Returns `nil` if the maximum isn't reached, or if all orphans are candidates of repairs or are being unpaired.
    mutating func makeRoomForOrphan() -> DeviceID? {
        guard orphans.count >= Self.maximumOrphans,
            let index = orphans.firstIndex(where: { !$0.isUnderWay && !$0.isCandidate })
        else { return nil }
        return orphans.remove(at: index).pairing.deviceID
    }

    /// Returns the visible idle orphans, each of which must be unpaired now.
    mutating func begin(where isVisible: (DeviceID) -> Bool) -> [Orphan] {
        var begun: [Orphan] = []
        for (index, orphan) in orphans.enumerated() where !orphan.isUnderWay && isVisible(orphan.pairing.deviceID) {
            orphans[index].isUnderWay = true
            begun.append(orphan)
        }
        return begun
    }

    /// Records that a peer at an orphan's address refused the hub without proving its identity; returns whether that's
    /// new.
    mutating func refused(_ device: DeviceID) -> Bool {
        guard let index = orphans.firstIndex(where: { $0.pairing.deviceID == device }), !orphans[index].isRefused
        else { return false }
        orphans[index].isRefused = true
        return true
    }

    /// Ends an attempt to unpair an orphan; returns `false` if the orphan was removed in the meantime.
    mutating func ended(_ orphan: Orphan, isUnpaired: Bool) -> Bool {
        guard let index = orphans.firstIndex(where: { $0.end === orphan.end }) else { return false }
        if isUnpaired { orphans.remove(at: index) } else { orphans[index].isUnderWay = false }
        return true
    }
}
