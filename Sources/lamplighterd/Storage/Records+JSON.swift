internal import BoundedJSON
internal import Foundation
internal import HAPAccessory
internal import HAPModel
internal import LightKit

/// Bytes on their way into and out of SQLite.
struct Blob {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(_ data: Data) { bytes = Array(data) }

    var data: Data { Data(bytes) }
}

// What changes shape from light to light is stored as JSON text; what is searched or must be unique has a column.

extension InstanceIDs {
    init?(json: String) {
        guard let object = (try? JSONValue(parsing: json))?.object else { return nil }
        var ids: [String: InstanceID] = [:]
        for member in object.members {
            guard let number = member.value.unsignedInteger, number > 0 else { return nil }
            ids[member.name] = InstanceID(number)
        }
        guard Set(ids.values).count == ids.count else { return nil }
        self.init(ids: ids)
    }

    var json: String {
        var object = JSONObject()
        for (part, id) in ids.sorted(by: { $0.value < $1.value }) { object[part] = .unsigned(id.rawValue) }
        return JSONValue.object(object).text
    }
}

extension LightDescription {
    init?(id: LightID, json: String) {
        guard let object = (try? JSONValue(parsing: json))?.object, let name = object["name"]?.string,
            let kind = object["kind"]?.string.flatMap(LightKind.init(rawValue:))
        else { return nil }
        var capabilities = LightCapabilities(
            brightness: object["brightness"]?.bool ?? false, color: object["color"]?.bool ?? false,
            transition: object["transition"]?.bool ?? false)
        if let range = object["temperature"]?.array, range.count == 2, let low = range[0].int, let high = range[1].int,
            low <= high
        {
            capabilities.temperature = low...high
        }
        self.init(
            id: id, name: name, kind: kind, capabilities: capabilities, manufacturer: object["manufacturer"]?.string,
            model: object["model"]?.string, serialNumber: object["serialNumber"]?.string,
            firmware: object["firmware"]?.string, suggestedRoom: object["suggestedRoom"]?.string)
    }

    var json: String {
        var object: JSONObject = [
            "name": .string(name), "kind": .string(kind.rawValue), "brightness": .bool(capabilities.brightness),
            "color": .bool(capabilities.color), "transition": .bool(capabilities.transition),
        ]
        if let range = capabilities.temperature {
            object["temperature"] = [.integer(Int64(range.lowerBound)), .integer(Int64(range.upperBound))]
        }
        object["manufacturer"] = manufacturer.map { .string($0) }
        object["model"] = model.map { .string($0) }
        object["serialNumber"] = serialNumber.map { .string($0) }
        object["firmware"] = firmware.map { .string($0) }
        object["suggestedRoom"] = suggestedRoom.map { .string($0) }
        return JSONValue.object(object).text
    }
}

extension LightReport {
    init?(json: String) {
        guard let object = (try? JSONValue(parsing: json))?.object else { return nil }
        self.init(on: object["on"]?.bool, brightness: object["brightness"]?.int)
        if let mired = object["mired"]?.int {
            color = .temperature(mired: mired)
        } else if let hue = object["hue"]?.double, let saturation = object["saturation"]?.double {
            color = .hueSaturation(hue: hue, saturation: saturation)
        }
    }

    var json: String {
        var object = JSONObject()
        object["on"] = on.map { .bool($0) }
        object["brightness"] = brightness.map { .integer(Int64($0)) }
        switch color {
        case .hueSaturation(let hue, let saturation)?:
            object["hue"] = .number(hue)
            object["saturation"] = .number(saturation)
        case .temperature(let mired)?: object["mired"] = .integer(Int64(mired))
        case nil: break
        }
        return JSONValue.object(object).text
    }
}
