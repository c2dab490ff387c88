/// A colour: a place on the colour wheel or a white.
///
/// A light shows exactly one of the two at a time.
public enum LightColor: Equatable, Sendable {
    /// Hue in degrees, 0 to below 360, and saturation in percent, 0 to 100.
    case hueSaturation(hue: Double, saturation: Double)
    /// A white by its colour temperature in mired (1,000,000 divided by kelvin).
    case temperature(mired: Int)
}

/// Which way a fan turns, seen from below or in front of it.
public enum FanDirection: String, CaseIterable, Hashable, Sendable {
    case clockwise, counterclockwise
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
    /// The speed of a fan, in percent, 1 to 100.
    public var speed: Int?
    /// Which way a fan is to turn.
    public var direction: FanDirection?
    /// Whether a fan is to oscillate.
    public var oscillates: Bool?

    /// Makes a command to a light.
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
    public var isEmpty: Bool {
        on == nil && brightness == nil && color == nil && speed == nil && direction == nil && oscillates == nil
    }

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
        speed = newer.speed ?? speed
        direction = newer.direction ?? direction
        oscillates = newer.oscillates ?? oscillates
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
    /// The speed of a fan in percent, 1 to 100, also while it is off.
    public var speed: Int?
    /// Which way a fan turns.
    public var direction: FanDirection?
    /// Whether a fan oscillates.
    public var oscillates: Bool?
    /// What a sensor has read; what is not in it is not known or has not changed.
    public var readings: [SensorReading: SensorValue] = [:]
    /// Whether it can be reached.
    ///
    /// `false` becomes HAP status -70402 on reads and writes.
    public var reachable: Bool?

    /// Whether the driver knows that this is not the light's answer to a command, but somebody at the light.
    ///
    /// Without it, reports that follow a command closely and differ from it are taken for steps on the way.
    public var isSpontaneous = false

    /// Makes a report of a light.
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

    /// Makes a report of a sensor.
    ///
    /// - Parameters:
    ///   - readings: what it has read.
    ///   - reachable: whether it can be reached.
    public init(readings: [SensorReading: SensorValue], reachable: Bool? = nil) {
        self.readings = readings
        self.reachable = reachable
    }

    /// Whether the report says nothing.
    public var isEmpty: Bool { reachable == nil && !saysWhatItShows }

    /// Whether it says more than that the light can be reached.
    package var saysWhatItShows: Bool {
        on != nil || brightness != nil || color != nil || speed != nil || direction != nil || oscillates != nil
            || !readings.isEmpty
    }

    /// Takes over what a newer report says and keeps the rest.
    ///
    /// - Parameter newer: the report that came later.
    public mutating func merge(_ newer: LightReport) {
        on = newer.on ?? on
        brightness = newer.brightness ?? brightness
        color = newer.color ?? color
        speed = newer.speed ?? speed
        direction = newer.direction ?? direction
        oscillates = newer.oscillates ?? oscillates
        if !newer.readings.isEmpty { readings.merge(newer.readings) { $1 } }
        reachable = newer.reachable ?? reachable
        isSpontaneous = newer.isSpontaneous || isSpontaneous
    }
}
