import BoundedJSON
import HAPModel
import HomeModel
import HomePresentation

// The output of `--json`: objects in the daemon's form, with relations as identifiers, and words in addition to
// numbers.

extension Home {
    /// The home without its contents, which have separate listings.
    var listing: JSONValue {
        [
            "id": .string("\(id)"), "name": .string(name), "isPrimary": .bool(isPrimary),
            "defaultRoom": .string("\(defaultRoomID)"), "rooms": .integer(Int64(rooms.count)),
            "accessories": .integer(Int64(accessories.count)),
        ]
    }

    func listing(of room: Room) -> JSONValue {
        [
            "id": .string("\(room.id)"), "name": .string(room.name), "home": .string("\(id)"),
            "isDefault": .bool(room.id == defaultRoomID),
            "zones": .array(zones.filter { $0.rooms.contains(room.id) }.map { .string("\($0.id)") }),
            "accessories": .array(accessories(in: room.id).map { .string("\($0.id)") }),
        ]
    }
}

extension Accessory {
    /// The accessory without its services.
    var listing: JSONValue {
        var object = details
        object["services"] = nil
        return .object(object)
    }

    /// All properties of the accessory, its services and their characteristics, with their words.
    var fullListing: JSONValue {
        var object = details
        object["services"] = .array(services.map(\.listing))
        return .object(object)
    }

    private var details: JSONObject {
        var object = json.object ?? [:]
        object["categoryName"] = .string(category.localizedDescription)
        object["problem"] = problem?.listing
        if let part = primaryService {
            object["state"] = .string(state(of: part).words)
            object["lastRead"] = lastRead(of: part).map { .integer($0.millisecondsSince1970) }
        }
        if let battery = services.first(where: { $0.type == .battery }) {
            object["battery"] = .string(state(of: battery).words)
        }
        return object
    }
}

extension Service {
    var listing: JSONValue {
        [
            "id": .string("\(id)"), "iid": iid.rawValue.json, "name": .string(name), "type": .string(type.description),
            "typeName": .string(localizedDescription), "isPrimary": .bool(isPrimary), "isHidden": .bool(isHidden),
            "isUserInteractive": .bool(isUserInteractive), "isFavorite": .bool(isFavorite),
            "linked": .array(linkedServices.map { .string("\($0)") }),
            "associatedServiceType": associatedServiceType.map { .string($0.description) } ?? .null,
            "characteristics": .array(characteristics.map(\.listing)),
        ]
    }
}

extension Characteristic {
    fileprivate var listing: JSONValue {
        var object: JSONObject = [
            "id": .string("\(id)"), "iid": iid.rawValue.json, "name": .string(word), "type": .string(type.description),
            "format": .string(metadata.format.rawValue),
            "permissions": .array(metadata.permissions.names.map(JSONValue.string)),
        ]
        object["description"] = manufacturerDescription.map(JSONValue.string)
        object["unit"] = metadata.unit.map { .string($0.rawValue) }
        object["minimum"] = metadata.minimum.map(metadata.listing)
        object["maximum"] = metadata.maximum.map(metadata.listing)
        object["step"] = metadata.step.map(JSONValue.number)
        object["validValues"] = metadata.validValues.map { .array($0.map(JSONValue.integer)) }
        object["value"] = value?.listing
        object["time"] = valueTime.map { .integer($0.millisecondsSince1970) }
        return .object(object)
    }
}

extension UInt64 {
    fileprivate var json: JSONValue { Int64(exactly: self).map(JSONValue.integer) ?? .unsigned(self) }
}

extension ActionSet {
    /// The scene with its values in the same form as in other listings.
    var listing: JSONValue {
        var object = json.object ?? [:]
        object["actions"] = .array(
            actions.map { ["characteristic": .string("\($0.characteristic)"), "value": $0.targetValue.listing] })
        return .object(object)
    }
}

extension ValuePlace {
    /// Returns a value that was read or written, with its accessory and service.
    ///
    /// `asked` is the typed number, if the value was rounded to a step.
    func listing(
        value: CharacteristicValue?, asked: CharacteristicValue? = nil, error: HomeError? = nil
    ) -> JSONValue {
        var object: JSONObject = [
            "id": .string("\(characteristic.id)"), "name": .string(characteristic.word),
            "accessory": .string("\(accessory.id)"), "accessoryName": .string(accessory.name),
            "service": .string("\(service.id)"), "serviceName": .string(accessory.shownName(of: service)),
        ]
        if let value {
            object["value"] = value.listing
            if case .integer(let number) = value, let name = characteristic.type.valueNames[number] {
                object["valueName"] = .string(name.dashed)
            }
        }
        object["asked"] = asked?.listing
        if let unit = characteristic.metadata.unit { object["unit"] = .string(unit.rawValue) }
        if let error { object["error"] = error.json }
        return .object(object)
    }
}
