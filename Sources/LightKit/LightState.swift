internal import HAPModel

/// What a light is told to do.
///
/// What is `nil` stays as it is.
public struct LightCommand: PropertyContainer, Equatable, Sendable {
    /// What is asked for, by property.
    public var values: PropertyValues
    /// How long the change takes, for lights that can fade.
    public var transition: Duration?

    /// Makes a command of values.
    ///
    /// - Parameters:
    ///   - values: what is asked for.
    ///   - transition: how long the change takes.
    public init(_ values: PropertyValues, transition: Duration? = nil) {
        self.values = values
        self.transition = transition
    }

    /// Makes a command to a light.
    ///
    /// - Parameters:
    ///   - on: switch on or off.
    ///   - brightness: in percent, 1 to 100.
    ///   - color: the colour or white to show.
    ///   - transition: how long the change takes.
    public init(on: Bool? = nil, brightness: Int? = nil, color: LightColor? = nil, transition: Duration? = nil) {
        self.init(PropertyValues(), transition: transition)
        self.on = on
        self.brightness = brightness
        self.color = color
    }

    /// Whether the command asks for nothing.
    public var isEmpty: Bool { values.isEmpty }

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
        values.merge(newer.values)
        transition = newer.transition ?? transition
    }
}

/// What a driver has learnt about a light.
///
/// What is `nil` is not known or has not changed.
public struct LightReport: PropertyContainer, Equatable, Sendable {
    /// What is known, by property.
    public var values: PropertyValues
    /// Whether it can be reached.
    ///
    /// `false` becomes HAP status -70402 on reads and writes.
    public var reachable: Bool?

    /// Whether the driver knows that this is not the light's answer to a command, but somebody at the light.
    ///
    /// Without it, reports that follow a command closely and differ from it are taken for steps on the way.
    public var isSpontaneous = false

    /// Makes a report of values.
    ///
    /// - Parameters:
    ///   - values: what is known.
    ///   - reachable: whether it can be reached.
    public init(_ values: PropertyValues, reachable: Bool? = nil) {
        self.values = values
        self.reachable = reachable
    }

    /// Makes a report of a light.
    ///
    /// - Parameters:
    ///   - on: whether the light is on.
    ///   - brightness: in percent, 1 to 100.
    ///   - color: the colour or white it shows.
    ///   - reachable: whether it can be reached.
    public init(on: Bool? = nil, brightness: Int? = nil, color: LightColor? = nil, reachable: Bool? = nil) {
        self.init(PropertyValues(), reachable: reachable)
        self.on = on
        self.brightness = brightness
        self.color = color
    }

    /// Makes a report of a sensor.
    ///
    /// - Parameters:
    ///   - readings: what it has read.
    ///   - reachable: whether it can be reached.
    public init(readings: [SensorReading: SensorValue], reachable: Bool? = nil) {
        self.init(PropertyValues(), reachable: reachable)
        self.readings = readings
    }

    /// Whether the report says nothing.
    public var isEmpty: Bool { reachable == nil && values.isEmpty }

    /// Takes over what a newer report says and keeps the rest.
    ///
    /// - Parameter newer: the report that came later.
    public mutating func merge(_ newer: LightReport) {
        values.merge(newer.values)
        reachable = newer.reachable ?? reachable
        isSpontaneous = newer.isSpontaneous || isSpontaneous
    }
}
