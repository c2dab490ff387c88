import BoundedJSON
import HomeClient
import HomeModel

extension HomeClientEvent {
    /// The event as a line, with its name and the members that tests check.
    var json: JSONValue {
        var object: JSONObject = ["event": .string(name)]
        switch self {
        case .manager: break
        case .home(let event):
            if case .zoneAdded(let zone) = event.change { object["name"] = .string(zone.name) }
            if case .zoneRemoved(let zone) = event.change { object["name"] = .string(zone.name) }
        case .accessory(let event):
            object["accessory"] = .string(event.accessory.id.description)
            if case .reachabilityUpdated = event.change { object["isReachable"] = .bool(event.accessory.isReachable) }
            if case .valueUpdated(_, let characteristic) = event.change {
                object["characteristic"] = .string(characteristic.id.description)
                object["value"] = characteristic.value?.json ?? .null
            }
        }
        return .object(object)
    }
}
