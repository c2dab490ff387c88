import BoundedJSON
import DeviceKit
import Jinja

/// A sensor or a binary sensor, which has one reading (Lights 6.2).
struct MQTTSensor: MQTTComponent {
    static let names: Set = ["sensor", "binary_sensor"]
    static let kind = LightKind.sensor
    static let isPart = true
    /// The longest accepted delay in seconds: one year.
    private static let longest = 366 * 86_400

    /// The reading and the format of its values.
    let meaning: SensorClass
    /// The time after the last "on" message at which the reading returns to "off".
    private var offDelay: Duration?
    /// The time without a message after which the value becomes unknown.
    private var expiry: Duration?

    var capabilities: LightCapabilities { .sensor([meaning.reading]) }

    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool {
        try meaning(reader, component: component) != nil
    }

    /// Returns the class of an announced sensor, or `nil` if the class isn't supported.
    private static func meaning(_ reader: KeyReader, component: String) throws(MQTTProblem) -> SensorClass? {
        let name = try reader.string("device_class")
        guard component != "binary_sensor" else { return SensorClass(binary: name) }
        // Zigbee2MQTT announces equivalent carbon dioxide as volatile organic compounds (homeassistant.ts).
        if try reader.string("unique_id")?.hasSuffix("_eco2_zigbee2mqtt") == true {
            return SensorClass(.carbonDioxideLevel)
        }
        let unit = try reader.string("unit_of_measurement") ?? ""
        if let problem = SensorClass.unknownUnit(unit, of: name) { throw .about("unit_of_measurement", problem) }
        return SensorClass(number: name, unit: unit)
    }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        guard let meaning = try Self.meaning(reader, component: component) else {
            throw .about("device_class", "isn't one of the supported classes")
        }
        self.meaning = meaning
        settings.kind = meaning.kind
        if meaning.reading.isFlag {
            offDelay = try reader.integer("off_delay", in: 0...Self.longest).map { .seconds($0) }
        }
        let seconds = try reader.integer("expire_after", in: 0...Self.longest) ?? 0
        expiry = seconds > 0 ? .seconds(seconds) : nil
        settings.power = try reader.source(topic: "state_topic", template: "value_template")
        guard settings.power != nil else {
            throw .about("state_topic", reader.losses.isEmpty ? "is missing" : "has an invalid template")
        }
    }

    /// Creates a sensor of the given class that is found without Home Assistant's discovery.
    init(_ meaning: SensorClass) { self.meaning = meaning }

    // MARK: Zigbee2MQTT

    /// Returns the reading that an expose describes, or `nil` if it isn't supported.
    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        guard let meaning = meaning(expose), let name = expose["name"]?.string, let property = device.property(expose)
        else { return nil }
        var settings = try device.settings(.component(MQTTSensor(meaning)), meaning.kind)
        settings.power = try settings.state("{{ value_json['\(property)'] }}")
        (settings.stateOn, settings.stateOff) = try device.texts(
            expose["value_on"] ?? true, expose["value_off"] ?? false)
        let component = meaning.reading.isFlag ? "binary_sensor" : "sensor"
        let endpoint = expose["endpoint"]?.string.map { "_\($0)" } ?? ""
        let id = "\(component)/\(device.address)_\(name)\(endpoint)_zigbee2mqtt"
        // Add the endpoint to the name of a meter's reading, because the name shows which of several outputs it
        // measures.
        var entity = try device.entity(id, settings, part: meaning.reading.isMeter ? expose["endpoint"]?.string : nil)
        entity.join(LightID("zigbee2mqtt_\(device.address)/sensors"))
        return entity
    }

    private static func meaning(_ expose: JSONValue) -> SensorClass? {
        switch (expose["name"]?.string, expose["type"]?.string == "numeric", expose["unit"]?.string) {
        case ("temperature", true, let unit): return SensorClass(number: "temperature", unit: unit ?? "")
        case ("humidity", true, _): return SensorClass(.humidity)
        // Older versions report a raw value without a unit as `illuminance`, and the value in lux as `illuminance_lux`.
        case ("illuminance", true, "lx"), ("illuminance_lux", true, _): return SensorClass(.illuminance)
        // A voltage in millivolts is the voltage of a battery.
        case ("voltage", true, "mV"): return nil
        case (let name?, true, let unit) where ["power", "energy", "voltage", "current"].contains(name):
            return SensorClass(number: name, unit: unit ?? "")
        case ("battery", true, _): return SensorClass(.battery)
        case ("co2", true, _), ("eco2", true, _): return SensorClass(.carbonDioxideLevel)
        case ("co", true, let unit): return SensorClass(number: "carbon_monoxide", unit: unit ?? "")
        case ("voc", true, let unit): return SensorClass(number: "volatile_organic_compounds", unit: unit ?? "")
        case ("no2", true, let unit): return SensorClass(number: "nitrogen_dioxide", unit: unit ?? "")
        case (let name?, true, let unit) where ["pm25", "pm10", "ozone"].contains(name):
            return SensorClass(number: name, unit: unit ?? "")
        case ("air_quality", false, _) where expose["type"]?.string == "enum": return SensorClass(.airQuality)
        case (let name?, false, _) where ["carbon_monoxide", "gas", "vibration"].contains(name):
            return SensorClass(binary: name)
        case ("tamper", false, _): return SensorClass(.tamper)
        case ("occupancy", false, _), ("presence", false, _): return SensorClass(.occupancy)
        case ("contact", false, _):
            // As in Home Assistant, "on" means an open door.
            return SensorClass(binary: "opening")
        case ("water_leak", false, _): return SensorClass(.leak)
        case ("smoke", false, _): return SensorClass(.smoke)
        case ("battery_low", false, _): return SensorClass(.batteryLow)
        default: return nil
        }
    }

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        guard let source = light.settings.power, source.topics.contains(topic), !payload.bytes.isEmpty else {
            return LightReport()
        }
        // Even a message without a value shows that the sensor works.
        light.deadlines.expiry = expiry.map { now + $0 }
        guard let text = source.template.map({ light.value($0, of: payload) }) ?? payload.text,
            let value = value(text, light.settings)
        else { return LightReport() }
        light.lastText = text
        light.deadlines.off = nil
        if let offDelay, value == meaning.flag(true) { light.deadlines.off = now + offDelay }
        return LightReport(readings: [meaning.reading: value])
    }

    /// Returns the value that a string represents, or `nil` if the string is invalid for this reading.
    private func value(_ text: String, _ settings: MQTTLightSettings) -> SensorValue? {
        let plain = text.trimmingWhitespace
        if ["none", "unknown", "unavailable"].contains(plain.lowercased()) { return .unknown }
        guard !plain.isEmpty else { return nil }
        if meaning.reading.isFlag {
            if text == settings.stateOn { return meaning.flag(true) }
            return text == settings.stateOff ? meaning.flag(false) : nil
        }
        return meaning.value(text)
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        guard let text = light.text(light.settings.power, topic, payload), !text.allSatisfy(\.isWhitespace) else {
            return false
        }
        return value(text, light.settings) == nil
    }

    /// The initial value: "off" if the sensor has an off delay, because such a sensor may never report "off" itself;
    /// otherwise `nil`.
    var beginning: LightReport? {
        offDelay == nil ? nil : LightReport(readings: [meaning.reading: meaning.flag(false)])
    }

    func timePassed(of light: inout MQTTLight, now: Duration) -> LightReport? {
        if let expiry = light.deadlines.expiry, expiry <= now {
            light.deadlines = MQTTLight.Deadlines()
            return LightReport(readings: [meaning.reading: .unknown])
        }
        if let off = light.deadlines.off, off <= now {
            light.deadlines.off = nil
            return LightReport(readings: [meaning.reading: meaning.flag(false)])
        }
        return nil
    }

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        throw .refused("a sensor accepts no commands")
    }
}
