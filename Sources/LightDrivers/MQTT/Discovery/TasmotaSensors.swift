import BoundedJSON
import DeviceKit

/// The sensors of Tasmota devices (Lights 8.3).
///
/// One message lists the sensors of a device, and another message contains the device's topics.
///
/// Each chip becomes a sensor with all of the chip's readings. The ids are the same as in hatasmota, Home Assistant's
/// library.
struct TasmotaSensors: Sendable {
    private struct Device: Sendable {
        var common: TasmotaDiscovery.Common?
        var readings: [Reading] = []
    }

    private struct Reading: Equatable, Sendable {
        var chip: String
        var key: String
        var meaning: SensorClass
    }

    private static let maximumDevices = 1500
    private static let maximumReadings = 64

    private var devices: [String: Device] = [:]

    /// Stores the common properties of a device, or removes them if `common` is `nil`.
    mutating func take(_ common: TasmotaDiscovery.Common?, of address: String) {
        change(address) { $0.common = common }
    }

    /// Parses a message on the topic `PREFIX/MAC/sensors`.
    ///
    /// An empty message removes the sensors.
    ///
    /// - Throws: ``MQTTProblem`` if it is invalid. In that case, nothing changes.
    mutating func take(sensors payload: MQTTPayload, of address: String) throws(MQTTProblem) {
        var readings: [Reading] = []
        if !payload.bytes.isEmpty {
            guard let object = payload.json?.object else {
                throw MQTTProblem("the list of sensors isn't a JSON object")
            }
            guard let chips = object["sn"]?.object else { throw .about("sn", "isn't an object") }
            readings = Self.readings(chips)
        }
        change(address) { $0.readings = readings }
    }

    private mutating func change(_ address: String, _ body: (inout Device) -> Void) {
        guard devices[address] != nil || devices.count < Self.maximumDevices else { return }
        var device = devices[address] ?? Device()
        body(&device)
        devices[address] = device.common == nil && device.readings.isEmpty ? nil : device
    }

    /// Returns the readings of a device, with names that are unique within the device.
    ///
    /// There are none until both messages have arrived.
    func things(of address: String) throws(MQTTProblem) -> [(name: String, entity: MQTTEntity)] {
        guard let device = devices[address], let common = device.common else { return [] }
        // A meter joins an output, so it doesn't change the names of sensors.
        let chips = Set(device.readings.filter { !$0.meaning.reading.isMeter }.map(\.chip))
        var things: [(String, MQTTEntity)] = []
        for reading in device.readings {
            let name =
                chips.count == 1 || reading.meaning.reading.isMeter ? common.name : "\(common.name) \(reading.chip)"
            things.append(("\(reading.chip) \(reading.key)", try Self.entity(reading, common, name)))
        }
        return things
    }

    // MARK: Readings

    private static func readings(_ chips: JSONObject) -> [Reading] {
        let isFahrenheit = chips["TempUnit"]?.string == "F"
        var readings: [Reading] = []
        for chip in chips.members {
            // Ignore the temperature of the processor, because it isn't the room's temperature.
            guard chip.name != "ESP32", isPlain(chip.name), let values = chip.value.object else { continue }
            for value in values.members where isPlain(value.name) && readings.count < maximumReadings {
                // A value is null if the device can't read the chip at the moment.
                guard value.value.double != nil || value.value.isNull,
                    let meaning = meaning(of: value.name, isAnalog: chip.name == "ANALOG", isFahrenheit)
                else { continue }
                readings.append(Reading(chip: chip.name, key: value.name, meaning: meaning))
            }
        }
        return readings
    }

    private static func meaning(of key: String, isAnalog: Bool, _ isFahrenheit: Bool) -> SensorClass? {
        // The name of an analog reading ends with the number of its input, which has one digit.
        let name = isAnalog && key.last?.isNumber == true ? String(key.dropLast()) : key
        switch name {
        case "Temperature": return SensorClass(number: "temperature", unit: isFahrenheit ? "°F" : "°C")
        case "Humidity": return SensorClass(.humidity)
        case "Illuminance", "Ambient": return SensorClass(.illuminance)
        case "Battery": return SensorClass(.battery)
        case "CarbonDioxide", "eCO2": return SensorClass(.carbonDioxideLevel)
        case "TVOC": return SensorClass(number: "volatile_organic_compounds_parts", unit: "ppb")
        case "PM2.5": return SensorClass(.pm25)
        case "PM10": return SensorClass(.pm10)
        case "Power": return SensorClass(.power)
        case "Total": return SensorClass(.energy)
        case "Voltage": return SensorClass(.voltage)
        case "Current": return SensorClass(.current)
        default: return nil
        }
    }

    /// Returns whether a key is safe within a template and an id.
    static func isPlain(_ key: String) -> Bool {
        (1...64).contains(key.utf8.count)
            && key.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "),
                    UInt8(ascii: "."), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }

    private static func entity(
        _ reading: Reading, _ common: TasmotaDiscovery.Common, _ name: String
    ) throws(MQTTProblem) -> MQTTEntity {
        var settings = MQTTLightSettings(
            commandTopic: "", schema: .component(MQTTSensor(reading.meaning)), kind: reading.meaning.kind)
        let path = "['\(reading.chip)']['\(reading.key)']"
        settings.power = .init(topics: [common.sensor, common.status])
        // The answer to a query contains the same values in a nested object.
        settings.power?.template = try MessageTemplate(
            "{% if value_json.StatusSNS is defined %}{{ value_json.StatusSNS\(path) }}"
                + "{% else %}{{ value_json\(path) }}{% endif %}")
        // A device that sleeps most of the time always counts as reachable.
        if !common.sleeps { settings.availability = common.availability }
        settings.poll = MQTTMessage(topic: common.question, text: "10")
        let description = LightDescription(
            id: LightID("sensor/\(common.mac)_sensor_sensor_\(reading.chip)_\(reading.key)"), name: name,
            kind: settings.kind,
            capabilities: settings.capabilities, manufacturer: "Tasmota", model: common.model,
            serialNumber: common.mac, firmware: common.firmware)
        var entity = MQTTEntity(description, settings: settings)
        entity.deviceID = common.mac
        entity.join(LightID("\(common.mac)_\(reading.chip)/sensors"))
        return entity
    }
}
