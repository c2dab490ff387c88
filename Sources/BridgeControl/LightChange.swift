package import BoundedJSON

/// What happens to a light: what an operator asks of it, or what a simulated one does by itself.
///
/// What is `nil` stays as it is.
package struct LightChange: JSONConvertible {
    package var on: Bool?
    /// Percent, 0 to 100.
    package var brightness: Int?
    /// Degrees, 0 to 360.
    package var hue: Double?
    /// Percent, 0 to 100.
    package var saturation: Double?
    /// Mired, 50 to 500.
    package var temperature: Int?
    /// Whether the light can be reached; only simulated lights can be told.
    package var reachable: Bool?

    package init(
        on: Bool? = nil, brightness: Int? = nil, hue: Double? = nil, saturation: Double? = nil,
        temperature: Int? = nil, reachable: Bool? = nil
    ) {
        self.on = on
        self.brightness = brightness
        self.hue = hue
        self.saturation = saturation
        self.temperature = temperature
        self.reachable = reachable
    }

    package var isEmpty: Bool { self == LightChange() }

    package init(json: JSONValue) throws(BridgeControlError) {
        on = try json.optional("on", \.bool)
        brightness = try json.optional("brightness", \.int)
        hue = try json.optional("hue", \.double)
        saturation = try json.optional("saturation", \.double)
        temperature = try json.optional("temperature", \.int)
        reachable = try json.optional("reachable", \.bool)
    }

    /// The changes as members, in the order in which listings show them.
    package var members: JSONObject {
        var object = JSONObject()
        object["reachable"] = reachable.map(JSONValue.bool)
        object["on"] = on.map(JSONValue.bool)
        object["brightness"] = brightness.map(JSONValue.integer)
        object["hue"] = hue.map(JSONValue.number)
        object["saturation"] = saturation.map(JSONValue.number)
        object["temperature"] = temperature.map(JSONValue.integer)
        return object
    }

    package var json: JSONValue { .object(members) }
}
