internal import BoundedJSON
internal import LightKit

// What changes shape from light to light is stored as JSON text; what is searched or must be unique has a column.

extension LightDescription {
    init?(id: LightID, json: String) {
        guard let object = (try? JSONValue(parsing: json))?.object, let name = object["name"]?.string,
            let kind = object["kind"]?.string.flatMap(LightKind.init(rawValue:)),
            let brightness = object["brightness"]?.bool, let color = object["color"]?.bool,
            let transition = object["transition"]?.bool,
            Self.texts.allSatisfy({ object[$0] == nil || object[$0]?.string != nil })
        else { return nil }
        var capabilities = LightCapabilities(brightness: brightness, color: color, transition: transition)
        if let temperature = object["temperature"] {
            guard let range = temperature.array, range.count == 2, let low = range[0].int, let high = range[1].int,
                low <= high
            else { return nil }
            capabilities.temperature = low...high
        }
        self.init(
            id: id, name: name, kind: kind, capabilities: capabilities, manufacturer: object["manufacturer"]?.string,
            model: object["model"]?.string, serialNumber: object["serialNumber"]?.string,
            firmware: object["firmware"]?.string, suggestedRoom: object["suggestedRoom"]?.string)
    }

    private static let texts = ["manufacturer", "model", "serialNumber", "firmware", "suggestedRoom"]

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
        self.init()
        for member in object.members {
            switch member.name {
            case "on":
                guard let value = member.value.bool else { return nil }
                on = value
            case "brightness":
                guard let value = member.value.int else { return nil }
                brightness = value
            case "mired":
                guard let value = member.value.int else { return nil }
                color = .temperature(mired: value)
            case "hue", "saturation":
                guard let hue = object["hue"]?.double, let saturation = object["saturation"]?.double else { return nil }
                color = .hueSaturation(hue: hue, saturation: saturation)
            default: break
            }
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
