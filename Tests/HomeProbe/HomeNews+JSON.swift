import BoundedJSON
import HomeClient
import HomeModel

extension HomeClientEvent {
    /// The event as a line: its name, what it is about, and the home's revision.
    var json: JSONValue {
        var object: JSONObject = ["event": .string(name)]
        switch self {
        case .manager(let event): event.add(to: &object)
        case .home(let event):
            object["home"] = .string(event.home.id.description)
            object["revision"] = .integer(Int64(event.home.revision))
            event.change.add(to: &object)
            if case .nameUpdated = event.change { object["name"] = .string(event.home.name) }
        case .accessory(let event):
            object["accessory"] = .string(event.accessory.id.description)
            object["revision"] = .integer(Int64(event.revision))
            event.add(to: &object)
        }
        return .object(object)
    }
}

extension HomeManagerEvent {
    fileprivate func add(to object: inout JSONObject) {
        switch self {
        case .authorizationStatusUpdated(let status): object["status"] = .integer(Int64(status.rawValue))
        case .homesUpdated: break
        case .primaryHomeUpdated(let home): object["home"] = home.map { .string($0.id.description) } ?? .null
        case .homeAdded(let home), .homeRemoved(let home):
            object["home"] = .string(home.id.description)
            object["name"] = .string(home.name)
        case .addAccessoryRequest(let request): object["request"] = request.json
        case .additionFailed(let failure): object["failure"] = failure.json
        }
    }
}

extension Home.Event.Change {
    fileprivate func add(to object: inout JSONObject) {
        switch self {
        case .nameUpdated, .homesUpdated: break
        case .accessoryAdded(let accessory), .accessoryRemoved(let accessory), .accessoryUnblocked(let accessory):
            object["accessory"] = .string(accessory.id.description)
            object["name"] = .string(accessory.name)
        case .accessoryRoomUpdated(let room, let accessory):
            object["room"] = .string(room.id.description)
            object["accessory"] = .string(accessory.id.description)
        case .roomAdded(let room), .roomRemoved(let room), .roomNameUpdated(let room):
            object["room"] = .string(room.id.description)
            object["name"] = .string(room.name)
        case .zoneAdded(let zone), .zoneRemoved(let zone), .zoneNameUpdated(let zone):
            object["zone"] = .string(zone.id.description)
            object["name"] = .string(zone.name)
        case .roomAddedToZone(let room, let zone), .roomRemovedFromZone(let room, let zone):
            object["room"] = .string(room.id.description)
            object["zone"] = .string(zone.id.description)
        case .accessoryError(let error, let accessory):
            object["error"] = error.json
            object["accessory"] = .string(accessory.id.description)
        case .actionSetAdded(let scene), .actionSetRemoved(let scene), .actionSetNameUpdated(let scene),
            .actionSetActionsUpdated(let scene), .actionSetExecutionUpdated(let scene):
            object["actionSet"] = .string(scene.id.description)
            object["name"] = .string(scene.name)
        case .serviceGroupAdded(let group), .serviceGroupRemoved(let group), .serviceGroupNameUpdated(let group):
            object["serviceGroup"] = .string(group.id.description)
            object["name"] = .string(group.name)
        case .serviceAddedToServiceGroup(let service, let group),
            .serviceRemovedFromServiceGroup(let service, let group):
            object["service"] = .string(service.id.description)
            object["serviceGroup"] = .string(group.id.description)
        }
    }
}

extension Accessory.Event {
    fileprivate func add(to object: inout JSONObject) {
        switch change {
        case .nameUpdated: object["name"] = .string(accessory.name)
        case .serviceNameUpdated(let service):
            object["service"] = .string(service.id.description)
            object["name"] = .string(service.name)
        case .servicesUpdated, .homesUpdated: break
        case .reachabilityUpdated: object["isReachable"] = .bool(accessory.isReachable)
        case .valueUpdated(let service, let characteristic):
            object["service"] = .string(service.id.description)
            object["characteristic"] = .string(characteristic.id.description)
            object["value"] = characteristic.value?.json ?? .null
        case .associatedServiceTypeUpdated(let service):
            object["service"] = .string(service.id.description)
            object["associatedServiceType"] = service.associatedServiceType.map { .string($0.description) } ?? .null
        case .favoriteUpdated(let service):
            object["service"] = .string(service.id.description)
            object["isFavorite"] = .bool(service.isFavorite)
        case .firmwareVersionUpdated: object["firmwareVersion"] = .string(accessory.firmwareVersion)
        }
    }
}
