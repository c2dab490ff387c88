internal import BoundedJSON
internal import LightKit

// What changes shape from light to light is stored as JSON text; what is searched or must be unique has a column.

extension LightDescription {
    /// All but the id.
    private struct Stored: Codable {
        var name: String
        var kind: String
        var brightness: Bool
        var color: Bool
        var transition: Bool
        /// The lowest and the highest, in mired.
        var temperature: [Int]?
        var manufacturer: String?
        var model: String?
        var serialNumber: String?
        var firmware: String?
        var suggestedRoom: String?
    }

    init?(id: LightID, json: String) {
        guard let stored = try? JSONValue(parsing: json).decoded(as: Stored.self),
            let kind = LightKind(rawValue: stored.kind)
        else { return nil }
        var capabilities = LightCapabilities(
            brightness: stored.brightness, color: stored.color, transition: stored.transition)
        if let range = stored.temperature {
            guard range.count == 2, range[0] <= range[1] else { return nil }
            capabilities.temperature = range[0]...range[1]
        }
        self.init(
            id: id, name: stored.name, kind: kind, capabilities: capabilities, manufacturer: stored.manufacturer,
            model: stored.model, serialNumber: stored.serialNumber, firmware: stored.firmware,
            suggestedRoom: stored.suggestedRoom)
    }

    var json: String {
        let stored = Stored(
            name: name, kind: kind.rawValue, brightness: capabilities.brightness, color: capabilities.color,
            transition: capabilities.transition,
            temperature: capabilities.temperature.map { [$0.lowerBound, $0.upperBound] }, manufacturer: manufacturer,
            model: model, serialNumber: serialNumber, firmware: firmware, suggestedRoom: suggestedRoom)
        return JSONValue(encoding: stored).text
    }
}

extension LightReport {
    private struct Stored: Codable {
        var on: Bool?
        var brightness: Int?
        var hue: Double?
        var saturation: Double?
        var mired: Int?
    }

    init?(json: String) {
        guard let stored = try? JSONValue(parsing: json).decoded(as: Stored.self),
            (stored.hue == nil) == (stored.saturation == nil)
        else { return nil }
        self.init()
        on = stored.on
        brightness = stored.brightness
        if let hue = stored.hue, let saturation = stored.saturation {
            color = .hueSaturation(hue: hue, saturation: saturation)
        } else if let mired = stored.mired {
            color = .temperature(mired: mired)
        }
    }

    var json: String {
        var stored = Stored(on: on, brightness: brightness)
        switch color {
        case .hueSaturation(let hue, let saturation)?: (stored.hue, stored.saturation) = (hue, saturation)
        case .temperature(let mired)?: stored.mired = mired
        case nil: break
        }
        return JSONValue(encoding: stored).text
    }
}
