import HAPController
import HAPModel
import HAPProtocol

/// Tells from what a bridge answers which of the accessories behind it can be reached.
enum BridgedReachability {
    /// What statuses say: an accessory of which anything cannot be had is away; one that did anything is there.
    ///
    /// What an accessory is, as opposed to what it does, the bridge knows without it.
    ///
    /// The bridge answers for `descriptions` itself. Accessories of which nothing is said are left out.
    static func read(
        from statuses: [CharacteristicID: HAPStatus], descriptions: (CharacteristicID) -> Bool
    ) -> [AccessoryID: Bool] {
        var isReachable: [AccessoryID: Bool] = [:]
        for (id, status) in statuses where !descriptions(id) {
            if status == .unableToCommunicate {
                isReachable[id.aid] = false
            } else if status == .success, isReachable[id.aid] == nil {
                isReachable[id.aid] = true
            }
        }
        return isReachable
    }
}

extension Reading {
    /// What became of the reading.
    var status: HAPStatus {
        switch self {
        case .success: .success
        case .failure(let status): status
        }
    }
}
