import BoundedJSON
import DeviceKit

/// The sensor components of a Shelly device that have the same number, for example the temperature and the humidity of
/// one probe (Lights 9.6).
struct ShellySensor: Equatable, Sendable {
    /// The kinds of sensor components, with the reading and the path of its value in the component's status.
    private static let kinds: [String: (reading: SensorReading, path: [String])] = [
        "temperature": (.temperature, ["tC"]),
        "humidity": (.humidity, ["rh"]),
        "illuminance": (.illuminance, ["lux"]),
        "flood": (.leak, ["alarm"]),
        "smoke": (.smoke, ["alarm"]),
        "devicepower": (.battery, ["battery", "percent"]),
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

    /// The name of the sensor within the device, from which its id is made.
    var key: String { "sensor:\(number)" }

    /// Adds a component that has the sensor's number.
    ///
    /// `json` is the component's configuration.
    mutating func add(_ component: Component, _ json: JSONValue) {
        guard let (reading, _) = Self.kinds[component.kind] else { return }
        components.append(component)
        name = name ?? json["name"]?.shortText.flatMap { $0.isEmpty ? nil : $0 }
        // Don't add a battery yet, because a device with a battery compartment may be running on mains power.
        if !reading.isBattery { readings[reading] = .unknown }
    }

    /// Updates the readings from a complete or partial status.
    ///
    /// An invalid value, such as `null` from a failed probe, makes the reading unknown.
    mutating func merge(_ status: JSONValue) {
        for component in components {
            guard let (reading, path) = Self.kinds[component.kind], let json = status[component.key],
                let field = path.reduce(Optional(json), { $0?[$1] })
            else { continue }
            let value = field.bool.map { SensorValue.flag($0) } ?? field.double.map { .number($0) }
            if let value = value?.valid(for: reading) {
                readings[reading] = value
            } else if readings[reading] != nil {
                readings[reading] = .unknown
            }
        }
    }

    /// Copies the readings of the sensor that this one replaces after the configuration was read again.
    mutating func keepReadings(of former: ShellySensor) {
        for (reading, value) in former.readings where readings[reading] != nil || reading.isBattery {
            readings[reading] = value
        }
    }
}
