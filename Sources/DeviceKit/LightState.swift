internal import HAPModel

/// A command to a light.
///
/// Missing values stay unchanged.
public struct LightCommand: PropertyContainer, Equatable, Sendable {
    /// The requested values, by property.
    public var values: PropertyValues
    /// The duration of the change, for lights that can fade.
    public var transition: Duration?

    /// Creates a command from values.
    ///
    /// - Parameters:
    ///   - values: The requested values.
    ///   - transition: The duration of the change.
    public init(_ values: PropertyValues, transition: Duration? = nil) {
        self.values = values
        self.transition = transition
    }

    /// Creates a command to a light.
    ///
    /// - Parameters:
    ///   - on: Whether to switch the light on or off.
    ///   - brightness: The brightness in percent, 1 to 100.
    ///   - color: The color or white to show.
    ///   - transition: The duration of the change.
    public init(on: Bool? = nil, brightness: Int? = nil, color: LightColor? = nil, transition: Duration? = nil) {
        self.init(PropertyValues(), transition: transition)
        self.on = on
        self.brightness = brightness
        self.color = color
    }

    /// A Boolean value that indicates whether the command is empty.
    public var isEmpty: Bool { values.isEmpty }

    /// Returns the command merged with a newer command.
    package func merging(_ newer: LightCommand) -> LightCommand {
        var merged = self
        merged.merge(newer)
        return merged
    }

    /// Merges a newer command into this one.
    ///
    /// - Parameter newer: The newer command.
    public mutating func merge(_ newer: LightCommand) {
        values.merge(newer.values)
        transition = newer.transition ?? transition
    }
}

/// A driver's report of values of a light.
///
/// Missing values are unchanged or were never known.
public struct LightReport: PropertyContainer, Equatable, Sendable {
    /// The known values, by property.
    public var values: PropertyValues
    /// A Boolean value that indicates whether the light is reachable.
    ///
    /// `false` becomes HAP status -70402 on reads and writes.
    public var reachable: Bool?

    /// A Boolean value that indicates whether the light is known to have been changed by a person, not by a command.
    ///
    /// Otherwise, a report that closely follows a command and differs from it is considered an intermediate step of the
    /// change.
    public var isSpontaneous = false

    /// Creates a report from values.
    ///
    /// - Parameters:
    ///   - values: The known values.
    ///   - reachable: Whether the light is reachable.
    public init(_ values: PropertyValues, reachable: Bool? = nil) {
        self.values = values
        self.reachable = reachable
    }

    /// Creates a report of a light.
    ///
    /// - Parameters:
    ///   - on: Whether the light is on.
    ///   - brightness: The brightness in percent, 1 to 100.
    ///   - color: The color or white.
    ///   - reachable: Whether the light is reachable.
    public init(on: Bool? = nil, brightness: Int? = nil, color: LightColor? = nil, reachable: Bool? = nil) {
        self.init(PropertyValues(), reachable: reachable)
        self.on = on
        self.brightness = brightness
        self.color = color
    }

    /// Creates a report of a sensor.
    ///
    /// - Parameters:
    ///   - readings: The readings.
    ///   - reachable: Whether the sensor is reachable.
    public init(readings: [SensorReading: SensorValue], reachable: Bool? = nil) {
        self.init(PropertyValues(), reachable: reachable)
        self.readings = readings
    }

    /// A Boolean value that indicates whether the report is empty.
    public var isEmpty: Bool { reachable == nil && values.isEmpty }

    /// Merges a newer report into this one.
    ///
    /// - Parameter newer: The newer report.
    public mutating func merge(_ newer: LightReport) {
        values.merge(newer.values)
        reachable = newer.reachable ?? reachable
        isSpontaneous = newer.isSpontaneous || isSpontaneous
    }
}
