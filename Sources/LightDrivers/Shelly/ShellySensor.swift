import BoundedJSON
import DeviceKit

/// The sensor components of a Shelly device that have the same number, for example the temperature and the humidity of
/// one probe (Lights 9.6).
struct ShellySensor: ShellyReadings, Equatable, Sendable {
    private typealias Part = (reading: SensorReading, path: [String])

    /// The kinds of sensor components, with the readings and the paths of their values in the component's status.
    private static let kinds: [String: [Part]] = [
        "temperature": [(.temperature, ["tC"])],
        "humidity": [(.humidity, ["rh"])],
        "illuminance": [(.illuminance, ["lux"])],
        "flood": [(.leak, ["alarm"])],
        "smoke": [(.smoke, ["alarm"])],
        "devicepower": [(.battery, ["battery", "percent"])],
        "pm1": [
            (.power, ["apower"]), (.energy, ["aenergy", "total"]), (.voltage, ["voltage"]), (.current, ["current"]),
        ],
        "em1": [(.power, ["act_power"]), (.voltage, ["voltage"]), (.current, ["current"])],
        "em1data": [(.energy, ["total_act_energy"])],
        // Ignore the voltage and current of a three-phase device, because each phase has different values.
        "em": [(.power, ["total_act_power"])],
        "emdata": [(.energy, ["total_act"])],
    ]

    /// A sensor component.
    struct Component: Hashable, Sendable {
        /// The component's name, such as `temperature:100`.
        let key: String
        let number: Int
        fileprivate let kind: String

        /// Parses a component's name.
        ///
        /// Returns `nil` if the component isn't a sensor.
        init?(_ key: String) {
            guard let (kind, number) = ShellyOutput.parts(of: key), ShellySensor.kinds[kind] != nil else { return nil }
            (self.key, self.kind, self.number) = (key, kind, number)
        }
    }

    let number: Int
    private(set) var name: String?
    private var components: [Component] = []
    private(set) var readings: [SensorReading: SensorValue] = [:]

    init(number: Int) { self.number = number }

    var key: String { "sensor:\(number)" }

    /// Adds a component that has the sensor's number.
    ///
    /// `json` is the component's configuration.
    mutating func add(_ component: Component, _ json: JSONValue) {
        guard let parts = Self.kinds[component.kind] else { return }
        components.append(component)
        name = name ?? json["name"]?.shortText.flatMap { $0.isEmpty ? nil : $0 }
        // Don't add a battery yet, because a device with a battery compartment may be running on mains power.
        for (reading, _) in parts where !reading.isBattery { readings[reading] = .unknown }
    }

    /// Updates the readings from a complete or partial status.
    ///
    /// An invalid value, such as `null` from a failed probe, makes the reading unknown.
    mutating func merge(_ status: JSONValue) {
        for component in components {
            guard let json = status[component.key] else { continue }
            for part in Self.kinds[component.kind] ?? [] { merge(part, json) }
        }
    }

    private mutating func merge(_ part: Part, _ json: JSONValue) {
        let reading = part.reading
        guard let field = part.path.reduce(Optional(json), { $0?[$1] }) else { return }
        // Energy is in watt-hours.
        let factor = reading == .energy ? 0.001 : 1
        let value = field.bool.map { SensorValue.flag($0) } ?? field.double.map { .number($0 * factor) }
        if let value = value?.valid(for: reading) {
            readings[reading] = value
        } else if readings[reading] != nil {
            readings[reading] = .unknown
        }
    }

    /// Copies the readings of the sensor that this sensor replaces after the configuration was read again.
    mutating func keepReadings(of former: ShellySensor) {
        for (reading, value) in former.readings where readings[reading] != nil || reading.isBattery {
            readings[reading] = value
        }
    }
}
