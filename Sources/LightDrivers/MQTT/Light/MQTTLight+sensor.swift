import BoundedJSON
internal import Jinja
import LightKit

/// A sensor or a binary sensor of Home Assistant's discovery: one reading (Lights 6.2).
package struct SensorSchema: Equatable, Sendable {
    /// What it reads, and in what form.
    var meaning: SensorClass
    /// After so long without a word, a "yes" has become a "no".
    var offDelay: Duration?
    /// After so long without a word, the value is not known any more.
    var expiry: Duration?

    /// What of an announcement is read; `nil` if it is none of the readings that are shown.
    init?(_ reader: KeyReader, component: String) throws(MQTTProblem) {
        let name = try reader.string("device_class")
        let unit = try reader.string("unit_of_measurement") ?? ""
        let isBinary = component == "binary_sensor"
        guard let meaning = isBinary ? SensorClass(binary: name) : SensorClass(number: name, unit: unit) else {
            guard !isBinary, let problem = SensorClass.unknownUnit(unit, of: name) else { return nil }
            throw .about("unit_of_measurement", problem)
        }
        self.meaning = meaning
        if meaning.reading.isFlag {
            offDelay = try reader.integer("off_delay", in: 0...Self.longest).map { .seconds($0) }
        }
        let seconds = try reader.integer("expire_after", in: 0...Self.longest) ?? 0
        expiry = seconds > 0 ? .seconds(seconds) : nil
    }

    /// A reading that is announced in another way.
    init(_ reading: SensorReading) { meaning = SensorClass(reading) }

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
        guard let text = source.template.map({ value($0, of: payload) }) ?? payload.text,
            let value = value(text, sensor)
        else { return LightReport() }
        lastText = text
        deadlines.off = nil
        if let delay = sensor.offDelay, value == sensor.meaning.flag(true) { deadlines.off = now + delay }
        return LightReport(readings: [sensor.meaning.reading: value])
    }

    /// What a text says; `nil` if it says nothing about this reading.
    func value(_ text: String, _ sensor: SensorSchema) -> SensorValue? {
        let plain = text.trimmingWhitespace
        if ["none", "unknown", "unavailable"].contains(plain.lowercased()) { return .unknown }
        guard !plain.isEmpty else { return nil }
        if sensor.meaning.reading.isFlag {
            if text == settings.stateOn { return sensor.meaning.flag(true) }
            return text == settings.stateOff ? sensor.meaning.flag(false) : nil
        }
        return text.plainNumber.flatMap(sensor.meaning.number)
    }

    /// What is true of a reading before it has said anything: one that falls back to "no" by itself has done so.
    var beginning: LightReport? {
        guard case .sensor(let sensor) = settings.schema, sensor.offDelay != nil else { return nil }
        return LightReport(readings: [sensor.meaning.reading: sensor.meaning.flag(false)])
    }

    /// What has passed by itself.
    mutating func sensorTimePassed(now: Duration) -> LightReport? {
        guard case .sensor(let sensor) = settings.schema else { return nil }
        if let expiry = deadlines.expiry, expiry <= now {
            deadlines = Deadlines()
            return LightReport(readings: [sensor.meaning.reading: .unknown])
        }
        if let off = deadlines.off, off <= now {
            deadlines.off = nil
            return LightReport(readings: [sensor.meaning.reading: sensor.meaning.flag(false)])
        }
        return nil
    }
}
