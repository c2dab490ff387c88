import BoundedJSON
import HAPController
import HAPCrypto
import HomeModel

import struct HAPModel.DeviceID
import struct HAPModel.SetupID

/// The accessory to find on the network.
enum SetupTarget: Sendable, Equatable {
    /// The selected device.
    case device(DeviceID)
    /// The device that is paired with another controller, whose pairing is known.
    case pairedDevice(DeviceID)
    /// The accessory whose label was scanned.
    case setupID(SetupID)
    /// The only accessory that can be added.
    case any

    /// The result of a search.
    enum SearchResult: Sendable, Equatable {
        case found(AdvertisedAccessory)
        /// The accessory isn't visible, or not yet.
        case missing
        /// Several accessories match.
        case ambiguous
        /// The accessory is paired with another controller.
        case paired
        /// All candidates advertise their setup hashes, and none matches the label.
        case foreign([AdvertisedAccessory])
    }

    /// Creates the target that a request specifies by device ID or label; returns `nil` if it specifies neither.
    init?(_ device: DeviceID?, _ payload: AccessorySetupPayload?) {
        if let device {
            self = .device(device)
        } else if let setupID = payload?.setup?.setupID {
            self = .setupID(setupID)
        } else {
            return nil
        }
    }

    /// Returns the target's device, even if the hub is paired with it; `nil` if it's unknown.
    func device(in snapshot: AccessorySnapshot) -> DeviceID? {
        switch self {
        case .device(let id), .pairedDevice(let id): return id
        case .setupID(let setupID):
            let meant = snapshot.accessories.filter { $0.setupHash == Self.hash(setupID, $0.id) }
            return meant.count == 1 ? meant[0].id : nil
        case .any: return nil
        }
    }

    /// Searches for the accessory.
    ///
    /// An accessory that the hub is paired with counts as missing, because it may be about to be unpaired.
    func look(at snapshot: AccessorySnapshot, paired: Set<DeviceID>) -> SearchResult {
        switch self {
        case .device(let id), .pairedDevice(let id):
            guard let accessory = snapshot[id], !paired.contains(id) else { return .missing }
            if case .pairedDevice = self { return .found(accessory) }
            return accessory.isPaired ? .paired : .found(accessory)
        case .setupID, .any: break
        }
        let new = snapshot.accessories.filter { !$0.isPaired && !paired.contains($0.id) }
        switch self {
        case .setupID(let setupID):
            let meant = new.filter { $0.setupHash == Self.hash(setupID, $0.id) }
            return meant.count > 1 ? .ambiguous : meant.first.map(SearchResult.found) ?? .missing
        case .device, .pairedDevice, .any:
            // Another accessory may be about to appear.
            guard snapshot.isComplete else { return .missing }
            return new.count > 1 ? .ambiguous : new.first.map(SearchResult.found) ?? .missing
        }
    }

    /// Returns the final result after the search has timed out.
    ///
    /// - Returns: The result of ``look(at:paired:)``. If that's `missing` and the target is a label, the result is
    ///   `paired` if another controller is paired with the label's accessory, or `foreign` if all visible unpaired
    ///   accessories advertise setup hashes and none matches. An accessory without a setup hash might match.
    func lastLook(at snapshot: AccessorySnapshot, paired: Set<DeviceID>) -> SearchResult {
        let result = look(at: snapshot, paired: paired)
        guard case .setupID(let setupID) = self, result == .missing else { return result }
        let others = snapshot.accessories.filter { !paired.contains($0.id) }
        if others.contains(where: { $0.isPaired && $0.setupHash == Self.hash(setupID, $0.id) }) { return .paired }
        let new = others.filter { !$0.isPaired }
        return new.allSatisfy { $0.setupHash != nil } ? .foreign(new) : .missing
    }

    /// Returns the setup hash that an accessory advertises for its label (HAP 2.4).
    static func hash(_ setupID: SetupID, _ device: DeviceID) -> String {
        let hash = SHA512.hash(Array(setupID.description.utf8), Array(device.description.utf8))
        return Base64.encode(Array(hash.prefix(4)))
    }
}
