/// What happens to a light: what an operator asks of it, or what a simulated one does by itself.
///
/// What is `nil` stays as it is.
package struct LightChange: BridgeMessage {
    package var on: Bool?
    /// Percent, 0 to 100.
    package var brightness: Int?
    /// Degrees, 0 to 360.
    package var hue: Double?
    /// Percent, 0 to 100.
    package var saturation: Double?
    /// Of a light, mired, 50 to 500; of a sensor, degrees Celsius.
    package var temperature: Double?
    /// Whether the light can be reached; only simulated lights can be told.
    package var reachable: Bool?
    /// Of a fan, in percent, 0 to 100.
    package var speed: Int?
    /// Of a fan: `clockwise` or `counterclockwise`.
    package var direction: String?
    /// Of a fan.
    package var oscillates: Bool?
    /// Of a sensor, as what follows.
    package var motion: Bool?
    /// Whether the door is closed.
    package var contact: Bool?
    package var occupancy: Bool?
    package var leak: Bool?
    package var smoke: Bool?
    /// Percent.
    package var humidity: Double?
    /// Lux.
    package var illuminance: Double?
    /// Percent.
    package var battery: Double?
    /// Whether the battery should be replaced soon.
    package var batteryLow: Bool?

    package init(
        on: Bool? = nil, brightness: Int? = nil, hue: Double? = nil, saturation: Double? = nil,
        temperature: Double? = nil, reachable: Bool? = nil
    ) {
        self.on = on
        self.brightness = brightness
        self.hue = hue
        self.saturation = saturation
        self.temperature = temperature
        self.reachable = reachable
    }

    /// Whether everything stays as it is.
    package var isEmpty: Bool { self == LightChange() }

    /// In the order in which listings show them.
    package enum CodingKeys: String, CodingKey {
        case reachable, on, brightness, hue, saturation, speed, direction, oscillates
        case motion, contact, occupancy, leak, smoke, temperature, humidity, illuminance, battery, batteryLow
    }
}
