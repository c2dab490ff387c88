internal import HAPModel

/// A command to a light; missing values stay unchanged.
public struct LightCommand: PropertyContainer, Equatable, Sendable {
    /// The requested values, by property.
    public var values: PropertyValues
    /// How long the change takes, for lights that can fade.
    public var transition: Duration?

    /// Makes a command of values.
    ///
    /// - Parameters:
    ///   - values: the requested values.
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

    /// A Boolean value that indicates whether the command is empty.
    public var isEmpty: Bool { values.isEmpty }

    /// Returns the command merged with a newer one.
    package func merging(_ newer: LightCommand) -> LightCommand {
        var merged = self
        merged.merge(newer)
        return merged
    }

    /// Merges a newer command into this one.
    ///
    /// - Parameter newer: the command that came later.
    public mutating func merge(_ newer: LightCommand) {
        values.merge(newer.values)
        transition = newer.transition ?? transition
    }
}

/// Values that a driver has learned of a light; missing values are unchanged or never known.
public struct LightReport: PropertyContainer, Equatable, Sendable {
    /// The known values, by property.
    public var values: PropertyValues
    /// Whether it can be reached.
    ///
    /// `false` becomes HAP status -70402 on reads and writes.
    public var reachable: Bool?

    /// Whether the driver knows that a person changed the light, and no command did.
    ///
    /// Without it, reports that follow a command closely and differ from it are taken for steps on the way.
    public var isSpontaneous = false

    /// Makes a report of values.
    ///
    /// - Parameters:
    ///   - values: the known values.
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
    ///   - readings: its readings.
    ///   - reachable: whether it can be reached.
    public init(readings: [SensorReading: SensorValue], reachable: Bool? = nil) {
        self.init(PropertyValues(), reachable: reachable)
        self.readings = readings
    }

    /// A Boolean value that indicates whether the report is empty.
    public var isEmpty: Bool { reachable == nil && values.isEmpty }

    /// Merges a newer report into this one.
    ///
    /// - Parameter newer: the report that came later.
    public mutating func merge(_ newer: LightReport) {
        values.merge(newer.values)
        reachable = newer.reachable ?? reachable
        isSpontaneous = newer.isSpontaneous || isSpontaneous
    }
}
