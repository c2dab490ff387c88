import BoundedJSON
import DeviceKit

/// The readings of a meter in the status of a Shelly device (Lights 9.6).
struct ShellyMeter: Equatable, Sendable {
    /// The members of a status that are readings, with the factors of their units.
    private static let members: [(name: String, reading: SensorReading, factor: Double)] = [
        ("apower", .power, 1), ("voltage", .voltage, 1), ("current", .current, 1),
    ]

    /// The readings that the device has reported so far.
    private(set) var readings: [SensorReading: SensorValue] = [:]

    /// Updates the readings from the status of a component, complete or partial; energy is in watt-hours.
    mutating func merge(_ json: JSONValue) {
        for (name, reading, factor) in Self.members { set(reading, json[name], factor) }
        set(.energy, json["aenergy"]?["total"], 0.001)
    }

    /// Updates the readings from an entry of `meters` of the first generation; energy is in watt-minutes.
    ///
    /// Devices without a meter have an entry without energy.
    mutating func merge(firstGeneration json: JSONValue) {
        guard json["total"]?.double != nil, json["is_valid"]?.bool != false else { return }
        set(.power, json["power"], 1)
        set(.energy, json["total"], 1 / 60_000)
    }

    /// Updates the power from an entry of `rollers` of the first generation, which has no energy.
    mutating func merge(roller json: JSONValue) {
        set(.power, json["is_valid"]?.bool == false ? .null : json["power"], 1)
    }

    /// Creates a meter from an entry of `emeters` of the first generation; energy is in watt-hours.
    init(energyMeter json: JSONValue) {
        guard json["is_valid"]?.bool != false else {
            readings = [.power: .unknown, .energy: .unknown]
            return
        }
        set(.power, json["power"], 1)
        set(.energy, json["total"], 0.001)
        set(.voltage, json["voltage"], 1)
        set(.current, json["current"], 1)
    }

    init() {}

    private mutating func set(_ reading: SensorReading, _ json: JSONValue?, _ factor: Double) {
        guard let json else { return }
        if let value = json.double.flatMap({ SensorValue.number($0 * factor).valid(for: reading) }) {
            readings[reading] = value
        } else if readings[reading] != nil {
            readings[reading] = .unknown
        }
    }
}
