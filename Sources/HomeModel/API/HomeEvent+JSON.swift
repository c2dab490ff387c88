package import BoundedJSON
import HAPModel

extension HomeEvent: HomeMessage {
    /// The event's name, as `watch --json` prints it.
    package var name: String {
        switch self {
        case .homeAdded: "homeAdded"
        case .homeRemoved: "homeRemoved"
        case .primaryHomeUpdated: "primaryHomeUpdated"
        case .nameUpdated: "home.nameUpdated"
        case .roomAdded: "roomAdded"
        case .roomRemoved: "roomRemoved"
        case .roomNameUpdated: "roomNameUpdated"
        case .zoneAdded: "zoneAdded"
        case .zoneRemoved: "zoneRemoved"
        case .zoneNameUpdated: "zoneNameUpdated"
        case .roomAddedToZone: "roomAddedToZone"
        case .roomRemovedFromZone: "roomRemovedFromZone"
        case .accessoryAdded: "accessoryAdded"
        case .accessoryRemoved: "accessoryRemoved"
        case .accessoryRoomUpdated: "accessoryRoomUpdated"
        case .accessoryError: "accessoryError"
        case .accessoryUnblocked: "accessoryUnblocked"
        case .actionSetAdded: "actionSetAdded"
        case .actionSetRemoved: "actionSetRemoved"
        case .actionSetNameUpdated: "actionSetNameUpdated"
        case .actionSetActionsUpdated: "actionSetActionsUpdated"
        case .accessoryNameUpdated: "accessory.nameUpdated"
        case .servicesUpdated: "servicesUpdated"
        case .firmwareVersionUpdated: "firmwareVersionUpdated"
        case .serviceNameUpdated: "serviceNameUpdated"
        case .associatedServiceTypeUpdated: "associatedServiceTypeUpdated"
        case .favoriteUpdated: "favoriteUpdated"
        }
    }

    package init(json: JSONValue) throws(HomeError) {
        let newName = { () throws(HomeError) in try json.value("name", \.string) }
        self =
            switch try json.value("event", \.string) {
            case "homeAdded": .homeAdded(try json.message("home"))
            case "homeRemoved": .homeRemoved
            case "primaryHomeUpdated": .primaryHomeUpdated(try json.optional("primaryHome") { $0.identifier() })
            case "home.nameUpdated": .nameUpdated(try newName())
            case "roomAdded": .roomAdded(try json.message("room"))
            case "roomRemoved": .roomRemoved(try json.id("room"))
            case "roomNameUpdated": .roomNameUpdated(try json.id("room"), try newName())
            case "zoneAdded": .zoneAdded(try json.message("zone"))
            case "zoneRemoved": .zoneRemoved(try json.id("zone"))
            case "zoneNameUpdated": .zoneNameUpdated(try json.id("zone"), try newName())
            case "roomAddedToZone": .roomAddedToZone(try json.id("room"), try json.id("zone"))
            case "roomRemovedFromZone": .roomRemovedFromZone(try json.id("room"), try json.id("zone"))
            case "accessoryAdded": .accessoryAdded(try json.message("accessory"))
            case "accessoryRemoved": .accessoryRemoved(try json.id("accessory"))
            case "accessoryRoomUpdated": .accessoryRoomUpdated(try json.id("accessory"), try json.id("room"))
            case "accessoryError":
                .accessoryError(
                    try json.id("accessory"), try json.value("code") { $0.int.flatMap(HomeError.Code.init) })
            case "accessoryUnblocked": .accessoryUnblocked(try json.id("accessory"))
            case "actionSetAdded": .actionSetAdded(try json.message("actionSet"))
            case "actionSetRemoved": .actionSetRemoved(try json.id("actionSet"))
            case "actionSetNameUpdated": .actionSetNameUpdated(try json.id("actionSet"), try newName())
            case "actionSetActionsUpdated":
                .actionSetActionsUpdated(try json.id("actionSet"), try json.messages("actions"))
            case "accessory.nameUpdated": .accessoryNameUpdated(try json.id("accessory"), try newName())
            case "servicesUpdated": try Self.servicesUpdated(json)
            case "firmwareVersionUpdated":
                .firmwareVersionUpdated(try json.id("accessory"), try json.value("firmwareVersion", \.string))
            case "serviceNameUpdated": .serviceNameUpdated(try json.id("service"), try newName())
            case "associatedServiceTypeUpdated":
                .associatedServiceTypeUpdated(
                    try json.id("service"), try json.optional("associatedServiceType", \.serviceType))
            case "favoriteUpdated": .favoriteUpdated(try json.id("service"), try json.value("isFavorite", \.bool))
            case let name:
                throw HomeError(.protocolMismatch, detail: "the event \"\(name.prefix(64))\" is not known")
            }
    }

