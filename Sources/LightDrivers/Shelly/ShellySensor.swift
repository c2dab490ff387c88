import BoundedJSON
import DeviceKit

/// What a Shelly device senses under one number: temperature and humidity of one probe, say (Lights 9.6).
struct ShellySensor: Equatable, Sendable {
    /// The components that sense, each with the field of its status.
    private static let kinds: [String: (reading: SensorReading, path: [String])] = [
        "temperature": (.temperature, ["tC"]),
        "humidity": (.humidity, ["rh"]),
        "illuminance": (.illuminance, ["lux"]),
        "flood": (.leak, ["alarm"]),
        "smoke": (.smoke, ["alarm"]),
        "devicepower": (.battery, ["battery", "percent"]),
    ]

    /// A component that senses, as its name says it.
    struct Component: Hashable, Sendable {
        /// As `temperature:100`.
        let key: String
        let number: Int
        fileprivate let kind: String

        /// `nil` if it is none that senses.
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

    /// Its name within the device.
    var key: String { "sensor:\(number)" }

    /// Adds a component of its number, with its configuration.
    mutating func add(_ component: Component, _ json: JSONValue) {
        guard let (reading, _) = Self.kinds[component.kind] else { return }
        components.append(component)
        name = name ?? json["name"]?.shortText.flatMap { $0.isEmpty ? nil : $0 }
        // A device may have a place for a battery and be fed from the mains.
        if !reading.isBattery { readings[reading] = .unknown }
    }

    /// Takes what a device's status says, whole or in part; a probe that cannot be read says `null`.
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

    /// Its readings as they were before its configuration was read again.
    mutating func keepReadings(of former: ShellySensor) {
        for (reading, value) in former.readings where readings[reading] != nil || reading.isBattery {
            readings[reading] = value
        }
    }
}
