import BoundedJSON
import DeviceKit

/// The readings in the answer of a meter (Lights 9.5).
enum KasaMeter {
    /// The fields of an answer: `name` in the base unit from older firmware, `small` in thousandths from newer
    /// firmware.
    private static let members: [(reading: SensorReading, name: String, small: String)] = [
        (.power, "power", "power_mw"), (.energy, "total", "total_wh"), (.voltage, "voltage", "voltage_mv"),
        (.current, "current", "current_ma"),
    ]

    /// Returns the readings of an answer.
    ///
    /// An invalid value counts as unknown.
    static func readings(_ json: JSONValue) -> [SensorReading: SensorValue] {
        var readings: [SensorReading: SensorValue] = [:]
        for (reading, name, small) in members {
            guard let value = json[small] ?? json[name] else { continue }
            let number = value.double.map { json[small] == nil ? $0 : $0 / 1000 }
            readings[reading] = number.flatMap { SensorValue.number($0).valid(for: reading) } ?? .unknown
        }
        return readings
    }
}
