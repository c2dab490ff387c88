import BoundedJSON
import HAPModel
import HAPTesting
import HomeModel
import Testing

/// A message and the bytes by which apps and daemons of every version know it.
struct WireForm: Sendable, CustomTestStringConvertible {
    let text: String
    let written: String
    let isReadBack: Bool

    var testDescription: String { text }
}

private func request(_ request: HomeRequest, _ text: String) -> WireForm {
    WireForm(
        text: text, written: "\(request.method) \(request.params.text)",
        isReadBack: halves(text).map { (try? HomeRequest(method: $0, params: $1)) == request } ?? false)
}

private func notification(_ notification: HomeNotification, _ text: String) -> WireForm {
    WireForm(
        text: text, written: "\(notification.method) \(notification.params.text)",
        isReadBack: halves(text).map { (try? HomeNotification(method: $0, params: $1)) == notification } ?? false)
}

private func message<Message: HomeMessage>(_ message: Message, _ text: String) -> WireForm {
    WireForm(
        text: text, written: message.json.text,
        isReadBack: (try? Message(json: JSONValue(parsing: text))) == message)
}

private func halves(_ text: String) -> (String, JSONValue)? {
    let halves = text.split(separator: " ", maxSplits: 1)
    return try? (String(halves[0]), JSONValue(parsing: String(halves[1])))
}

private func id<Entity>(_ seed: UInt64) -> Identifier<Entity> {
    var random = SeededNumbers(seed: seed)
    return Identifier<Entity>(using: &random)
}

private let action = CharacteristicWriteAction(characteristic: id(8), targetValue: .integer(40))

private let transaction = HomeTransaction(home: id(9), revision: 1, changes: [HomeChange(.homeRemoved)])

private let lamp = Accessory(
    id: id(1), home: id(2), name: "Lamp", configuredName: "lamp_1", room: id(3), category: .lightbulb,
    manufacturer: "M", model: "L", serialNumber: "S", firmwareVersion: "1.0", isReachable: false, isBlocked: true,
    supportsIdentify: false, bridge: id(4), deviceID: Devices.id(1), aid: AccessoryID(.max),
    services: [
        Service(
            id: id(5), accessory: id(1), iid: InstanceID(7), type: .lightbulb, name: "Light", isPrimary: true,
            isHidden: true, linkedServices: [id(6)], associatedServiceType: .fan, isFavorite: true,
            characteristics: [
                Characteristic(
                    id: id(7), service: id(5), iid: InstanceID(8), type: .on,
                    metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .notify]),
                    manufacturerDescription: "d", value: .bool(true), valueTime: .init(millisecondsSince1970: 9),
                    isNotificationEnabled: true),
                Characteristic(
                    id: id(8), service: id(5), iid: InstanceID(9), type: .brightness,
                    metadata: CharacteristicMetadata(
                        format: .int, permissions: [.pairedWrite], unit: .percentage, minimum: 0, maximum: 100, step: 1)
                ),
            ]),
        Service(id: id(6), accessory: id(1), iid: InstanceID(10), type: .outlet, name: "x"),
    ])

private let bridge = Accessory(
    id: id(4), home: id(2), name: "Bridge", configuredName: "", room: id(3), category: .bridge,
    bridgedAccessories: [id(1)], deviceID: Devices.id(1), aid: .bridge)

private let home = Home(
    id: id(2), name: "Home", isPrimary: true, revision: .max, defaultRoomID: id(3),
    rooms: [Room(id: id(10), home: id(2), name: "Room")], zones: [Zone(id: id(11), home: id(2), name: "Up")],
    accessories: [bridge, lamp], actionSets: [ActionSet(id: id(12), home: id(2), kind: .userDefined, name: "Scene")])

