// The JSON keys of the objects of the home database.

extension Home: HomeMessage {
    enum CodingKeys: String, CodingKey {
        case id, name, isPrimary, revision
        case defaultRoomID = "defaultRoom"
        case rooms, zones, accessories, actionSets, serviceGroups, triggers, people, location
    }
}

// Homes that were encoded before service groups, automations and people existed have no such keys. Empty lists aren't
// encoded, either.
extension KeyedEncodingContainer where Key == Home.CodingKeys {
    mutating func encode(_ value: [ServiceGroup], forKey key: Key) throws {
        try encodeIfPresent(value.isEmpty ? nil : value, forKey: key)
    }

    mutating func encode(_ value: [Trigger], forKey key: Key) throws {
        try encodeIfPresent(value.isEmpty ? nil : value, forKey: key)
    }

    mutating func encode(_ value: [Resident], forKey key: Key) throws {
        try encodeIfPresent(value.isEmpty ? nil : value, forKey: key)
    }
}

extension KeyedDecodingContainer where Key == Home.CodingKeys {
    func decode(_ type: [ServiceGroup].Type, forKey key: Key) throws -> [ServiceGroup] {
        try decodeIfPresent(type, forKey: key) ?? []
    }

    func decode(_ type: [Trigger].Type, forKey key: Key) throws -> [Trigger] {
        try decodeIfPresent(type, forKey: key) ?? []
    }

    func decode(_ type: [Resident].Type, forKey key: Key) throws -> [Resident] {
        try decodeIfPresent(type, forKey: key) ?? []
    }
}

extension Room: HomeMessage {}

extension Zone: HomeMessage {}

extension Accessory: HomeMessage {
    enum CodingKeys: String, CodingKey {
        case id, home, name, configuredName, room, category, manufacturer, model, serialNumber, firmwareVersion
        case isReachable, fault, isBlocked, supportsIdentify, bridge, bridgedAccessories
        case deviceID = "deviceId"
        case aid, services
    }
}

// Services and characteristics are nested in their owners and don't repeat the owner's ID.

extension Service: HomeMessage {
    enum CodingKeys: String, OmittingKey {
        case id
        case accessory = "^accessory"
        case iid, type, name, isPrimary, isHidden, linkedServices, associatedServiceType, isFavorite, characteristics
    }
}

extension Characteristic: HomeMessage {
    enum CodingKeys: String, OmittingKey {
        case id
        case service = "^service"
        case iid, type, metadata
        case manufacturerDescription = "description"
        case value
        case valueTime = "time"
        case isOutdated, isNotificationEnabled
    }
}

extension ActionSet: HomeMessage {
    enum CodingKeys: String, OmittingKey {
        case id, home, kind, name, actions, isExecuting, lastExecutionTime
    }
}

extension ServiceGroup: HomeMessage {}

extension CharacteristicWriteAction: HomeMessage {
    enum CodingKeys: String, CodingKey {
        case characteristic
        case targetValue = "value"
    }
}
