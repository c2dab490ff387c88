import BoundedJSON
import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Testing

/// A message and its bytes on the wire, which are the same in every version.
struct WireForm: Sendable, CustomTestStringConvertible {
    let text: String
    let written: String
    let isReadBack: Bool

    var testDescription: String { text }
}

/// Replaces `<1>` to `<12>` in a wire form with IDs.
private func filled(_ text: String) -> String {
    (1...12).reduce(text) { $0.replacing("<\($1)>", with: "\(id(UInt64($1)) as Home.ID)") }
}

private func request(_ request: HomeRequest, _ text: String) -> WireForm {
    let text = filled(text)
    return WireForm(
        text: text, written: "\(request.method) \(request.params.text)",
        isReadBack: halves(text).map { (try? HomeRequest(method: $0, params: $1)) == request } ?? false)
}

private func notification(_ notification: HomeNotification, _ text: String) -> WireForm {
    let text = filled(text)
    return WireForm(
        text: text, written: "\(notification.method) \(notification.params.text)",
        isReadBack: halves(text).map { (try? HomeNotification(method: $0, params: $1)) == notification } ?? false)
}

private func message<Message: HomeMessage>(_ message: Message, _ text: String) -> WireForm {
    let text = filled(text)
    return WireForm(
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

private let arrival = TriggerDefinition(events: [.presence(.firstEntry, people: [])], actionSets: [id(3)])

private let record = TriggerRecord(
    id: id(1), trigger: id(2), time: .init(millisecondsSince1970: 5), cause: .event(arrival.events[0]), result: .ran,
    run: 7,
    outcomes: [
        ActionOutcome(.actionSet(id(3), name: "x"), time: .init(millisecondsSince1970: 6)),
        ActionOutcome(.write(action), error: HomeError(.notFound)), ActionOutcome(.restore(action)),
        ActionOutcome(.notify("y")),
    ])

private let requestForms: [WireForm] = [
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
    request(.homes, #"homes.list {}"#),
    request(
        .accessories(AccessoryBatchRequest(home: id(1), revision: .max, offset: 32)),
        #"accessories.list {"home":"<1>","revision":18446744073709551615,"offset":32}"#),
    request(.readValues([id(1), id(2)]), #"values.read {"characteristics":["<1>","<2>"]}"#),
    request(.readValues([]), #"values.read {"characteristics":[]}"#),
    request(
        .history(
            HistoryRequest(
                characteristic: id(1), since: Timestamp(millisecondsSince1970: 5),
                until: Timestamp(millisecondsSince1970: 9), interval: 60_000)),
        #"values.history {"characteristic":"<1>","since":5,"until":9,"interval":60000}"#),
    request(.activity(ActivityRequest(home: id(1), count: 50)), #"activity.list {"home":"<1>","count":50}"#),
    request(
        .activity(
            ActivityRequest(
                home: id(1), rooms: [id(2)], accessories: [id(3)], before: ActivityEntry.ID(number: 4),
                since: .init(millisecondsSince1970: 5), until: .init(millisecondsSince1970: 6), count: 7)),
        #"activity.list {"home":"<1>","rooms":["<2>"],"accessories":["<3>"],"before":4,"since":5,"until":6,"count":7}"#
    ),
    request(.removeHistory(id(1), nil), #"history.remove {"home":"<1>"}"#),
    request(.removeHistory(id(1), id(2)), #"history.remove {"home":"<1>","accessory":"<2>"}"#),
    request(
        .writeValues([
            ValueWrite(characteristic: id(1), value: .float(0.1), authorizationData: [1, 255]),
            ValueWrite(characteristic: id(2), value: nil),
        ]),
        #"values.write {"values":[{"characteristic":"<1>","value":{"float":"0.1"},"authorizationData":"01FF"},{"characteristic":"<2>"}]}"#
    ),
    request(.setNotification([id(1)], isEnabled: true), #"values.notify {"characteristics":["<1>"],"isEnabled":true}"#),
    request(.identify(id(1)), #"accessories.identify {"accessory":"<1>"}"#),
    request(.runActionSet(id(1)), #"scenes.run {"actionSet":"<1>"}"#),
    request(.startBrowsing, #"browser.start {}"#),
    request(.stopBrowsing, #"browser.stop {}"#),
    request(
        .addAccessory(
            AdditionRequest(
                home: id(1), device: Devices.id(1), code: SetupCode(number: 51_808_582),
                payload: AccessorySetupPayload(url: "X-HM://00527813XAB12"), name: "Lamp")),
        #"accessories.add {"home":"<1>","device":"02:00:00:00:00:01","code":"518-08-582","url":"X-HM://00527813XAB12","name":"Lamp"}"#
    ),
    request(
        .addAccessory(
            AdditionRequest(
                home: id(1),
                payload: AccessorySetupPayload(
                    setup: nil, token: AccessoryOwnershipToken(data: Array(0..<16)), request: id(2)))),
        #"accessories.add {"home":"<1>","ownershipToken":"000102030405060708090A0B0C0D0E0F","request":"<2>"}"#),
    request(.setUpAccessory(AdditionRequest(home: nil)), #"accessories.setUp {}"#),
    request(
        .repairAccessory(
            RepairRequest(
                accessory: id(1), device: DeviceID("1A:2B:3C:4D:5E:6F"), code: SetupCode(typed: "031-45-154"))),
        #"accessories.repair {"accessory":"<1>","device":"1A:2B:3C:4D:5E:6F","code":"031-45-154"}"#),
    request(.declineAddition(id(1)), #"accessories.decline {"request":"<1>"}"#),
    request(.permissions, #"privacy.list {}"#),
    request(
        .setPermission(AppIdentity(app: "a", uid: .max, executable: "/usr/bin/a"), .forget),
        #"privacy.set {"app":{"app":"a","uid":4294967295,"executable":"/usr/bin/a"},"decision":"forget"}"#),
    request(.answerQuestions, #"privacy.answer {}"#),
    request(.write(.addHome(name: "x")), #"homes.add {"name":"x"}"#),
    request(.write(.renameHome(id(1), name: "x")), #"homes.rename {"home":"<1>","name":"x"}"#),
    request(.write(.removeHome(id(1))), #"homes.remove {"home":"<1>"}"#),
    request(.write(.setPrimaryHome(id(1))), #"homes.primary {"home":"<1>"}"#),
    request(.write(.addRoom(id(1), name: "x")), #"rooms.add {"home":"<1>","name":"x"}"#),
    request(.write(.renameRoom(id(1), name: "x")), #"rooms.rename {"room":"<1>","name":"x"}"#),
    request(.write(.removeRoom(id(1), id(2))), #"rooms.remove {"home":"<1>","room":"<2>"}"#),
    request(.write(.addZone(id(1), name: "x")), #"zones.add {"home":"<1>","name":"x"}"#),
    request(.write(.renameZone(id(1), name: "x")), #"zones.rename {"zone":"<1>","name":"x"}"#),
    request(.write(.removeZone(id(1), id(2))), #"zones.remove {"home":"<1>","zone":"<2>"}"#),
    request(.write(.addRoomToZone(id(1), id(2))), #"zones.addRoom {"zone":"<1>","room":"<2>"}"#),
    request(.write(.removeRoomFromZone(id(1), id(2))), #"zones.removeRoom {"zone":"<1>","room":"<2>"}"#),
    request(
        .write(.assignAccessory(id(1), id(2), id(3))),
        #"accessories.assign {"home":"<1>","accessory":"<2>","room":"<3>"}"#),
    request(.write(.renameAccessory(id(1), name: "x")), #"accessories.rename {"accessory":"<1>","name":"x"}"#),
    request(.write(.removeAccessory(id(1), id(2))), #"accessories.remove {"home":"<1>","accessory":"<2>"}"#),
    request(.write(.unblockAccessory(id(1), id(2))), #"accessories.unblock {"home":"<1>","accessory":"<2>"}"#),
    request(.write(.renameService(id(1), name: "x")), #"services.rename {"service":"<1>","name":"x"}"#),
    request(.write(.setAssociatedServiceType(id(1), nil)), #"services.type {"service":"<1>"}"#),
    request(.write(.setAssociatedServiceType(id(1), .lightbulb)), #"services.type {"service":"<1>","type":"43"}"#),
    request(.write(.setFavorite(id(1), true)), #"services.favorite {"service":"<1>","isFavorite":true}"#),
    request(
        .write(.addActionSet(id(1), name: "x", kind: .sleep)), #"scenes.add {"home":"<1>","name":"x","kind":"sleep"}"#),
    request(.write(.renameActionSet(id(1), name: "x")), #"scenes.rename {"actionSet":"<1>","name":"x"}"#),
    request(.write(.removeActionSet(id(1))), #"scenes.remove {"actionSet":"<1>"}"#),
    request(
        .write(.setActions(id(1), [action])),
        #"scenes.set {"actionSet":"<1>","actions":[{"characteristic":"<8>","value":40}]}"#),
    request(.addAccessory(AdditionRequest(home: id(1))), #"accessories.add {"home":"<1>"}"#),
    request(.answerConsent(id(1), isAllowed: true), #"privacy.consent {"question":"<1>","isAllowed":true}"#),
    request(
        .setVendor(AppIdentity(app: "a", uid: 1, executable: ""), vendor: "kilgo", .deny),
        #"privacy.setVendor {"app":{"app":"a","uid":1,"executable":""},"vendor":"kilgo","decision":"deny"}"#),
    request(.write(.addServiceGroup(id(1), name: "x")), #"groups.add {"home":"<1>","name":"x"}"#),
    request(.write(.renameServiceGroup(id(1), name: "y")), #"groups.rename {"serviceGroup":"<1>","name":"y"}"#),
    request(.write(.removeServiceGroup(id(1))), #"groups.remove {"serviceGroup":"<1>"}"#),
    request(
        .write(.addServiceToServiceGroup(id(1), id(2))), #"groups.addService {"serviceGroup":"<1>","service":"<2>"}"#),
    request(
        .write(.removeServiceFromServiceGroup(id(1), id(2))),
        #"groups.removeService {"serviceGroup":"<1>","service":"<2>"}"#),
    request(
        .write(.addTrigger(id(1), name: "x", arrival, isEnabled: false)),
        #"automations.add {"home":"<1>","name":"x","definition":{"events":[{"kind":"presence","change":"firstEntry"}],"actionSets":["<3>"]},"isEnabled":false}"#
    ),
    request(.write(.renameTrigger(id(1), name: "x")), #"automations.rename {"trigger":"<1>","name":"x"}"#),
    request(
        .write(.updateTrigger(id(1), arrival)),
        #"automations.update {"trigger":"<1>","definition":{"events":[{"kind":"presence","change":"firstEntry"}],"actionSets":["<3>"]}}"#
    ),
    request(.write(.enableTrigger(id(1), true)), #"automations.enable {"trigger":"<1>","isEnabled":true}"#),
    request(.write(.removeTrigger(id(1))), #"automations.remove {"trigger":"<1>"}"#),
    request(.runTrigger(id(1), .check), #"automations.run {"trigger":"<1>","mode":"check"}"#),
    request(.triggerStatuses(id(1)), #"automations.status {"home":"<1>"}"#),
    request(.triggerRecords(id(1), nil), #"automations.history {"home":"<1>"}"#),
    request(.triggerRecords(id(1), id(2)), #"automations.history {"home":"<1>","trigger":"<2>"}"#),
    request(.receiveMessages, #"automations.messages {}"#),
    request(.write(.addPerson(id(1), name: "x")), #"people.add {"home":"<1>","name":"x"}"#),
    request(.write(.renamePerson(id(1), name: "x")), #"people.rename {"person":"<1>","name":"x"}"#),
    request(.write(.removePerson(id(1))), #"people.remove {"person":"<1>"}"#),
    request(.write(.setPresence(id(1), isHome: true)), #"people.presence {"person":"<1>","isHome":true}"#),
    request(
        .write(.setLocation(id(1), try? HomeLocation(latitude: 52.5, longitude: -13, timeZone: "Europe/Berlin"))),
        #"homes.location {"home":"<1>","location":{"latitude":52.5,"longitude":-13,"timeZone":"Europe/Berlin"}}"#
    ),
    request(.write(.setLocation(id(1), nil)), #"homes.location {"home":"<1>"}"#),
    request(.daylight(id(1)), #"homes.daylight {"home":"<1>"}"#),
]

private let notificationForms: [WireForm] = [
    notification(.authorizationStatusUpdated([.determined, .authorized]), #"authorizationStatusUpdated {"status":5}"#),
    notification(.homesUpdated, #"homesUpdated {}"#),
    notification(.activityUpdated(id(1)), #"activity.updated {"home":"<1>"}"#),
    notification(
        .transaction(
            HomeTransaction(
                home: id(1), revision: 7,
                changes: [HomeChange(.nameUpdated("x"), reachesInitiator: true), HomeChange(.homeRemoved)])),
        #"transaction {"home":"<1>","revision":7,"changes":[{"event":"home.nameUpdated","name":"x","reachesInitiator":true},{"event":"homeRemoved"}]}"#
    ),
    notification(
        .live(.valueUpdated(id(1), .data([0, 255]), time: .init(millisecondsSince1970: -1))),
        #"live {"event":"valueUpdated","characteristic":"<1>","value":{"data":"00FF"},"time":-1}"#),
    notification(
        .live(.faultUpdated(id(1), .pairedElsewhere)),
        #"live {"event":"faultUpdated","accessory":"<1>","fault":"pairedElsewhere"}"#),
    notification(
        .live(.readFailed(id(1))), #"live {"event":"readFailed","characteristic":"<1>"}"#),
    notification(
        .live(.reachabilityUpdated(id(1), false)),
        #"live {"event":"reachabilityUpdated","accessory":"<1>","isReachable":false}"#),
    notification(
        .cached(.valueUpdated(id(1), .float(1.000_000_1), time: .init(millisecondsSince1970: 1 << 60))),
        #"cached {"event":"valueUpdated","characteristic":"<1>","value":{"float":"1.0000001"},"time":1152921504606846976}"#
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
    notification(.accessoryLost(Devices.id(1)), #"browser.removed {"deviceId":"02:00:00:00:00:01"}"#),
    notification(
        .addAccessoryRequest(
            AddAccessoryRequest(
                id: id(1), home: id(2), accessoryName: "Lamp", category: .lightbulb, requiresSetupPayloadURL: true)),
        #"addAccessoryRequest {"request":"<1>","home":"<2>","name":"Lamp","category":5,"requiresSetupPayloadURL":true}"#
    ),
    notification(
        .permissionAsked(
            AppPermission(
                app: AppIdentity(app: "a", uid: 5, executable: "/a"), status: [], usageDescription: "For it.",
                isPending: true)),
        #"privacy.asked {"app":{"app":"a","uid":5,"executable":"/a"},"status":0,"usageDescription":"For it.","isPending":true}"#
    ),
    notification(
        .live(.actionSetExecutionUpdated(id(1), isExecuting: true, last: nil)),
        #"live {"event":"actionSetExecutionUpdated","actionSet":"<1>","isExecuting":true}"#),
    notification(
        .cached(.actionSetExecutionUpdated(id(1), isExecuting: false, last: .init(millisecondsSince1970: 1 << 50))),
        #"cached {"event":"actionSetExecutionUpdated","actionSet":"<1>","isExecuting":false,"last":1125899906842624}"#),
    notification(
        .permissionAsked(
            AppPermission(
                app: AppIdentity(app: "a", uid: 5, executable: "/a"), status: [], usageDescription: "For it.",
                isPending: true,
                vendors: [VendorClaim(vendor: "k", isAllowed: true), VendorClaim(vendor: "o", isAllowed: nil)],
                automations: [AppAutomation(Trigger(id: id(1), home: id(2), name: "x", definition: .init(events: [])))])
        ),
        #"privacy.asked {"app":{"app":"a","uid":5,"executable":"/a"},"status":0,"usageDescription":"For it.","isPending":true,"vendors":[{"vendor":"k","isAllowed":true},{"vendor":"o"}],"automations":[{"id":"<1>","home":"<2>","name":"x"}]}"#
    ),
    notification(
        .consentAsked(
            ConsentQuestion(
                id: id(1), app: AppIdentity(app: "a", uid: 5, executable: ""), usageDescription: "For it.",
                subject: .addition, name: "Lamp")),
        #"privacy.consentAsked {"id":"<1>","app":{"app":"a","uid":5,"executable":""},"usageDescription":"For it.","subject":"addition","name":"Lamp"}"#
    ),
    notification(
        .additionFailed(
            AccessoryAdditionFailure(
                home: id(1), accessory: Devices.id(1), name: "Lamp", error: HomeError(.notFound))),
        #"additionFailed {"home":"<1>","deviceId":"02:00:00:00:00:01","name":"Lamp","error":{"code":2,"name":"notFound","message":"there is no such object","suggestions":[]}}"#
    ),
    notification(
        .message(TriggerMessage(home: id(1), trigger: id(2), text: "x", time: .init(millisecondsSince1970: 5))),
        #"automations.message {"home":"<1>","trigger":"<2>","text":"x","time":5}"#),
    notification(
        .live(.triggerFired(record)),
        #"live {"event":"triggerFired","record":{"id":"<1>","trigger":"<2>","time":5,"cause":{"cause":"event","event":{"kind":"presence","change":"firstEntry"}},"result":{"result":"ran"},"run":7,"outcomes":[{"kind":"actionSet","actionSet":"<3>","name":"x","time":6},{"kind":"write","characteristic":"<8>","value":40,"error":{"code":2,"name":"notFound","message":"there is no such object","suggestions":[]}},{"kind":"restore","characteristic":"<8>","value":40},{"kind":"notify","text":"y"}]}}"#
    ),
]

private let messageForms: [WireForm] = [
    message(
        HomeEvent.homeAdded(home),
        #"{"event":"homeAdded","home":{"id":"<2>","name":"Home","isPrimary":true,"revision":18446744073709551615,"defaultRoom":"<3>","rooms":[{"id":"<10>","home":"<2>","name":"Room"}],"zones":[{"id":"<11>","home":"<2>","name":"Up","rooms":[]}],"accessories":[{"id":"<4>","home":"<2>","name":"Bridge","configuredName":"","room":"<3>","category":2,"manufacturer":"","model":"","serialNumber":"","firmwareVersion":"","isReachable":true,"isBlocked":false,"supportsIdentify":true,"bridgedAccessories":["<1>"],"deviceId":"02:00:00:00:00:01","aid":1,"services":[]},{"id":"<1>","home":"<2>","name":"Lamp","configuredName":"lamp_1","room":"<3>","category":5,"manufacturer":"M","model":"L","serialNumber":"S","firmwareVersion":"1.0","isReachable":false,"isBlocked":true,"supportsIdentify":false,"bridge":"<4>","deviceId":"02:00:00:00:00:01","aid":18446744073709551615,"services":[{"id":"<5>","iid":7,"type":"43","name":"Light","isPrimary":true,"isHidden":true,"linkedServices":["<6>"],"associatedServiceType":"40","isFavorite":true,"characteristics":[{"id":"<7>","iid":8,"type":"25","metadata":{"format":"bool","perms":["pr","ev"]},"description":"d","value":true,"time":9,"isNotificationEnabled":true},{"id":"<8>","iid":9,"type":"8","metadata":{"format":"int","perms":["pw"],"unit":"percentage","min":0,"max":100,"step":1}}]},{"id":"<6>","iid":10,"type":"47","name":"x","characteristics":[]}]}],"actionSets":[{"id":"<12>","home":"<2>","kind":"userDefined","name":"Scene","actions":[]}]}}"#
    ),
    message(HomeEvent.homeRemoved, #"{"event":"homeRemoved"}"#),
    message(HomeEvent.primaryHomeUpdated(id(1)), #"{"event":"primaryHomeUpdated","primaryHome":"<1>"}"#),
    message(HomeEvent.primaryHomeUpdated(nil), #"{"event":"primaryHomeUpdated"}"#),
    message(HomeEvent.nameUpdated("x"), #"{"event":"home.nameUpdated","name":"x"}"#),
    message(
        HomeEvent.roomAdded(Room(id: id(1), home: id(2), name: "x")),
        #"{"event":"roomAdded","room":{"id":"<1>","home":"<2>","name":"x"}}"#),
    message(HomeEvent.roomRemoved(id(1)), #"{"event":"roomRemoved","room":"<1>"}"#),
    message(HomeEvent.roomNameUpdated(id(1), "x"), #"{"event":"roomNameUpdated","room":"<1>","name":"x"}"#),
    message(
        HomeEvent.zoneAdded(Zone(id: id(1), home: id(2), name: "x", rooms: [id(3)])),
        #"{"event":"zoneAdded","zone":{"id":"<1>","home":"<2>","name":"x","rooms":["<3>"]}}"#),
    message(HomeEvent.zoneRemoved(id(1)), #"{"event":"zoneRemoved","zone":"<1>"}"#),
    message(HomeEvent.zoneNameUpdated(id(1), "x"), #"{"event":"zoneNameUpdated","zone":"<1>","name":"x"}"#),
    message(HomeEvent.roomAddedToZone(id(1), id(2)), #"{"event":"roomAddedToZone","room":"<1>","zone":"<2>"}"#),
    message(HomeEvent.roomRemovedFromZone(id(1), id(2)), #"{"event":"roomRemovedFromZone","room":"<1>","zone":"<2>"}"#),
    message(
        HomeEvent.accessoryAdded(bridge),
        #"{"event":"accessoryAdded","accessory":{"id":"<4>","home":"<2>","name":"Bridge","configuredName":"","room":"<3>","category":2,"manufacturer":"","model":"","serialNumber":"","firmwareVersion":"","isReachable":true,"isBlocked":false,"supportsIdentify":true,"bridgedAccessories":["<1>"],"deviceId":"02:00:00:00:00:01","aid":1,"services":[]}}"#
    ),
    message(HomeEvent.accessoryRemoved(id(1)), #"{"event":"accessoryRemoved","accessory":"<1>"}"#),
    message(
        HomeEvent.accessoryRoomUpdated(id(1), id(2)),
        #"{"event":"accessoryRoomUpdated","accessory":"<1>","room":"<2>"}"#),
    message(
        HomeEvent.accessoryError(id(1), .accessoryIsBlocked),
        #"{"event":"accessoryError","accessory":"<1>","code":61,"name":"accessoryIsBlocked"}"#),
    message(HomeEvent.accessoryUnblocked(id(1)), #"{"event":"accessoryUnblocked","accessory":"<1>"}"#),
    message(
        HomeEvent.actionSetAdded(ActionSet(id: id(1), home: id(2), kind: .wakeUp, name: "x", actions: [action])),
        #"{"event":"actionSetAdded","actionSet":{"id":"<1>","home":"<2>","kind":"wakeUp","name":"x","actions":[{"characteristic":"<8>","value":40}]}}"#
    ),
    message(HomeEvent.actionSetRemoved(id(1)), #"{"event":"actionSetRemoved","actionSet":"<1>"}"#),
    message(
        HomeEvent.actionSetNameUpdated(id(1), "x"), #"{"event":"actionSetNameUpdated","actionSet":"<1>","name":"x"}"#),
    message(
        HomeEvent.actionSetActionsUpdated(id(1), [action]),
        #"{"event":"actionSetActionsUpdated","actionSet":"<1>","actions":[{"characteristic":"<8>","value":40}]}"#),
    message(
        HomeEvent.accessoryNameUpdated(id(1), "x"), #"{"event":"accessory.nameUpdated","accessory":"<1>","name":"x"}"#),
    message(
        HomeEvent.servicesUpdated(id(1), lamp.services),
        #"{"event":"servicesUpdated","accessory":"<1>","services":[{"id":"<5>","iid":7,"type":"43","name":"Light","isPrimary":true,"isHidden":true,"linkedServices":["<6>"],"associatedServiceType":"40","isFavorite":true,"characteristics":[{"id":"<7>","iid":8,"type":"25","metadata":{"format":"bool","perms":["pr","ev"]},"description":"d","value":true,"time":9,"isNotificationEnabled":true},{"id":"<8>","iid":9,"type":"8","metadata":{"format":"int","perms":["pw"],"unit":"percentage","min":0,"max":100,"step":1}}]},{"id":"<6>","iid":10,"type":"47","name":"x","characteristics":[]}]}"#
    ),
    message(
        HomeEvent.accessoryReplaced(
            Accessory(
                id: id(1), home: id(2), name: "x", configuredName: "x", room: id(3), category: .lightbulb,
                deviceID: Devices.id(7), aid: .bridge)),
        #"{"event":"accessoryReplaced","accessory":{"id":"<1>","home":"<2>","name":"x","configuredName":"x","room":"<3>","category":5,"manufacturer":"","model":"","serialNumber":"","firmwareVersion":"","isReachable":true,"isBlocked":false,"supportsIdentify":true,"deviceId":"02:00:00:00:00:07","aid":1,"services":[]}}"#
    ),
    message(
        HomeEvent.firmwareVersionUpdated(id(1), "1.0"),
        #"{"event":"firmwareVersionUpdated","accessory":"<1>","firmwareVersion":"1.0"}"#),
    message(HomeEvent.serviceNameUpdated(id(1), "x"), #"{"event":"serviceNameUpdated","service":"<1>","name":"x"}"#),
    message(
        HomeEvent.associatedServiceTypeUpdated(id(1), .lightbulb),
        #"{"event":"associatedServiceTypeUpdated","service":"<1>","associatedServiceType":"43"}"#),
    message(
        HomeEvent.associatedServiceTypeUpdated(id(1), nil),
        #"{"event":"associatedServiceTypeUpdated","service":"<1>"}"#),
    message(
        HomeEvent.triggerAdded(Trigger(id: id(1), home: id(2), name: "x", definition: arrival)),
        #"{"event":"triggerAdded","trigger":{"id":"<1>","home":"<2>","name":"x","isEnabled":true,"events":[{"kind":"presence","change":"firstEntry"}],"actionSets":["<3>"]}}"#
    ),
    message(HomeEvent.triggerRemoved(id(1)), #"{"event":"triggerRemoved","trigger":"<1>"}"#),
    message(HomeEvent.triggerNameUpdated(id(1), "x"), #"{"event":"triggerNameUpdated","trigger":"<1>","name":"x"}"#),
    message(
        HomeEvent.triggerUpdated(
            Trigger(id: id(1), home: id(2), name: "x", isEnabled: false, definition: arrival, missingParts: ["y"])),
        #"{"event":"triggerUpdated","trigger":{"id":"<1>","home":"<2>","name":"x","isEnabled":false,"events":[{"kind":"presence","change":"firstEntry"}],"actionSets":["<3>"],"missingParts":["y"]}}"#
    ),
    message(
        HomeEvent.personAdded(Resident(id: id(1), home: id(2), name: "x", isHome: true)),
        #"{"event":"personAdded","person":{"id":"<1>","home":"<2>","name":"x","isHome":true}}"#),
    message(HomeEvent.personRemoved(id(1)), #"{"event":"personRemoved","person":"<1>"}"#),
    message(HomeEvent.personNameUpdated(id(1), "x"), #"{"event":"personNameUpdated","person":"<1>","name":"x"}"#),
    message(
        HomeEvent.presenceUpdated(id(1), isHome: false), #"{"event":"presenceUpdated","person":"<1>","isHome":false}"#),
    message(
        HomeEvent.locationUpdated(try? HomeLocation(latitude: 1, longitude: 2)),
        #"{"event":"locationUpdated","location":{"latitude":1,"longitude":2}}"#),
    message(HomeEvent.locationUpdated(nil), #"{"event":"locationUpdated"}"#),
    message(HomeCommit(result: .trigger(id(1)), transaction: nil), #"{"trigger":"<1>"}"#),
    message(HomeCommit(result: .person(id(1)), transaction: nil), #"{"person":"<1>"}"#),
    message(
        TriggerStatus(trigger: id(2), next: .init(millisecondsSince1970: 9), last: nil, pausedUntil: nil),
        #"{"trigger":"<2>","next":9}"#),
    message(
        Daylight(
            civilDawn: .init(millisecondsSince1970: 1), sunrise: nil, sunset: .init(millisecondsSince1970: 3),
            civilDusk: .init(millisecondsSince1970: 4), timeZone: "UTC"),
        #"{"civilDawn":1,"sunset":3,"civilDusk":4,"timeZone":"UTC"}"#),
    message(HomeEvent.favoriteUpdated(id(1), true), #"{"event":"favoriteUpdated","service":"<1>","isFavorite":true}"#),
    message(
        HomesReply(homes: [home]),
        #"{"homes":[{"id":"<2>","name":"Home","isPrimary":true,"revision":18446744073709551615,"defaultRoom":"<3>","rooms":[{"id":"<10>","home":"<2>","name":"Room"}],"zones":[{"id":"<11>","home":"<2>","name":"Up","rooms":[]}],"accessories":[],"actionSets":[{"id":"<12>","home":"<2>","kind":"userDefined","name":"Scene","actions":[]}]}]}"#
    ),
    message(
        AccessoryBatch(accessories: [lamp, bridge], next: 32),
        #"{"accessories":[{"id":"<1>","home":"<2>","name":"Lamp","configuredName":"lamp_1","room":"<3>","category":5,"manufacturer":"M","model":"L","serialNumber":"S","firmwareVersion":"1.0","isReachable":false,"isBlocked":true,"supportsIdentify":false,"bridge":"<4>","deviceId":"02:00:00:00:00:01","aid":18446744073709551615,"services":[{"id":"<5>","iid":7,"type":"43","name":"Light","isPrimary":true,"isHidden":true,"linkedServices":["<6>"],"associatedServiceType":"40","isFavorite":true,"characteristics":[{"id":"<7>","iid":8,"type":"25","metadata":{"format":"bool","perms":["pr","ev"]},"description":"d","value":true,"time":9,"isNotificationEnabled":true},{"id":"<8>","iid":9,"type":"8","metadata":{"format":"int","perms":["pw"],"unit":"percentage","min":0,"max":100,"step":1}}]},{"id":"<6>","iid":10,"type":"47","name":"x","characteristics":[]}]},{"id":"<4>","home":"<2>","name":"Bridge","configuredName":"","room":"<3>","category":2,"manufacturer":"","model":"","serialNumber":"","firmwareVersion":"","isReachable":true,"isBlocked":false,"supportsIdentify":true,"bridgedAccessories":["<1>"],"deviceId":"02:00:00:00:00:01","aid":1,"services":[]}],"next":32}"#
    ),
    message(AccessoryBatch(accessories: [], next: nil), #"{"accessories":[]}"#),
    message(HomeCommit(result: .nothing, transaction: nil), #"{}"#),
    message(
        HomeCommit(result: .home(id(1)), transaction: transaction),
        #"{"transaction":{"home":"<9>","revision":1,"changes":[{"event":"homeRemoved"}]},"home":"<1>"}"#),
    message(HomeCommit(result: .room(id(1)), transaction: nil), #"{"room":"<1>"}"#),
    message(HomeCommit(result: .zone(id(1)), transaction: nil), #"{"zone":"<1>"}"#),
    message(HomeCommit(result: .actionSet(id(1)), transaction: nil), #"{"actionSet":"<1>"}"#),
    message(
        HomeCommit(result: .accessories([id(1), id(2)]), transaction: transaction, stale: [id(3)]),
        #"{"transaction":{"home":"<9>","revision":1,"changes":[{"event":"homeRemoved"}]},"accessories":["<1>","<2>"],"stale":["<3>"]}"#
    ),
    message(
        AdditionReply.added(HomeCommit(result: .accessories([id(1)]), transaction: transaction)),
        #"{"transaction":{"home":"<9>","revision":1,"changes":[{"event":"homeRemoved"}]},"accessories":["<1>"]}"#),
    message(AdditionReply.handedOver(app: "a"), #"{"handedOver":"a"}"#),
    message(
        AdditionReply.setUp(AccessorySetupResult(home: id(1), accessories: [id(2)])),
        #"{"setUp":{"home":"<1>","accessories":["<2>"]}}"#),
    message(SessionReply(status: [.determined, .restricted], isSystemApp: true), #"{"status":3,"isSystemApp":true}"#),
    message(SessionReply(status: [], isSystemApp: false, version: 2), #"{"status":0,"isSystemApp":false,"version":2}"#),
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
        #"[{"characteristic":"<1>","value":"x","time":5},{"characteristic":"<2>","error":{"code":44,"name":"valueLowerThanMinimum","message":"too low; try \"a\"","suggestions":["a"],"detail":"too low","accessory":"<3>"}}]"#
    ),
    message(
        HomeError(.notFound), #"{"code":2,"name":"notFound","message":"there is no such object","suggestions":[]}"#),
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
    message(CharacteristicMetadata(format: .tlv8, permissions: []), #"{"format":"tlv8","perms":[]}"#),
]

@Suite("The bytes of every message") struct WireFormTests {
    @Test("match those of version 1", arguments: requestForms + notificationForms + messageForms)
    func form(form: WireForm) {
        #expect(form.written == form.text)
        #expect(form.isReadBack)
    }

    @Test("don't cause a crash if members are missing or invalid")
    func mutilated() throws {
        var random = SeededNumbers(seed: 9)
        let wrong: [JSONValue] = [.null, 5, -1, 1.5, "x", true, [], [:], ["x"], .unsigned(.max), ["float": "nan"]]
        var refused = 0
        for (method, params) in requestForms.compactMap({ halves($0.text) }) {
            for _ in 0..<50 {
                let broken = mutilate(params, wrong, &random)
                do { _ = try HomeRequest(method: method, params: broken) } catch { refused += 1 }
            }
        }
        #expect(refused > 100)
    }

    private func mutilate(_ json: JSONValue, _ wrong: [JSONValue], _ random: inout SeededNumbers) -> JSONValue {
        guard Int.random(in: 0..<4, using: &random) > 0 else { return wrong.randomElement(using: &random) ?? .null }
        switch json {
        case .object(let object):
            guard let member = object.members.randomElement(using: &random) else { return json }
            var object = object
            object[member.name] = mutilate(member.value, wrong, &random)
            return .object(object)
        case .array(let elements):
            return .array(elements.map { mutilate($0, wrong, &random) })
        default: return wrong.randomElement(using: &random) ?? .null
        }
    }
}
