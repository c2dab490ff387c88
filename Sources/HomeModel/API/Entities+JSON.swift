package import BoundedJSON
import HAPModel

extension Home: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        self.init(
            id: try json.id("id"), name: try json.value("name", \.string),
            isPrimary: try json.value("isPrimary", \.bool), revision: try json.value("revision", \.unsignedInteger),
            defaultRoomID: try json.id("defaultRoom"), rooms: try json.messages("rooms"),
            zones: try json.messages("zones"), accessories: try json.messages("accessories"),
            actionSets: try json.messages("actionSets"))
    }

    package var json: JSONValue {
        [
            "id": id.json, "name": .string(name), "isPrimary": .bool(isPrimary),
            "revision": .unsignedInteger(revision), "defaultRoom": defaultRoomID.json, "rooms": rooms.json,
            "zones": zones.json, "accessories": accessories.json, "actionSets": actionSets.json,
        ]
    }
}

extension Room: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        self.init(id: try json.id("id"), home: try json.id("home"), name: try json.value("name", \.string))
    }

    package var json: JSONValue { ["id": id.json, "home": home.json, "name": .string(name)] }
}

extension Zone: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        self.init(
            id: try json.id("id"), home: try json.id("home"), name: try json.value("name", \.string),
            rooms: try json.value("rooms") { $0.elements { $0.identifier() } })
    }

    package var json: JSONValue {
        ["id": id.json, "home": home.json, "name": .string(name), "rooms": .array(rooms.map(\.json))]
    }
}

extension Accessory: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        let id: Accessory.ID = try json.id("id")
        let category = try json.value("category") { $0.int.flatMap(UInt16.init(exactly:)) }
        self.init(
            id: id, home: try json.id("home"), name: try json.value("name", \.string),
            configuredName: try json.value("configuredName", \.string), room: try json.id("room"),
            category: AccessoryCategory(rawValue: category), manufacturer: try json.value("manufacturer", \.string),
            model: try json.value("model", \.string), serialNumber: try json.value("serialNumber", \.string),
            firmwareVersion: try json.value("firmwareVersion", \.string),
            isReachable: try json.value("isReachable", \.bool), isBlocked: try json.value("isBlocked", \.bool),
            supportsIdentify: try json.value("supportsIdentify", \.bool),
            bridge: try json.optional("bridge") { $0.identifier() },
            bridgedAccessories: try json.optional("bridgedAccessories") { $0.elements { $0.identifier() } },
            deviceID: try json.value("deviceId") { $0.string.flatMap { DeviceID($0) } },
            aid: AccessoryID(try json.value("aid", \.unsignedInteger)))
        for service in try json.value("services", \.array) { services.append(try Service(json: service, of: id)) }
    }

    package var json: JSONValue {
        .object(
            JSONObject(present: [
                "id": id.json, "home": home.json, "name": .string(name), "configuredName": .string(configuredName),
                "room": room.json, "category": .integer(Int64(category.rawValue)),
                "manufacturer": .string(manufacturer), "model": .string(model), "serialNumber": .string(serialNumber),
                "firmwareVersion": .string(firmwareVersion), "isReachable": .bool(isReachable),
                "isBlocked": .bool(isBlocked), "supportsIdentify": .bool(supportsIdentify), "bridge": bridge?.json,
                "bridgedAccessories": bridgedAccessories.map { .array($0.map(\.json)) },
                "deviceId": .string(deviceID.description), "aid": .unsignedInteger(aid.rawValue),
                "services": .array(services.map(\.json)),
            ]))
    }
}

// Services and characteristics stand within what they belong to and do not say it again.

extension Service {
    init(json: JSONValue, of accessory: Accessory.ID) throws(HomeError) {
        let id: Service.ID = try json.id("id")
        self.init(
            id: id, accessory: accessory, iid: InstanceID(try json.value("iid", \.unsignedInteger)),
            type: try json.value("type", \.serviceType), name: try json.value("name", \.string),
            isPrimary: try json.optional("isPrimary", \.bool) ?? false,
            isHidden: try json.optional("isHidden", \.bool) ?? false,
            linkedServices: try json.optional("linkedServices") { $0.elements { $0.identifier() } } ?? [],
            associatedServiceType: try json.optional("associatedServiceType", \.serviceType),
            isFavorite: try json.optional("isFavorite", \.bool) ?? false)
        for characteristic in try json.value("characteristics", \.array) {
            characteristics.append(try Characteristic(json: characteristic, of: id))
        }
    }

    var json: JSONValue {
        .object(
            JSONObject(present: [
                "id": id.json, "iid": .unsignedInteger(iid.rawValue), "type": .string(type.description),
                "name": .string(name), "isPrimary": isPrimary ? true : nil, "isHidden": isHidden ? true : nil,
                "linkedServices": linkedServices.isEmpty ? nil : .array(linkedServices.map(\.json)),
                "associatedServiceType": associatedServiceType.map { .string($0.description) },
                "isFavorite": isFavorite ? true : nil, "characteristics": .array(characteristics.map(\.json)),
            ]))
    }
}

extension Characteristic {
    init(json: JSONValue, of service: Service.ID) throws(HomeError) {
        let value: CharacteristicValue? = json["value"] == nil ? nil : try json.message("value")
        self.init(
            id: try json.id("id"), service: service, iid: InstanceID(try json.value("iid", \.unsignedInteger)),
            type: CharacteristicType(try json.value("type", \.hapType)), metadata: try json.message("metadata"),
            manufacturerDescription: try json.optional("description", \.string), value: value,
            valueTime: try json.optional("time") { $0.int.map(Int64.init) },
            isNotificationEnabled: try json.optional("isNotificationEnabled", \.bool) ?? false)
    }

    var json: JSONValue {
        .object(
            JSONObject(present: [
                "id": id.json, "iid": .unsignedInteger(iid.rawValue), "type": .string(type.description),
                "metadata": metadata.json, "description": manufacturerDescription.map(JSONValue.string),
                "value": value?.json, "time": valueTime.map(JSONValue.integer),
                "isNotificationEnabled": isNotificationEnabled ? true : nil,
            ]))
    }
}

extension ActionSet: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        self.init(
            id: try json.id("id"), home: try json.id("home"),
            kind: try json.value("kind") { $0.string.flatMap(Kind.init) }, name: try json.value("name", \.string),
            actions: try json.messages("actions"))
    }

    package var json: JSONValue {
        [
            "id": id.json, "home": home.json, "kind": .string(kind.rawValue), "name": .string(name),
            "actions": actions.json,
        ]
    }
}

extension CharacteristicWriteAction: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        self.init(characteristic: try json.id("characteristic"), targetValue: try json.message("value"))
    }

    package var json: JSONValue { ["characteristic": characteristic.json, "value": targetValue.json] }
}

extension HomeError: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        let number = try json.value("code", \.int)
        let message = try json.optional("message", \.string)
        self.init(
            // A newer daemon may know more errors.
            Code(rawValue: number) ?? .unexpectedError,
            detail: try json.optional("detail", \.string) ?? (Code(rawValue: number) == nil ? message : nil),
            accessory: try json.optional("accessory") { $0.identifier() },
            suggestions: try json.optional("suggestions") { $0.elements(\.string) } ?? [])
    }

    /// The error as `--json` prints it.
    package var json: JSONValue {
        .object(
            JSONObject(present: [
                "code": .integer(Int64(code.rawValue)), "name": .string(code.name), "message": .string(message),
                "suggestions": .array(suggestions.map(JSONValue.string)), "detail": detail.map(JSONValue.string),
                "accessory": accessory?.json,
            ]))
    }
}