private let wireForms: [WireForm] = [
    request(
        .open(
            SessionOpening(
                app: "org.example.lights", usageDescription: "Shows lights.",
                capabilities: [.home, .vendor, .setupPayload], vendor: "kilgo")),
        #"session.open {"version":1,"newest":2,"app":"org.example.lights","usageDescription":"Shows lights.","capabilities":["home","setupPayload","vendor"],"vendor":"kilgo"}"#
    ),
    request(
        .open(SessionOpening(app: "a", usageDescription: nil, capabilities: [])),
        #"session.open {"version":1,"newest":2,"app":"a","capabilities":[]}"#),
    request(
        .homes,
        #"homes.list {}"#),
    request(
        .accessories(AccessoryPageRequest(home: id(1), revision: .max, offset: 32)),
        #"accessories.list {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","revision":18446744073709551615,"offset":32}"#
    ),
    request(
        .readValues([id(1), id(2)]),
        #"values.read {"characteristics":["910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","975835DE-1C97-46CE-BFC8-46100BFC1E42"]}"#
    ),
    request(
        .readValues([]),
        #"values.read {"characteristics":[]}"#),
    request(
        .writeValues([
            ValueWrite(characteristic: id(1), value: .float(0.1), authorizationData: [1, 255]),
            ValueWrite(characteristic: id(2), value: nil),
        ]),
        #"values.write {"values":[{"characteristic":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","value":{"float":"0.1"},"authorizationData":"01FF"},{"characteristic":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}]}"#
    ),
    request(
        .setNotification([id(1)], isEnabled: true),
        #"values.notify {"characteristics":["910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"],"isEnabled":true}"#),
    request(
        .identify(id(1)),
        #"accessories.identify {"accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    request(
        .runActionSet(id(1)),
        #"scenes.run {"actionSet":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    request(
        .startBrowsing,
        #"browser.start {}"#),
    request(
        .stopBrowsing,
        #"browser.stop {}"#),
    request(
        .addAccessory(
            AdditionRequest(
                home: id(1), device: Devices.id(1), code: SetupCode(number: 51_808_582),
                payload: AccessorySetupPayload(url: "X-HM://00527813XAB12"), name: "Lamp")),
        #"accessories.add {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","device":"02:00:00:00:00:01","code":"518-08-582","url":"X-HM://00527813XAB12","name":"Lamp"}"#
    ),
    request(
        .addAccessory(
            AdditionRequest(
                home: id(1),
                payload: AccessorySetupPayload(
                    setup: nil, token: AccessoryOwnershipToken(data: Array(0..<16)), request: id(2)))),
        #"accessories.add {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","ownershipToken":"000102030405060708090A0B0C0D0E0F","request":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#
    ),
    request(
        .setUpAccessory(AdditionRequest(home: nil)),
        #"accessories.setUp {}"#),
    request(
        .repairAccessory(
            RepairRequest(
                accessory: id(1), device: DeviceID("1A:2B:3C:4D:5E:6F"), code: SetupCode(typed: "031-45-154"))),
        #"accessories.repair {"accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","device":"1A:2B:3C:4D:5E:6F","code":"031-45-154"}"#
    ),
    request(
        .declineAddition(id(1)),
        #"accessories.decline {"request":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    request(
        .permissions,
        #"privacy.list {}"#),
    request(
        .setPermission(AppIdentity(app: "a", uid: .max, executable: "/usr/bin/a"), .forget),
        #"privacy.set {"app":{"app":"a","uid":4294967295,"executable":"/usr/bin/a"},"decision":"forget"}"#),
    request(
        .answerQuestions,
        #"privacy.answer {}"#),
    request(
        .write(.addHome(name: "x")),
        #"homes.add {"name":"x"}"#),
    request(
        .write(.renameHome(id(1), name: "x")),
        #"homes.rename {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    request(
        .write(.removeHome(id(1))),
        #"homes.remove {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    request(
        .write(.setPrimaryHome(id(1))),
        #"homes.primary {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    request(
        .write(.addRoom(id(1), name: "x")),
        #"rooms.add {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    request(
        .write(.renameRoom(id(1), name: "x")),
        #"rooms.rename {"room":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    request(
        .write(.removeRoom(id(1), id(2))),
        #"rooms.remove {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","room":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#),
    request(
        .write(.addZone(id(1), name: "x")),
        #"zones.add {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    request(
        .write(.renameZone(id(1), name: "x")),
        #"zones.rename {"zone":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    request(
        .write(.removeZone(id(1), id(2))),
        #"zones.remove {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","zone":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#),
    request(
        .write(.addRoomToZone(id(1), id(2))),
        #"zones.addRoom {"zone":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","room":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#),
    request(
        .write(.removeRoomFromZone(id(1), id(2))),
        #"zones.removeRoom {"zone":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","room":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#
    ),
    request(
        .write(.assignAccessory(id(1), id(2), id(3))),
        #"accessories.assign {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","accessory":"975835DE-1C97-46CE-BFC8-46100BFC1E42","room":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989"}"#
    ),
    request(
        .write(.renameAccessory(id(1), name: "x")),
        #"accessories.rename {"accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    request(
        .write(.removeAccessory(id(1), id(2))),
        #"accessories.remove {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","accessory":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#
    ),
    request(
        .write(.unblockAccessory(id(1), id(2))),
        #"accessories.unblock {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","accessory":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#
    ),
    request(
        .write(.renameService(id(1), name: "x")),
        #"services.rename {"service":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    request(
        .write(.setAssociatedServiceType(id(1), nil)),
        #"services.type {"service":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    request(
        .write(.setAssociatedServiceType(id(1), .lightbulb)),
        #"services.type {"service":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","type":"43"}"#),
    request(
        .write(.setFavorite(id(1), true)),
        #"services.favorite {"service":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","isFavorite":true}"#),
    request(
        .write(.addActionSet(id(1), name: "x", kind: .sleep)),
        #"scenes.add {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x","kind":"sleep"}"#),
    request(
        .write(.renameActionSet(id(1), name: "x")),
        #"scenes.rename {"actionSet":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    request(
        .write(.removeActionSet(id(1))),
        #"scenes.remove {"actionSet":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    request(
        .write(.setActions(id(1), [action])),
        #"scenes.set {"actionSet":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","actions":[{"characteristic":"9E5651B0-EF95-4636-9CA8-A164477D7801","value":40}]}"#
    ),
    notification(
        .authorizationStatusUpdated([.determined, .authorized]),
        #"authorizationStatusUpdated {"status":5}"#),
    notification(
        .homesUpdated,
        #"homesUpdated {}"#),
    notification(
        .transaction(
            HomeTransaction(
                home: id(1), revision: 7,
                changes: [HomeChange(.nameUpdated("x"), reachesInitiator: true), HomeChange(.homeRemoved)])),
        #"transaction {"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","revision":7,"changes":[{"event":"home.nameUpdated","name":"x","reachesInitiator":true},{"event":"homeRemoved"}]}"#
    ),
    notification(
        .live(.valueUpdated(id(1), .data([0, 255]), time: .init(millisecondsSince1970: -1))),
        #"live {"event":"valueUpdated","characteristic":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","value":{"data":"00FF"},"time":-1}"#
    ),
    notification(
        .live(.faultUpdated(id(1), .pairedElsewhere)),
        #"live {"event":"faultUpdated","accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","fault":"pairedElsewhere"}"#),
    notification(
        .live(.reachabilityUpdated(id(1), false)),
        #"live {"event":"reachabilityUpdated","accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","isReachable":false}"#),
    notification(
        .cached(.valueUpdated(id(1), .float(1.000_000_1), time: .init(millisecondsSince1970: 1 << 60))),
        #"cached {"event":"valueUpdated","characteristic":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","value":{"float":"1.0000001"},"time":1152921504606846976}"#
    ),
    notification(
        .accessoryFound(
            DiscoveredAccessory(
                id: Devices.id(1), name: "Lamp", category: .lightbulb, model: "L", setupHash: "yf4bzw==",
                vendor: "kilgo")),
        #"browser.found {"deviceId":"02:00:00:00:00:01","name":"Lamp","category":5,"model":"L","setupHash":"yf4bzw==","vendor":"kilgo"}"#
    ),
    notification(
        .accessoryFound(DiscoveredAccessory(id: Devices.id(1), name: "Lamp", category: .lightbulb, model: "L")),
        #"browser.found {"deviceId":"02:00:00:00:00:01","name":"Lamp","category":5,"model":"L"}"#),
    notification(
        .accessoryLost(Devices.id(1)),
        #"browser.removed {"deviceId":"02:00:00:00:00:01"}"#),
    notification(
        .addAccessoryRequest(
            AddAccessoryRequest(
                id: id(1), home: id(2), accessoryName: "Lamp", category: .lightbulb, requiresSetupPayloadURL: true)),
        #"addAccessoryRequest {"request":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Lamp","category":5,"requiresSetupPayloadURL":true}"#
    ),
    notification(
        .permissionAsked(
            AppPermission(
                app: AppIdentity(app: "a", uid: 5, executable: "/a"), status: [], usageDescription: "For it.",
                isPending: true)),
        #"privacy.asked {"app":{"app":"a","uid":5,"executable":"/a"},"status":0,"usageDescription":"For it.","isPending":true}"#
    ),
    message(
        HomeEvent.homeAdded(home),
        #"{"event":"homeAdded","home":{"id":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Home","isPrimary":true,"revision":18446744073709551615,"defaultRoom":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989","rooms":[{"id":"088712BE-8A58-4FCA-BBFF-7C596E26CE46","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Room"}],"zones":[{"id":"50F5647D-2380-409D-832A-5CD27A6B13A1","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Up","rooms":[]}],"accessories":[{"id":"6E73E372-E233-4ACA-A474-C66A4B98B030","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Bridge","configuredName":"","room":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989","category":2,"manufacturer":"","model":"","serialNumber":"","firmwareVersion":"","isReachable":true,"isBlocked":false,"supportsIdentify":true,"bridgedAccessories":["910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"],"deviceId":"02:00:00:00:00:01","aid":1,"services":[]},{"id":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Lamp","configuredName":"lamp_1","room":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989","category":5,"manufacturer":"M","model":"L","serialNumber":"S","firmwareVersion":"1.0","isReachable":false,"isBlocked":true,"supportsIdentify":false,"bridge":"6E73E372-E233-4ACA-A474-C66A4B98B030","deviceId":"02:00:00:00:00:01","aid":18446744073709551615,"services":[{"id":"63033B0C-A389-435A-8097-314D939736F8","iid":7,"type":"43","name":"Light","isPrimary":true,"isHidden":true,"linkedServices":["BD64A5D9-ADEF-4000-B241-9DB23951DF99"],"associatedServiceType":"40","isFavorite":true,"characteristics":[{"id":"63CBE1E4-5932-4DD7-844C-3CD7F43C661C","iid":8,"type":"25","metadata":{"format":"bool","perms":["pr","ev"]},"description":"d","value":true,"time":9,"isNotificationEnabled":true},{"id":"9E5651B0-EF95-4636-9CA8-A164477D7801","iid":9,"type":"8","metadata":{"format":"int","perms":["pw"],"unit":"percentage","min":0,"max":100,"step":1}}]},{"id":"BD64A5D9-ADEF-4000-B241-9DB23951DF99","iid":10,"type":"47","name":"x","characteristics":[]}]}],"actionSets":[{"id":"943FF9FC-99DE-4F03-B080-AA269DA8A457","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","kind":"userDefined","name":"Scene","actions":[]}]}}"#
    ),
    message(
        HomeEvent.homeRemoved,
        #"{"event":"homeRemoved"}"#),
    message(
        HomeEvent.primaryHomeUpdated(id(1)),
        #"{"event":"primaryHomeUpdated","primaryHome":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeEvent.primaryHomeUpdated(nil),
        #"{"event":"primaryHomeUpdated"}"#),
    message(
        HomeEvent.nameUpdated("x"),
        #"{"event":"home.nameUpdated","name":"x"}"#),
    message(
        HomeEvent.roomAdded(Room(id: id(1), home: id(2), name: "x")),
        #"{"event":"roomAdded","room":{"id":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"x"}}"#
    ),
    message(
        HomeEvent.roomRemoved(id(1)),
        #"{"event":"roomRemoved","room":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeEvent.roomNameUpdated(id(1), "x"),
        #"{"event":"roomNameUpdated","room":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    message(
        HomeEvent.zoneAdded(Zone(id: id(1), home: id(2), name: "x", rooms: [id(3)])),
        #"{"event":"zoneAdded","zone":{"id":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"x","rooms":["1D0B14E4-DB01-4FED-B346-6F8A7B81A989"]}}"#
    ),
    message(
        HomeEvent.zoneRemoved(id(1)),
        #"{"event":"zoneRemoved","zone":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeEvent.zoneNameUpdated(id(1), "x"),
        #"{"event":"zoneNameUpdated","zone":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    message(
        HomeEvent.roomAddedToZone(id(1), id(2)),
        #"{"event":"roomAddedToZone","room":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","zone":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#
    ),
    message(
        HomeEvent.roomRemovedFromZone(id(1), id(2)),
        #"{"event":"roomRemovedFromZone","room":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","zone":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#
    ),
    message(
        HomeEvent.accessoryAdded(bridge),
        #"{"event":"accessoryAdded","accessory":{"id":"6E73E372-E233-4ACA-A474-C66A4B98B030","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Bridge","configuredName":"","room":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989","category":2,"manufacturer":"","model":"","serialNumber":"","firmwareVersion":"","isReachable":true,"isBlocked":false,"supportsIdentify":true,"bridgedAccessories":["910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"],"deviceId":"02:00:00:00:00:01","aid":1,"services":[]}}"#
    ),
    message(
        HomeEvent.accessoryRemoved(id(1)),
        #"{"event":"accessoryRemoved","accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeEvent.accessoryRoomUpdated(id(1), id(2)),
        #"{"event":"accessoryRoomUpdated","accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","room":"975835DE-1C97-46CE-BFC8-46100BFC1E42"}"#
    ),
    message(
        HomeEvent.accessoryError(id(1), .accessoryIsBlocked),
        #"{"event":"accessoryError","accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","code":61,"name":"accessoryIsBlocked"}"#
    ),
    message(
        HomeEvent.accessoryUnblocked(id(1)),
        #"{"event":"accessoryUnblocked","accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeEvent.actionSetAdded(ActionSet(id: id(1), home: id(2), kind: .wakeUp, name: "x", actions: [action])),
        #"{"event":"actionSetAdded","actionSet":{"id":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","kind":"wakeUp","name":"x","actions":[{"characteristic":"9E5651B0-EF95-4636-9CA8-A164477D7801","value":40}]}}"#
    ),
    message(
        HomeEvent.actionSetRemoved(id(1)),
        #"{"event":"actionSetRemoved","actionSet":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeEvent.actionSetNameUpdated(id(1), "x"),
        #"{"event":"actionSetNameUpdated","actionSet":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    message(
        HomeEvent.actionSetActionsUpdated(id(1), [action]),
        #"{"event":"actionSetActionsUpdated","actionSet":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","actions":[{"characteristic":"9E5651B0-EF95-4636-9CA8-A164477D7801","value":40}]}"#
    ),
    message(
        HomeEvent.accessoryNameUpdated(id(1), "x"),
        #"{"event":"accessory.nameUpdated","accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    message(
        HomeEvent.servicesUpdated(id(1), lamp.services),
        #"{"event":"servicesUpdated","accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","services":[{"id":"63033B0C-A389-435A-8097-314D939736F8","iid":7,"type":"43","name":"Light","isPrimary":true,"isHidden":true,"linkedServices":["BD64A5D9-ADEF-4000-B241-9DB23951DF99"],"associatedServiceType":"40","isFavorite":true,"characteristics":[{"id":"63CBE1E4-5932-4DD7-844C-3CD7F43C661C","iid":8,"type":"25","metadata":{"format":"bool","perms":["pr","ev"]},"description":"d","value":true,"time":9,"isNotificationEnabled":true},{"id":"9E5651B0-EF95-4636-9CA8-A164477D7801","iid":9,"type":"8","metadata":{"format":"int","perms":["pw"],"unit":"percentage","min":0,"max":100,"step":1}}]},{"id":"BD64A5D9-ADEF-4000-B241-9DB23951DF99","iid":10,"type":"47","name":"x","characteristics":[]}]}"#
    ),
    message(
        HomeEvent.accessoryReplaced(
            Accessory(
                id: id(1), home: id(2), name: "x", configuredName: "x", room: id(3), category: .lightbulb,
                deviceID: Devices.id(7), aid: .bridge)),
        #"{"event":"accessoryReplaced","accessory":{"id":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"x","configuredName":"x","room":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989","category":5,"manufacturer":"","model":"","serialNumber":"","firmwareVersion":"","isReachable":true,"isBlocked":false,"supportsIdentify":true,"deviceId":"02:00:00:00:00:07","aid":1,"services":[]}}"#
    ),
    message(
        HomeEvent.firmwareVersionUpdated(id(1), "1.0"),
        #"{"event":"firmwareVersionUpdated","accessory":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","firmwareVersion":"1.0"}"#
    ),
    message(
        HomeEvent.serviceNameUpdated(id(1), "x"),
        #"{"event":"serviceNameUpdated","service":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","name":"x"}"#),
    message(
        HomeEvent.associatedServiceTypeUpdated(id(1), .lightbulb),
        #"{"event":"associatedServiceTypeUpdated","service":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","associatedServiceType":"43"}"#
    ),
    message(
        HomeEvent.associatedServiceTypeUpdated(id(1), nil),
        #"{"event":"associatedServiceTypeUpdated","service":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeEvent.favoriteUpdated(id(1), true),
        #"{"event":"favoriteUpdated","service":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","isFavorite":true}"#),
    message(
        HomesReply(homes: [home]),
        #"{"homes":[{"id":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Home","isPrimary":true,"revision":18446744073709551615,"defaultRoom":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989","rooms":[{"id":"088712BE-8A58-4FCA-BBFF-7C596E26CE46","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Room"}],"zones":[{"id":"50F5647D-2380-409D-832A-5CD27A6B13A1","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Up","rooms":[]}],"accessories":[],"actionSets":[{"id":"943FF9FC-99DE-4F03-B080-AA269DA8A457","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","kind":"userDefined","name":"Scene","actions":[]}]}]}"#
    ),
    message(
        AccessoryPage(accessories: [lamp, bridge], next: 32),
        #"{"accessories":[{"id":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Lamp","configuredName":"lamp_1","room":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989","category":5,"manufacturer":"M","model":"L","serialNumber":"S","firmwareVersion":"1.0","isReachable":false,"isBlocked":true,"supportsIdentify":false,"bridge":"6E73E372-E233-4ACA-A474-C66A4B98B030","deviceId":"02:00:00:00:00:01","aid":18446744073709551615,"services":[{"id":"63033B0C-A389-435A-8097-314D939736F8","iid":7,"type":"43","name":"Light","isPrimary":true,"isHidden":true,"linkedServices":["BD64A5D9-ADEF-4000-B241-9DB23951DF99"],"associatedServiceType":"40","isFavorite":true,"characteristics":[{"id":"63CBE1E4-5932-4DD7-844C-3CD7F43C661C","iid":8,"type":"25","metadata":{"format":"bool","perms":["pr","ev"]},"description":"d","value":true,"time":9,"isNotificationEnabled":true},{"id":"9E5651B0-EF95-4636-9CA8-A164477D7801","iid":9,"type":"8","metadata":{"format":"int","perms":["pw"],"unit":"percentage","min":0,"max":100,"step":1}}]},{"id":"BD64A5D9-ADEF-4000-B241-9DB23951DF99","iid":10,"type":"47","name":"x","characteristics":[]}]},{"id":"6E73E372-E233-4ACA-A474-C66A4B98B030","home":"975835DE-1C97-46CE-BFC8-46100BFC1E42","name":"Bridge","configuredName":"","room":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989","category":2,"manufacturer":"","model":"","serialNumber":"","firmwareVersion":"","isReachable":true,"isBlocked":false,"supportsIdentify":true,"bridgedAccessories":["910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"],"deviceId":"02:00:00:00:00:01","aid":1,"services":[]}],"next":32}"#
    ),
    message(
        AccessoryPage(accessories: [], next: nil),
        #"{"accessories":[]}"#),
    message(
        HomeCommit(result: .nothing, transaction: nil),
        #"{}"#),
    message(
        HomeCommit(result: .home(id(1)), transaction: transaction),
        #"{"transaction":{"home":"AEAF52FE-BE70-4064-802D-8A5E87AFEA62","revision":1,"changes":[{"event":"homeRemoved"}]},"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#
    ),
    message(
        HomeCommit(result: .room(id(1)), transaction: nil),
        #"{"room":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeCommit(result: .zone(id(1)), transaction: nil),
        #"{"zone":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeCommit(result: .actionSet(id(1)), transaction: nil),
        #"{"actionSet":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"}"#),
    message(
        HomeCommit(result: .accessories([id(1), id(2)]), transaction: transaction, stale: [id(3)]),
        #"{"transaction":{"home":"AEAF52FE-BE70-4064-802D-8A5E87AFEA62","revision":1,"changes":[{"event":"homeRemoved"}]},"accessories":["910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","975835DE-1C97-46CE-BFC8-46100BFC1E42"],"stale":["1D0B14E4-DB01-4FED-B346-6F8A7B81A989"]}"#
    ),
    message(
        AdditionReply.added(HomeCommit(result: .accessories([id(1)]), transaction: transaction)),
        #"{"transaction":{"home":"AEAF52FE-BE70-4064-802D-8A5E87AFEA62","revision":1,"changes":[{"event":"homeRemoved"}]},"accessories":["910A2DEC-8902-4CC1-BEEB-8DA1658EEC67"]}"#
    ),
    message(
        AdditionReply.handedOver(app: "a"),
        #"{"handedOver":"a"}"#),
    message(
        AdditionReply.setUp(AccessorySetupResult(home: id(1), accessories: [id(2)])),
        #"{"setUp":{"home":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","accessories":["975835DE-1C97-46CE-BFC8-46100BFC1E42"]}}"#
    ),
    message(
        SessionReply(status: [.determined, .restricted], isSystemApp: true),
        #"{"status":3,"isSystemApp":true}"#),
    message(
        SessionReply(status: [], isSystemApp: false, version: 2),
        #"{"status":0,"isSystemApp":false,"version":2}"#),
    message(
        [
            AppPermission(
                app: AppIdentity(app: "a", uid: 5, executable: "/a"), status: .authorized, usageDescription: "For it.",
                isPending: false)
        ],
        #"[{"app":{"app":"a","uid":5,"executable":"/a"},"status":4,"usageDescription":"For it.","isPending":false}]"#),
    message(
        [
            ValueResult(characteristic: id(1), value: .string("x"), time: .init(millisecondsSince1970: 5)),
            ValueResult(
                characteristic: id(2),
                error: HomeError(.valueLowerThanMinimum, detail: "too low", accessory: id(3), suggestions: ["a"])),
        ],
        #"[{"characteristic":"910A2DEC-8902-4CC1-BEEB-8DA1658EEC67","value":"x","time":5},{"characteristic":"975835DE-1C97-46CE-BFC8-46100BFC1E42","error":{"code":44,"name":"valueLowerThanMinimum","message":"too low; for instance \"a\"","suggestions":["a"],"detail":"too low","accessory":"1D0B14E4-DB01-4FED-B346-6F8A7B81A989"}}]"#
    ),
    message(
        HomeError(.notFound),
        #"{"code":2,"name":"notFound","message":"there is no such object","suggestions":[]}"#),
    message(
        [
            CharacteristicValue.bool(true), .integer(.min), .float(0.1), .float(-0), .string("x"), .data([0, 255]),
            .data([]), .unsigned(.max),
        ],
        #"[true,-9223372036854775808,{"float":"0.1"},{"float":"0.0"},"x",{"data":"00FF"},{"data":""},18446744073709551615]"#
    ),
    message(
        CharacteristicMetadata(
            format: .float, permissions: [.pairedRead, .pairedWrite, .notify, .hidden], unit: .celsius, minimum: -0.5,
            maximum: 1e300, step: 0.1, maximumLength: 64, maximumDataLength: 1 << 40, validValues: [0, 3]),
        #"{"format":"float","perms":["pr","pw","ev","hd"],"unit":"celsius","min":"-0.5","max":"1e+300","step":"0.1","maxLength":64,"maxDataLength":1099511627776,"validValues":[0,3]}"#
    ),
    message(
        CharacteristicMetadata(format: .tlv8, permissions: []),
        #"{"format":"tlv8","perms":[]}"#),
]

@Suite("The bytes of every message") struct WireFormTests {
    @Test("A message is written and read as it was in version 1", arguments: wireForms)
    func form(form: WireForm) {
        #expect(form.written == form.text)
        #expect(form.isReadBack)
    }
}
