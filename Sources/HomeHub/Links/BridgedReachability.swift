import HAPController
import HAPModel
import HAPProtocol

/// Derives the reachability of bridged accessories from a bridge's answers.
enum BridgedReachability {
    /// Derives reachability from the statuses in a bridge's answer.
    ///
    /// An accessory is unreachable if one of its statuses is a communication failure. Otherwise, it's reachable if one
    /// is a success, and isn't in the result if none is. Statuses of `descriptions` are ignored, because the bridge
    /// sends them without contacting the accessory.
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
    /// The status of the reading.
    var status: HAPStatus {
        switch self {
        case .success: .success
        case .failure(let status): status
        }
    }
}
