import BoundedJSON
import DeviceKit

// Converts messages of version 1 of the protocol to the descriptions and values that version 2 also uses.

extension JSONValue {
    /// Returns the description of a light, a fan or a sensor from its `caps`.
    func light(_ id: LightID) throws(Problem) -> LightDescription {
        let caps = try member("caps", "an object") { $0.object.map(JSONValue.object) } ?? [:]
        let temperature = try caps.member("ct", "[MIN, MAX] in mired, within 1 to 1000") { json -> ClosedRange<Int>? in
            guard let ends = json.array?.compactMap(\.int), ends.count == 2, json.array?.count == 2,
                1 <= ends[0], ends[0] <= ends[1], ends[1] <= 1000
            else { return nil }
            return ends[0]...ends[1]
        }
        // Devices of other kinds need version 2.
        let kinds: [LightKind] = [.light, .switch, .outlet, .fan, .sensor]
        let names = kinds.map { "\"\($0)\"" }.joined(separator: ", ")
        let kind = try member("kind", "one of \(names)") { $0.string.flatMap(LightKind.init) } ?? .light
        guard kinds.contains(kind) else { throw "\"kind\" must be one of \(names)" }
        var capabilities = LightCapabilities(
            brightness: try caps.flag("dimmable") ?? false, color: try caps.flag("hs") ?? false,
            temperature: temperature, transition: try caps.flag("transition") ?? false)
        capabilities.speed = try caps.flag("speed") ?? false
        capabilities.direction = try caps.flag("direction") ?? false
        capabilities.oscillation = try caps.flag("oscillation") ?? false
        let allReadings = SensorReading.allCases.map(\.rawValue).joined(separator: ", ")
        let readings = try caps.member("readings", "a list with names from \(allReadings)") {
            json -> [SensorReading]? in
            guard let list = json.array, list.count <= SensorReading.allCases.count else { return nil }
            let known = list.compactMap { $0.string.flatMap(SensorReading.init) }
            return known.count == list.count ? known : nil
        }
        capabilities.readings = Set(readings ?? [])
        guard kind != .sensor || !capabilities.readings.isEmpty else {
            throw "a sensor needs \"readings\" in its \"caps\""
        }
        var light = try description(id, kind, [])
        light.capabilities = capabilities
        return light
    }

    /// Returns the values in a `lights/state` message.
    func lightValues() throws(Problem) -> PropertyValues {
        var values = PropertyValues()
        values.on = try flag("on")
        // A brightness of 0 % isn't a level: it only means that the light is off, which "on" reports.
        values.brightness = try member("brightness", "a number from 0 to 100") { json -> Int? in
            json.double.flatMap { (0...100).contains($0) ? Int($0.rounded(.up)) : nil }
        }
        if values.brightness == 0 { values.brightness = nil }
        values.color = try member("color", "{\"hs\": [HUE, SATURATION]} or {\"ct\": MIRED}") { json in
            if let mired = json["ct"]?.int { return .temperature(mired: mired) }
            guard let pair = json["hs"]?.array?.compactMap(\.double), pair.count == 2, json["hs"]?.array?.count == 2,
                let (hue, saturation) = ColorConversion.hueSaturation(hue: pair[0], saturation: pair[1])
            else { return nil }
            return .hueSaturation(hue: hue, saturation: saturation)
        }
        values.speed = try member("speed", "a number from 0 to 100") { json -> Int? in
            json.double.flatMap { (0...100).contains($0) ? Int($0.rounded(.up)) : nil }
        }
        if values.speed == 0 { values.speed = nil }
        values.direction = try member("direction", "\"clockwise\" or \"counterclockwise\"") {
            $0.string.flatMap(FanDirection.init)
        }
        values.oscillates = try flag("oscillates")
        values.readings = try readings()
        return values
    }

    /// Returns the readings of a sensor.
    ///
    /// `null` means that a reading is unknown.
    private func readings() throws(Problem) -> [SensorReading: SensorValue] {
        let values = try member("readings", "an object") { $0.object } ?? [:]
        var readings: [SensorReading: SensorValue] = [:]
        for reading in SensorReading.allCases {
            guard let json = values[reading.rawValue] else { continue }
            let value = json.isNull ? .unknown : json.bool.map(SensorValue.flag) ?? json.double.map(SensorValue.number)
            guard let value = value?.valid(for: reading) else {
                throw "\"\(reading.rawValue)\" must be \(reading.isFlag ? "true or false" : "a number"), or null"
            }
            readings[reading] = value
        }
        return readings
    }
}
