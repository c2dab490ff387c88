import BoundedJSON
import HAPController
import HAPCrypto
import HomeModel

import struct HAPModel.DeviceID
import struct HAPModel.SetupID

/// Which accessory on the network is to be added.
enum SetupTarget: Sendable, Equatable {
    /// The one that was chosen.
    case device(DeviceID)
    /// The one whose label was scanned.
    case setupID(SetupID)
    /// The only one that there is.
    case any

    /// What a look at the network says.
    enum SearchResult: Sendable, Equatable {
        case found(AdvertisedAccessory)
        /// It is not there (yet).
        case missing
        /// Several could be meant.
        case ambiguous
        /// Another controller has paired with it.
        case paired
        /// All that could be added say which label is theirs, and it is not this one.
        case foreign([AdvertisedAccessory])
    }

    /// Creates the target that a request names by device id or label, or returns `nil` if it names none.
    init?(_ device: DeviceID?, _ payload: AccessorySetupPayload?) {
        if let device {
            self = .device(device)
        } else if let setupID = payload?.setup?.setupID {
            self = .setupID(setupID)
        } else {
            return nil
        }
    }

    /// The device that is meant, be it one that we are paired with; `nil` if that is not known.
    func device(in snapshot: AccessorySnapshot) -> DeviceID? {
        switch self {
        case .device(let id): return id
        case .setupID(let setupID):
            let meant = snapshot.accessories.filter { $0.setupHash == Self.hash(setupID, $0.id) }
            return meant.count == 1 ? meant[0].id : nil
        case .any: return nil
        }
    }

    /// Looks for the accessory; one of our paired accessories that is being removed will soon be there again.
    func look(at snapshot: AccessorySnapshot, paired: Set<DeviceID>) -> SearchResult {
        if case .device(let id) = self {
            guard let accessory = snapshot[id], !paired.contains(id) else { return .missing }
            return accessory.isPaired ? .paired : .found(accessory)
        }
        let new = snapshot.accessories.filter { !$0.isPaired && !paired.contains($0.id) }
        switch self {
        case .setupID(let setupID):
            let meant = new.filter { $0.setupHash == Self.hash(setupID, $0.id) }
            return meant.count > 1 ? .ambiguous : meant.first.map(SearchResult.found) ?? .missing
        case .device, .any:
            // Another may be about to show itself.
            guard snapshot.isComplete else { return .missing }
            return new.count > 1 ? .ambiguous : new.first.map(SearchResult.found) ?? .missing
        }
    }

    /// Judges what is seen once no more is waited for.
    ///
    /// - Returns: as ``look(at:paired:)``; of a label also that another controller has its accessory, or that it is none of
    ///   those that are there. An accessory that does not say which label is its own may be the one.
    func lastLook(at snapshot: AccessorySnapshot, paired: Set<DeviceID>) -> SearchResult {
        let result = look(at: snapshot, paired: paired)
        guard case .setupID(let setupID) = self, result == .missing else { return result }
        let others = snapshot.accessories.filter { !paired.contains($0.id) }
        if others.contains(where: { $0.isPaired && $0.setupHash == Self.hash(setupID, $0.id) }) { return .paired }
        let new = others.filter { !$0.isPaired }
        return new.allSatisfy { $0.setupHash != nil } ? .foreign(new) : .missing
    }

    /// What an accessory advertises for those who have scanned its label (HAP 2.4).
    static func hash(_ setupID: SetupID, _ device: DeviceID) -> String {
        let hash = SHA512.hash(Array(setupID.description.utf8), Array(device.description.utf8))
        return Base64.encode(Array(hash.prefix(4)))
    }
}
