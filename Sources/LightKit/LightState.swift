/// A colour: a place on the colour wheel or a white.
///
/// A light shows exactly one of the two at a time.
public enum LightColor: Equatable, Sendable {
    /// Hue in degrees, 0 to below 360, and saturation in percent, 0 to 100.
    case hueSaturation(hue: Double, saturation: Double)
    /// A white by its colour temperature in mired (1,000,000 divided by kelvin).
    case temperature(mired: Int)
}

/// What a light is told to do.
///
/// What is `nil` stays as it is.
public struct LightCommand: Equatable, Sendable {
    /// Switch on or off.
    public var on: Bool?
    /// The brightness to go to, in percent, 1 to 100.
    public var brightness: Int?
    /// The colour or white to show.
    public var color: LightColor?
    /// How long the change takes, for lights that can fade.
    public var transition: Duration?

    /// Makes a command.
    ///
    /// - Parameters:
    ///   - on: switch on or off.
    ///   - brightness: in percent, 1 to 100.
    ///   - color: the colour or white to show.
    ///   - transition: how long the change takes.
    public init(on: Bool? = nil, brightness: Int? = nil, color: LightColor? = nil, transition: Duration? = nil) {
        self.on = on
        self.brightness = brightness
        self.color = color
        self.transition = transition
    }

    /// Whether the command asks for nothing.
    public var isEmpty: Bool { on == nil && brightness == nil && color == nil }

    /// The command with what a newer one asks for.
    package func merging(_ newer: LightCommand) -> LightCommand {
        var merged = self
        merged.merge(newer)
        return merged
    }

    /// Takes over what a newer command asks for and keeps the rest.
    ///
    /// - Parameter newer: the command that came later.
    public mutating func merge(_ newer: LightCommand) {
        on = newer.on ?? on
        brightness = newer.brightness ?? brightness
        color = newer.color ?? color
        transition = newer.transition ?? transition
    }
}

/// What a driver has learnt about a light.
///
/// What is `nil` is not known or has not changed.
public struct LightReport: Equatable, Sendable {
    /// Whether the light is on.
    public var on: Bool?
    /// Its brightness in percent, 1 to 100, also while it is off.
    public var brightness: Int?
    /// The colour or white it shows.
    public var color: LightColor?
    /// Whether it can be reached.
    ///
    /// `false` becomes HAP status -70402 on reads and writes.
    public var reachable: Bool?

    /// Whether the driver knows that this is not the light's answer to a command, but somebody at the light.
    ///
    /// Without it, reports that follow a command closely and differ from it are taken for steps on the way.
    public var isSpontaneous = false

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - on: whether the light is on.
    ///   - brightness: in percent, 1 to 100.
    ///   - color: the colour or white it shows.
    ///   - reachable: whether it can be reached.
    public init(on: Bool? = nil, brightness: Int? = nil, color: LightColor? = nil, reachable: Bool? = nil) {
        self.on = on
        self.brightness = brightness
        self.color = color
        self.reachable = reachable
    }

    /// Whether the report says nothing.
    public var isEmpty: Bool { on == nil && brightness == nil && color == nil && reachable == nil }

    /// Takes over what a newer report says and keeps the rest.
    ///
    /// - Parameter newer: the report that came later.
    public mutating func merge(_ newer: LightReport) {
        on = newer.on ?? on
        brightness = newer.brightness ?? brightness
        color = newer.color ?? color
        reachable = newer.reachable ?? reachable
        isSpontaneous = newer.isSpontaneous || isSpontaneous
    }
}