    private static func servicesUpdated(_ json: JSONValue) throws(HomeError) -> HomeEvent {
        let accessory: Accessory.ID = try json.id("accessory")
        var services: [Service] = []
        for service in try json.value("services", \.array) {
            services.append(try Service(json: service, of: accessory))
        }
        return .servicesUpdated(accessory, services)
    }

    package var json: JSONValue {
        var object: JSONObject = ["event": .string(name)]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    private var members: KeyValuePairs<String, JSONValue?> {
        switch self {
        case .homeAdded(let home): ["home": home.json]
        case .homeRemoved: [:]
        case .primaryHomeUpdated(let id): ["primaryHome": id?.json]
        case .nameUpdated(let name): ["name": .string(name)]
        case .roomAdded(let room): ["room": room.json]
        case .roomRemoved(let id): ["room": id.json]
        case .roomNameUpdated(let id, let name): ["room": id.json, "name": .string(name)]
        case .zoneAdded(let zone): ["zone": zone.json]
        case .zoneRemoved(let id): ["zone": id.json]
        case .zoneNameUpdated(let id, let name): ["zone": id.json, "name": .string(name)]
        case .roomAddedToZone(let room, let zone): ["room": room.json, "zone": zone.json]
        case .roomRemovedFromZone(let room, let zone): ["room": room.json, "zone": zone.json]
        case .accessoryAdded(let accessory): ["accessory": accessory.json]
        case .accessoryRemoved(let id): ["accessory": id.json]
        case .accessoryRoomUpdated(let id, let room): ["accessory": id.json, "room": room.json]
        case .accessoryError(let id, let code):
            ["accessory": id.json, "code": .integer(Int64(code.rawValue)), "name": .string(code.name)]
        case .accessoryUnblocked(let id): ["accessory": id.json]
        case .actionSetAdded(let actionSet): ["actionSet": actionSet.json]
        case .actionSetRemoved(let id): ["actionSet": id.json]
        case .actionSetNameUpdated(let id, let name): ["actionSet": id.json, "name": .string(name)]
        case .actionSetActionsUpdated(let id, let actions): ["actionSet": id.json, "actions": actions.json]
        case .accessoryNameUpdated(let id, let name): ["accessory": id.json, "name": .string(name)]
        case .servicesUpdated(let id, let services): ["accessory": id.json, "services": .array(services.map(\.json))]
        case .firmwareVersionUpdated(let id, let version):
            ["accessory": id.json, "firmwareVersion": .string(version)]
        case .serviceNameUpdated(let id, let name): ["service": id.json, "name": .string(name)]
        case .associatedServiceTypeUpdated(let id, let type):
            ["service": id.json, "associatedServiceType": type.map { .string($0.description) }]
        case .favoriteUpdated(let id, let isFavorite): ["service": id.json, "isFavorite": .bool(isFavorite)]
        }
    }
}

extension LiveEvent: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        self =
            switch try json.value("event", \.string) {
            case "reachabilityUpdated":
                .reachabilityUpdated(try json.id("accessory"), try json.value("isReachable", \.bool))
            case "valueUpdated":
                .valueUpdated(
                    try json.id("characteristic"), try json.message("value"),
                    time: try json.value("time") { $0.int.map(Int64.init) })
            case let name:
                throw HomeError(.protocolMismatch, detail: "the event \"\(name.prefix(64))\" is not known")
            }
    }

    package var json: JSONValue {
        switch self {
        case .reachabilityUpdated(let id, let isReachable):
            ["event": "reachabilityUpdated", "accessory": id.json, "isReachable": .bool(isReachable)]
        case .valueUpdated(let id, let value, let time):
            ["event": "valueUpdated", "characteristic": id.json, "value": value.json, "time": .integer(time)]
        }
    }
}

extension HomeChange: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        self.init(
            try HomeEvent(json: json), reachesInitiator: try json.optional("reachesInitiator", \.bool) ?? false)
    }

    package var json: JSONValue {
        guard reachesInitiator, var object = event.json.object else { return event.json }
        object["reachesInitiator"] = true
        return .object(object)
    }
}

extension HomeTransaction: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        self.init(
            home: try json.id("home"), revision: try json.value("revision", \.unsignedInteger),
            changes: try json.messages("changes"))
    }

    package var json: JSONValue {
        ["home": home.json, "revision": .unsignedInteger(revision), "changes": changes.json]
    }
}
