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

    /// In the order in which listings show them.
    package enum CodingKeys: String, CodingKey {
        case reachable, on, brightness, hue, saturation, temperature
    }
}
