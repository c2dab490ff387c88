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
        var speed: Bool?
        var direction: Bool?
        var oscillation: Bool?
        /// In order; a later version may know more of them.
        var readings: [String]?
        var optimistic: Bool?
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
        capabilities.speed = stored.speed ?? false
        capabilities.direction = stored.direction ?? false
        capabilities.oscillation = stored.oscillation ?? false
        capabilities.readings = Set((stored.readings ?? []).compactMap(SensorReading.init))
        self.init(
            id: id, name: stored.name, kind: kind, capabilities: capabilities, manufacturer: stored.manufacturer,
            model: stored.model, serialNumber: stored.serialNumber, firmware: stored.firmware,
            suggestedRoom: stored.suggestedRoom)
        isOptimistic = stored.optimistic ?? false
    }

    var json: String {
        var stored = Stored(
            name: name, kind: kind.rawValue, brightness: capabilities.brightness, color: capabilities.color,
            transition: capabilities.transition,
            temperature: capabilities.temperature.map { [$0.lowerBound, $0.upperBound] }, manufacturer: manufacturer,
            model: model, serialNumber: serialNumber, firmware: firmware, suggestedRoom: suggestedRoom)
        // What no light has is left out, so that a light is stored as ever.
        if capabilities.speed { stored.speed = true }
        if capabilities.direction { stored.direction = true }
        if capabilities.oscillation { stored.oscillation = true }
        if !capabilities.readings.isEmpty { stored.readings = capabilities.readings.sorted().map(\.rawValue) }
        if isOptimistic { stored.optimistic = true }
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
        var speed: Int?
        var direction: String?
        var oscillates: Bool?
        var flags: [String: Bool]?
        var numbers: [String: Double]?
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
        speed = stored.speed
        direction = stored.direction.flatMap(FanDirection.init)
        oscillates = stored.oscillates
        for (name, flag) in stored.flags ?? [:] { SensorReading(rawValue: name).map { readings[$0] = .flag(flag) } }
        for (name, number) in stored.numbers ?? [:] {
            SensorReading(rawValue: name).map { readings[$0] = .number(number) }
        }
    }

    var json: String {
        var stored = Stored(on: on, brightness: brightness)
        switch color {
        case .hueSaturation(let hue, let saturation)?: (stored.hue, stored.saturation) = (hue, saturation)
        case .temperature(let mired)?: stored.mired = mired
        case nil: break
        }
        stored.speed = speed
        stored.direction = direction?.rawValue
        stored.oscillates = oscillates
        for (reading, value) in readings {
            switch value {
            case .flag(let flag): stored.flags = (stored.flags ?? [:]).merging([reading.rawValue: flag]) { $1 }
            case .number(let number):
                stored.numbers = (stored.numbers ?? [:]).merging([reading.rawValue: number]) { $1 }
            case .unknown: break
            }
        }
        return JSONValue(encoding: stored).text
    }
}
