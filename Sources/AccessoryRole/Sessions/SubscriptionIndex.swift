internal import HAPModel
internal import HAPProtocol

/// The connections that subscribe to each characteristic.
struct SubscriptionIndex {
    private var subscribers: [CharacteristicID: Set<ConnectionID>] = [:]

    subscript(id: CharacteristicID) -> Set<ConnectionID> { subscribers[id] ?? [] }

    mutating func subscribe(_ connection: ConnectionID, to id: CharacteristicID) {
        subscribers[id, default: []].insert(connection)
    }

    mutating func unsubscribe(_ connection: ConnectionID, from id: CharacteristicID) {
        subscribers[id]?.remove(connection)
        if subscribers[id]?.isEmpty == true { subscribers[id] = nil }
    }
}
