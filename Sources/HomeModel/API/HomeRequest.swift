package import BoundedJSON
import HAPModel

/// What an app asks the daemon: the methods of the home's socket with their parameters.
package enum HomeRequest: Sendable, Hashable {
    /// The first request of a session; all others need it.
    case open(SessionOpening)
    /// Answered with ``HomesReply``: the homes without their accessories.
    case homes
    /// Answered with ``AccessoryPage``.
    case accessories(AccessoryPageRequest)
    /// Answered with ``HomeCommit``.
    case write(HomeWrite)
    /// Answered with ``ValueResult``s, in the order asked for.
    case readValues([Characteristic.ID])
    /// Answered with ``ValueResult``s, in the order asked for.
    case writeValues([ValueWrite])
    /// Answered with ``ValueResult``s, in the order asked for, that hold no values.
    case setNotification([Characteristic.ID], isEnabled: Bool)
    case identify(Accessory.ID)
    /// Answered with ``ValueResult``s, in the order of the scene's actions.
    case runActionSet(ActionSet.ID)
    case startBrowsing
    case stopBrowsing
    /// Answered with ``AdditionReply``.
    case addAccessory(AdditionRequest)
    /// The standard setup, which needs no permission: the code shows who may. Answered with ``AdditionReply``, which tells
    /// an app without permission nothing but what it has added.
    case setUpAccessory(AdditionRequest)
    /// A maker's app will not add what it was asked to.
    case declineAddition(AddAccessoryRequest.ID)
    /// Answered with ``AppPermission``s; for the system app only, as the following.
    case permissions
    case setPermission(AppIdentity, PermissionDecision)
    /// From now on questions of permission are put to this session.
    case answerQuestions

    /// The method's name.
    package var method: String {
        switch self {
        case .open: "session.open"
        case .homes: "homes.list"
        case .accessories: "accessories.list"
        case .write(let write): write.method
        case .readValues: "values.read"
        case .writeValues: "values.write"
        case .setNotification: "values.notify"
        case .identify: "accessories.identify"
        case .runActionSet: "scenes.run"
        case .startBrowsing: "browser.start"
        case .stopBrowsing: "browser.stop"
        case .addAccessory: "accessories.add"
        case .setUpAccessory: "accessories.setUp"
        case .declineAddition: "accessories.decline"
        case .permissions: "privacy.list"
        case .setPermission: "privacy.set"
        case .answerQuestions: "privacy.answer"
        }
    }

    /// The method's parameters.
    package var params: JSONValue {
        switch self {
        case .open(let opening): opening.json
        case .homes, .startBrowsing, .stopBrowsing, .permissions, .answerQuestions: [:]
        case .accessories(let page): page.json
        case .write(let write): write.params
        case .readValues(let ids): ["characteristics": .array(ids.map(\.json))]
        case .writeValues(let writes): ["values": writes.json]
        case .setNotification(let ids, let isEnabled):
            ["characteristics": .array(ids.map(\.json)), "isEnabled": .bool(isEnabled)]
        case .identify(let id): ["accessory": id.json]
        case .runActionSet(let id): ["actionSet": id.json]
        case .addAccessory(let addition), .setUpAccessory(let addition): addition.json
        case .declineAddition(let id): ["request": id.json]
        case .setPermission(let app, let decision): ["app": app.json, "decision": .string(decision.rawValue)]
        }
    }

    /// Reads a request; `nil` if there is no such method.
    ///
    /// - Parameters:
    ///   - method: the method's name.
    ///   - params: its parameters.
    /// - Throws: 27 if a parameter is missing, 3 if one is of the wrong type.
    package init?(method: String, params: JSONValue) throws(HomeError) {
        switch method {
        case "session.open": self = .open(try SessionOpening(json: params))
        case "homes.list": self = .homes
        case "accessories.list": self = .accessories(try AccessoryPageRequest(json: params))
        case "values.read": self = .readValues(try Self.characteristics(params))
        case "values.write": self = .writeValues(try params.messages("values"))
        case "values.notify":
            self = .setNotification(
                try Self.characteristics(params), isEnabled: try params.value("isEnabled", \.bool))
        case "accessories.identify": self = .identify(try params.id("accessory"))
        case "scenes.run": self = .runActionSet(try params.id("actionSet"))
        case "browser.start": self = .startBrowsing
        case "browser.stop": self = .stopBrowsing
        case "accessories.add": self = .addAccessory(try AdditionRequest(json: params))
        case "accessories.setUp": self = .setUpAccessory(try AdditionRequest(json: params))
        case "accessories.decline": self = .declineAddition(try params.id("request"))
        case "privacy.list": self = .permissions
        case "privacy.set":
            self = .setPermission(
                try params.message("app"),
                try params.value("decision") { $0.string.flatMap(PermissionDecision.init) })
        case "privacy.answer": self = .answerQuestions
        default:
            guard let write = try HomeWrite(method: method, params: params) else { return nil }
            self = .write(write)
        }
    }

    private static func characteristics(_ params: JSONValue) throws(HomeError) -> [Characteristic.ID] {
        try params.value("characteristics") { $0.elements { $0.identifier() } }
    }
}

