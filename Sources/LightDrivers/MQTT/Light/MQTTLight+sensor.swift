import BoundedJSON
import LightKit

/// A sensor or a binary sensor of Home Assistant's discovery: one reading (Lights 6.2).
package struct SensorSchema: Equatable, Sendable {
    /// What a number is to be turned from.
    enum Unit: Equatable, Sendable {
        case plain, fahrenheit, kelvin

        func plain(_ number: Double) -> Double {
            switch self {
            case .plain: number
            case .fahrenheit: (number - 32) / 1.8
            case .kelvin: number - 273.15
            }
        }
    }

    let reading: SensorReading
    var unit = Unit.plain
    /// Whether a "yes" of the sensor is a "no" here: a door that is open is a contact that is not made.
    var isInverted = false
    /// After so long without a word, a "yes" has become a "no".
    var offDelay: Duration?
    /// After so long without a word, the value is not known any more.
    var expiry: Duration?

    /// What of an announcement is read; `nil` if it is none of the readings that are shown.
    init?(_ reader: KeyReader, component: String) throws(MQTTProblem) {
        let deviceClass = try reader.string("device_class")
        if component == "binary_sensor" {
            switch deviceClass {
            case "motion": reading = .motion
            case "occupancy", "presence": reading = .occupancy
            case "door", "window", "garage_door", "opening":
                reading = .contact
                isInverted = true
            case "moisture": reading = .leak
            case "smoke": reading = .smoke
            case "battery": reading = .batteryLow
            default: return nil
            }
            offDelay = try reader.integer("off_delay", in: 0...Self.longest).map { .seconds($0) }
        } else {
            switch (deviceClass, try reader.string("unit_of_measurement")) {
            case ("temperature", nil), ("temperature", "°C"): reading = .temperature
            case ("temperature", "°F"): (reading, unit) = (.temperature, .fahrenheit)
            case ("temperature", "K"): (reading, unit) = (.temperature, .kelvin)
            case ("humidity", nil), ("humidity", "%"): reading = .humidity
            case ("illuminance", nil), ("illuminance", "lx"): reading = .illuminance
            case ("battery", nil), ("battery", "%"): reading = .battery
            default: return nil
            }
        }
        let seconds = try reader.integer("expire_after", in: 0...Self.longest) ?? 0
        expiry = seconds > 0 ? .seconds(seconds) : nil
    }

    /// A reading that is announced in another way.
    init(_ reading: SensorReading) { self.reading = reading }

    /// A year: longer than that no sensor is waited for.
    private static let longest = 366 * 86_400
}

extension MQTTLight {
    /// What passes by itself of a reading.
    struct Deadlines: Equatable {
        var off: Duration?
        var expiry: Duration?

        var next: Duration? { [off, expiry].compactMap { $0 }.min() }
    }

    mutating func received(
        topic: String, _ payload: MQTTPayload, _ sensor: SensorSchema, now: Duration
    ) -> LightReport {
        guard let source = settings.power, source.topics.contains(topic), !payload.bytes.isEmpty else {
            return LightReport()
        }
        // Also what has no value in it shows that the sensor lives.
        deadlines.expiry = sensor.expiry.map { now + $0 }
        guard let text = source.template.map({ $0.value(of: payload) }) ?? payload.text,
            let value = value(text, sensor)
        else { return LightReport() }
        deadlines.off = nil
        if let delay = sensor.offDelay, value == .flag(!sensor.isInverted) { deadlines.off = now + delay }
        return LightReport(readings: [sensor.reading: value])
    }

    /// What a text says; `nil` if it says nothing about this reading.
    private func value(_ text: String, _ sensor: SensorSchema) -> SensorValue? {
        let plain = text.filter { !$0.isWhitespace }
        if ["none", "unknown", "unavailable"].contains(plain.lowercased()) { return .unknown }
        guard !plain.isEmpty else { return nil }
        if sensor.reading.isFlag {
            if text == settings.stateOn { return .flag(!sensor.isInverted) }
            return text == settings.stateOff ? .flag(sensor.isInverted) : nil
        }
        guard let number = Double(plain) else { return nil }
        let converted = (sensor.unit.plain(number) * 1000).rounded() / 1000
        return SensorValue.number(converted).valid(for: sensor.reading)
    }

    /// What is true of a reading before it has said anything: one that falls back to "no" by itself has done so.
    var beginning: LightReport? {
        guard case .sensor(let sensor) = settings.schema, sensor.offDelay != nil else { return nil }
        return LightReport(readings: [sensor.reading: .flag(sensor.isInverted)])
    }

    /// What has passed by itself.
    mutating func sensorTimePassed(now: Duration) -> LightReport? {
        guard case .sensor(let sensor) = settings.schema else { return nil }
        if let expiry = deadlines.expiry, expiry <= now {
            deadlines = Deadlines()
            return LightReport(readings: [sensor.reading: .unknown])
        }
        if let off = deadlines.off, off <= now {
            deadlines.off = nil
            return LightReport(readings: [sensor.reading: .flag(sensor.isInverted)])
        }
        return nil
    }
}