extension HomeWrite {
    /// The method's name.
    package var method: String {
        switch self {
        case .addHome: "homes.add"
        case .renameHome: "homes.rename"
        case .removeHome: "homes.remove"
        case .setPrimaryHome: "homes.primary"
        case .addRoom: "rooms.add"
        case .renameRoom: "rooms.rename"
        case .removeRoom: "rooms.remove"
        case .addZone: "zones.add"
        case .renameZone: "zones.rename"
        case .removeZone: "zones.remove"
        case .addRoomToZone: "zones.addRoom"
        case .removeRoomFromZone: "zones.removeRoom"
        case .assignAccessory: "accessories.assign"
        case .renameAccessory: "accessories.rename"
        case .removeAccessory: "accessories.remove"
        case .unblockAccessory: "accessories.unblock"
        case .renameService: "services.rename"
        case .setAssociatedServiceType: "services.type"
        case .setFavorite: "services.favorite"
        case .addActionSet: "scenes.add"
        case .renameActionSet: "scenes.rename"
        case .removeActionSet: "scenes.remove"
        case .setActions: "scenes.set"
        }
    }

    var params: JSONValue {
        switch self {
        case .addHome(let name): ["name": .string(name)]
        case .renameHome(let id, let name), .addRoom(let id, let name), .addZone(let id, let name):
            ["home": id.json, "name": .string(name)]
        case .removeHome(let id), .setPrimaryHome(let id): ["home": id.json]
        case .renameRoom(let id, let name): ["room": id.json, "name": .string(name)]
        case .removeRoom(let home, let id): ["home": home.json, "room": id.json]
        case .renameZone(let id, let name): ["zone": id.json, "name": .string(name)]
        case .removeZone(let home, let id): ["home": home.json, "zone": id.json]
        case .addRoomToZone(let zone, let room), .removeRoomFromZone(let zone, let room):
            ["zone": zone.json, "room": room.json]
        case .assignAccessory(let home, let id, let room):
            ["home": home.json, "accessory": id.json, "room": room.json]
        case .renameAccessory(let id, let name): ["accessory": id.json, "name": .string(name)]
        case .removeAccessory(let home, let id), .unblockAccessory(let home, let id):
            ["home": home.json, "accessory": id.json]
        case .renameService(let id, let name): ["service": id.json, "name": .string(name)]
        case .setAssociatedServiceType(let id, let type):
            .object(JSONObject(present: ["service": id.json, "type": type.map { .string($0.description) }]))
        case .setFavorite(let id, let isFavorite): ["service": id.json, "isFavorite": .bool(isFavorite)]
        case .addActionSet(let home, let name, let kind):
            ["home": home.json, "name": .string(name), "kind": .string(kind.rawValue)]
        case .renameActionSet(let id, let name): ["actionSet": id.json, "name": .string(name)]
        case .removeActionSet(let id): ["actionSet": id.json]
        case .setActions(let id, let actions): ["actionSet": id.json, "actions": actions.json]
        }
    }

    init?(method: String, params: JSONValue) throws(HomeError) {
        let name = { () throws(HomeError) in try params.value("name", \.string) }
        switch method {
        case "homes.add": self = .addHome(name: try name())
        case "homes.rename": self = .renameHome(try params.id("home"), name: try name())
        case "homes.remove": self = .removeHome(try params.id("home"))
        case "homes.primary": self = .setPrimaryHome(try params.id("home"))
        case "rooms.add": self = .addRoom(try params.id("home"), name: try name())
        case "rooms.rename": self = .renameRoom(try params.id("room"), name: try name())
        case "rooms.remove": self = .removeRoom(try params.id("home"), try params.id("room"))
        case "zones.add": self = .addZone(try params.id("home"), name: try name())
        case "zones.rename": self = .renameZone(try params.id("zone"), name: try name())
        case "zones.remove": self = .removeZone(try params.id("home"), try params.id("zone"))
        case "zones.addRoom": self = .addRoomToZone(try params.id("zone"), try params.id("room"))
        case "zones.removeRoom": self = .removeRoomFromZone(try params.id("zone"), try params.id("room"))
        case "accessories.assign":
            self = .assignAccessory(try params.id("home"), try params.id("accessory"), try params.id("room"))
        case "accessories.rename": self = .renameAccessory(try params.id("accessory"), name: try name())
        case "accessories.remove": self = .removeAccessory(try params.id("home"), try params.id("accessory"))
        case "accessories.unblock": self = .unblockAccessory(try params.id("home"), try params.id("accessory"))
        case "services.rename": self = .renameService(try params.id("service"), name: try name())
        case "services.type":
            self = .setAssociatedServiceType(
                try params.id("service"), try params.optional("type", \.serviceType))
        case "services.favorite":
            self = .setFavorite(try params.id("service"), try params.value("isFavorite", \.bool))
        case "scenes.add":
            self = .addActionSet(
                try params.id("home"), name: try name(),
                kind: try params.optional("kind") { $0.string.flatMap(ActionSet.Kind.init) } ?? .userDefined)
        case "scenes.rename": self = .renameActionSet(try params.id("actionSet"), name: try name())
        case "scenes.remove": self = .removeActionSet(try params.id("actionSet"))
        case "scenes.set": self = .setActions(try params.id("actionSet"), try params.messages("actions"))
        default: return nil
        }
    }
}
