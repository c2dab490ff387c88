import BoundedJSON
import DeviceKit
import Testing

@testable import LightDrivers

@Suite("The registry of MQTT sensors")
struct MQTTSensorTests {
    private static func house(_ kinds: Set<LightKind> = [.sensor]) -> MQTTHouse {
        MQTTHouse(MQTTDeviceRegistry(prefix: "ha", lights: []), kinds: kinds)
    }

    private static let hall = #""device": {"identifiers": ["hall"], "name": "Hall"}"#

    private static func entity(_ deviceClass: String, _ more: String = "") -> String {
        #"{"unique_id": "hall_\#(deviceClass)", "device_class": "\#(deviceClass)", "state_topic": "s", \#(hall)\#(more)}"#
    }

    @Test(
        "accepts known units of temperature, and warns about other units",
        arguments: [("F", 1, 0), ("°F", 1, 0), ("C", 1, 0), ("", 1, 0), ("furlong", 0, 1)])
    func units(unit: String, added: Int, warnings: Int) {
        var house = MQTTHouse(kinds: [.sensor])
        let actions = house.receives(
            "homeassistant/sensor/t/config",
            #"{"uniq_id": "t", "dev_cla": "temperature", "unit_of_meas": "\#(unit)", "stat_t": "t"}"#)
        #expect(actions.added.count == added && actions.warnings.count == warnings)
    }

    @Test(
        "converts a value by its class and unit, and ignores invalid values",
        arguments: [
            ("sensor", "temperature", "", "21.57", .number(21.57)),
            ("sensor", "temperature", #", "unit_of_measurement": "°F""#, "70.7", .number(21.5)),
            ("sensor", "temperature", #", "unit_of_measurement": "K""#, "273.15", .number(0)),
            ("sensor", "temperature", "", "None", .unknown), ("sensor", "temperature", "", "unavailable", .unknown),
            ("sensor", "temperature", "", "unknown", .unknown), ("sensor", "temperature", "", "", nil),
            ("sensor", "temperature", "", "warm", nil), ("sensor", "temperature", "", "nan", nil),
            ("sensor", "temperature", "", "1e400", nil), ("sensor", "humidity", "", "140", .number(100)),
            ("sensor", "illuminance", #", "unit_of_measurement": "lx""#, " 12 ", .number(12)),
            ("sensor", "battery", #", "unit_of_measurement": "%", "entity_category": "diagnostic""#, "81", .number(81)),
            ("binary_sensor", "motion", "", "ON", .flag(true)), ("binary_sensor", "motion", "", "on", nil),
            ("binary_sensor", "presence", #", "payload_on": 1"#, "1", .flag(true)),
            ("binary_sensor", "door", "", "ON", .flag(false)), ("binary_sensor", "window", "", "OFF", .flag(true)),
            ("binary_sensor", "garage_door", "", "ON", .flag(false)),
            ("binary_sensor", "opening", "", "None", .unknown), ("binary_sensor", "moisture", "", "ON", .flag(true)),
            ("binary_sensor", "battery", "", "ON", .flag(true)),
            (
                "binary_sensor", "smoke", #", "payload_on": true, "value_template": "{{ value_json.smoke }}""#,
                #"{"smoke": true}"#, .flag(true)
            ),
            (
                "sensor", "humidity", #", "value_template": "{{ value_json.hum | is_defined }}""#, #"{"temp": 3}"#,
                nil
            ),
        ] as [(String, String, String, String, SensorValue?)])
    func values(component: String, deviceClass: String, more: String, text: String, value: SensorValue?) {
        var sensors = Self.house()
        // Add another sensor, because a sensor with only a battery isn't shown.
        sensors.receives(
            "ha/sensor/other/config", Self.entity("humidity", #", "object_id": "o""#).replacing("hall_", with: "x_"))
        sensors.receives("ha/\(component)/x/config", Self.entity(deviceClass, more))
        let before = sensors.states.mapValues(\.readings)
        sensors.receives("s", text)
        let changed = sensors.states.values.flatMap { $0.readings.filter { before.values.first?[$0.key] != $0.value } }
        let own = changed.filter { deviceClass == "humidity" || $0.key != .humidity }.map(\.value)
        #expect(Set(own) == Set([value].compactMap { $0 }))
    }

    @Test(
        "skips unsupported classes, diagnostic entities and disabled entities without a warning",
        arguments: [
            ("sensor", "pressure", ""), ("sensor", "aqi", ""), ("binary_sensor", "sound", ""),
            ("sensor", "none", ""),
            ("sensor", "temperature", #", "entity_category": "diagnostic""#),
            ("binary_sensor", "motion", #", "enabled_by_default": false"#),
        ])
    func others(component: String, deviceClass: String, more: String) {
        var sensors = Self.house()
        sensors.receives("ha/\(component)/x/config", Self.entity(deviceClass, more))
        #expect(sensors.added.isEmpty && sensors.warnings.isEmpty && !sensors.subscribed.contains("s"))
    }

    @Test(
        "converts concentrations to HAP's units, and warns about units of other quantities",
        arguments: [
            ("carbon_monoxide", "ppm", "12", 12), ("carbon_monoxide", "mg/m³", "22.912", 20),
            ("carbon_dioxide", "ppm", "640", 640), ("pm25", "ug/m3", "7.5", 7.5), ("pm10", "mg/m³", "0.02", 20),
            ("volatile_organic_compounds", "µg/m³", "130", 130),
            ("volatile_organic_compounds", "\u{3BC}g/m\u{B3}", "130", 130),
            ("volatile_organic_compounds_parts", "ppb", "100", 449.898),
            ("volatile_organic_compounds_parts", "ppm", "20", 65_535), ("nitrogen_dioxide", "ppb", "10", 18.818),
            ("ozone", "ppb", "50", 98.16), ("carbon_monoxide", "ppm", "-3", 0),
            ("carbon_monoxide", "ppm", "5000", 1000),
            ("pm25", "ppm", "1", nil), ("carbon_dioxide", "%", "1", nil),
        ] as [(String, String, String, Double?)])
    func concentrations(deviceClass: String, unit: String, text: String, value: Double?) {
        var sensors = Self.house()
        sensors.receives("ha/sensor/x/config", Self.entity(deviceClass, #", "unit_of_measurement": "\#(unit)""#))
        sensors.receives("s", text)
        #expect(sensors.states.values.first?.readings.values.first == value.map { .number($0) })
        #expect(sensors.warnings.isEmpty == (value != nil))
    }

    @Test("adds a tamper switch to the sensors of its device")
    func tamper() {
        var sensors = Self.house()
        sensors.receives("ha/binary_sensor/t/config", Self.entity("tamper", #", "entity_category": "diagnostic""#))
        #expect(sensors.added.isEmpty)
        sensors.receives("ha/binary_sensor/m/config", Self.entity("smoke"))
        #expect(sensors.added.last?.capabilities.readings == [.smoke, .tamper])
        sensors.receives("s", "ON")
        #expect(sensors.states["hall/sensors"]?.readings[.tamper] == .flag(true))
    }

    @Test(
        "reads the air sensors of Zigbee2MQTT's lists",
        arguments: [
            ("numeric", "co2", #", "unit": "ppm""#, "900", .carbonDioxideLevel, .number(900)),
            ("numeric", "voc", #", "unit": "ppb""#, "100", .voc, .number(449.898)),
            ("numeric", "pm25", #", "unit": "µg/m³""#, "9", .pm25, .number(9)),
            ("numeric", "co", #", "unit": "ppm""#, "30", .carbonMonoxideLevel, .number(30)),
            ("binary", "carbon_monoxide", "", "true", .carbonMonoxide, .flag(true)),
            ("binary", "vibration", "", "true", .motion, .flag(true)),
            ("enum", "air_quality", "", #""poor""#, .airQuality, .number(4)),
            ("enum", "air_quality", "", #""out_of_range""#, .airQuality, .unknown),
        ] as [(String, String, String, String, SensorReading, SensorValue)])
    func zigbee(
        type: String, name: String, more: String, text: String, reading: SensorReading, value: SensorValue
    ) {
        var house = MQTTHouse(MQTTDeviceRegistry(prefix: nil, zigbee2MQTT: "z", lights: []), kinds: [.sensor])
        house.receives(
            "z/bridge/devices",
            #"""
            [{"ieee_address": "0x1", "friendly_name": "air", "type": "EndDevice", "definition": {"exposes": [
              {"type": "\#(type)", "name": "\#(name)", "property": "\#(name)", "access": 1\#(more)}]}}]
            """#)
        house.receives("z/bridge/state", #"{"state":"online"}"#)
        house.receives("z/air", #"{"\#(name)": \#(text)}"#)
        #expect(house.added.first?.capabilities.readings == [reading])
        #expect(house.states.values.first?.readings == [reading: value])
    }

    @Test("combines the announcements of one device into one sensor")
    func joined() {
        var sensors = Self.house()
        for deviceClass in ["temperature", "humidity", "battery"] {
            sensors.receives("ha/sensor/\(deviceClass)/config", Self.entity(deviceClass))
        }
        #expect(sensors.added.map(\.id) == ["hall/sensors"])
        #expect(sensors.added.first?.name == "Hall" && sensors.added.first?.kind == .sensor)
        #expect(sensors.added.first?.capabilities.readings == [.temperature, .humidity, .battery])
        #expect(sensors.states["hall/sensors"]?.reachable == true)

        var whole = Self.house()
        whole.receives(
            "ha/device/hall/config",
            """
            {"dev": {"ids": "hall", "name": "Hall"}, "o": {"name": "x"}, "stat_t": "s", "cmps": {
              "t": {"p": "sensor", "dev_cla": "temperature", "uniq_id": "t", "unit_of_meas": "°C"},
              "m": {"p": "binary_sensor", "dev_cla": "motion", "uniq_id": "m", "off_dly": 5},
              "l": {"p": "light", "uniq_id": "l", "cmd_t": "c", "name": "Lamp"}}}
            """)
        #expect(whole.added.map(\.id.rawValue).sorted() == ["hall/sensors", "l"])
        #expect(whole.added.first { $0.kind == .sensor }?.capabilities.readings == [.temperature, .motion])
    }

    @Test("makes a withdrawn reading unknown, removes it after 5 s, and removes a sensor without readings")
    func withdrawn() {
        var sensors = Self.house()
        sensors.receives("ha/sensor/t/config", Self.entity("temperature"))
        sensors.receives("ha/sensor/h/config", Self.entity("humidity"))
        sensors.receives("s", "20")
        sensors.receives("ha/sensor/t/config", "")
        #expect(sensors.states["hall/sensors"]?.readings[.temperature] == .unknown)
        #expect(sensors.states["hall/sensors"]?.reachable == true)
        sensors.pass(5)
        #expect(sensors.added.last?.capabilities.readings == [.humidity] && sensors.removed.isEmpty)
        sensors.receives("ha/sensor/h/config", "", at: 6)
        #expect(sensors.states["hall/sensors"]?.reachable == false)
        sensors.pass(11)
        #expect(sensors.removed == ["hall/sensors"])
    }

    @Test("ends motion after its delay, and restarts the delay with each message")
    func offDelay() {
        var sensors = Self.house()
        sensors.receives("ha/binary_sensor/m/config", Self.entity("motion", #", "off_delay": 3"#))
        func isMotion() -> SensorValue? { sensors.states["hall/sensors"]?.readings[.motion] }
        #expect(isMotion() == .flag(false))
        sensors.receives("s", "ON", at: 1)
        #expect(isMotion() == .flag(true) && sensors.home.deadline == .seconds(4))
        sensors.receives("s", "ON", at: 3)
        sensors.pass(4)
        #expect(isMotion() == .flag(true))
        sensors.pass(6)
        #expect(isMotion() == .flag(false) && sensors.home.deadline == nil)
    }

    @Test("makes an expired value unknown until the next message")
    func expiry() {
        var sensors = Self.house()
        sensors.receives("ha/sensor/t/config", Self.entity("temperature", #", "expire_after": 60"#))
        sensors.receives("s", "20", at: 10)
        // This message has no valid value, but it restarts the timer.
        sensors.receives("s", "warm", at: 50)
        sensors.pass(70)
        #expect(sensors.states["hall/sensors"]?.readings[.temperature] == .number(20))
        sensors.pass(110)
        #expect(sensors.states["hall/sensors"]?.readings[.temperature] == .unknown)
        sensors.receives("s", "21", at: 111)
        #expect(sensors.states["hall/sensors"]?.readings[.temperature] == .number(21))
    }

    @Test("adds excluded sensors, but doesn't subscribe to their topics")
    func notIncluded() {
        var sensors = Self.house([.light])
        let before = sensors.subscribed
        #expect(before.contains("ha/binary_sensor/+/+/config"))
        sensors.receives("ha/sensor/t/config", Self.entity("temperature"))
        #expect(sensors.added.map(\.kind) == [.sensor] && sensors.subscribed == before)
        // An invalid announcement of a hidden sensor causes no warning.
        sensors.receives("ha/sensor/u/config", #"{"state_topic": 5}"#)
        #expect(sensors.warnings == [])
        sensors.receives("ha/sensor/t/config", "")
        sensors.pass(9)
        #expect(sensors.removed.count == 1)
    }

    @Test("limits the number of readings separately from the number of lights")
    func limit() {
        var sensors = Self.house()
        for number in 0..<MQTTDeviceRegistry.maximumReadings + 1 {
            sensors.receives(
                "ha/sensor/t\(number)/config",
                #"{"unique_id": "\#(number)", "device_class": "temperature", "state_topic": "s\#(number)"}"#)
        }
        #expect(sensors.added.count == MQTTDeviceRegistry.maximumReadings)
        #expect(sensors.warnings.count == 1 && sensors.warnings[0].contains("readings of sensors"))
        sensors.receives("ha/light/l/config", #"{"unique_id": "l", "command_topic": "l"}"#)
        #expect(sensors.added.last?.id == "l")
    }

    @Test("rejects commands to a sensor")
    func command() {
        var sensors = Self.house()
        let temperature = #"{"unique_id": "t", "device_class": "temperature", "state_topic": "s"}"#
        sensors.receives("ha/sensor/t/config", temperature)
        #expect(throws: LightError.self) {
            try sensors.home.messages(for: LightCommand(on: true), to: "sensor/t", now: .zero)
        }
    }

    @Test("counts invalid readings, but not missing readings")
    func unreadable() {
        var sensors = Self.house()
        sensors.receives("ha/sensor/t/config", Self.entity("temperature", #", "value_template": "{{ value_json.t }}""#))
        for text in [#"{"t": 21}"#, #"{"h": 50}"#, #"{"t": null}"#, "{}"] { sensors.receives("s", text) }
        #expect(sensors.home.takeUnreadable() == 0)
        for text in [#"{"t": "hot"}"#, #"{"t": [1]}"#] { sensors.receives("s", text) }
        #expect(sensors.home.takeUnreadable() == 2)
    }

    @Test("rejects a sensor without a state topic")
    func noTopic() {
        var sensors = Self.house()
        sensors.receives("ha/sensor/t/config", #"{"unique_id": "t", "device_class": "temperature"}"#)
        #expect(sensors.warnings.count == 1 && sensors.warnings[0].contains("state_topic is missing"))
    }

    @Test("reads the same sensors from Zigbee2MQTT's device list as from its announcements")
    func zigbee2MQTT() {
        let exposes = """
            {"type": "binary", "name": "contact", "property": "contact", "value_on": false, "value_off": true, "access": 1},
            {"type": "numeric", "name": "temperature", "property": "temperature", "unit": "°C", "access": 1},
            {"type": "numeric", "name": "battery", "property": "battery", "unit": "%", "access": 1},
            {"type": "numeric", "name": "voltage", "property": "voltage", "unit": "mV", "access": 1},
            {"type": "binary", "name": "smoke", "property": "smoke'] }}", "value_on": true, "value_off": false}
            """
        let list = """
            [{"ieee_address": "0x1", "type": "EndDevice", "friendly_name": "front door", "definition":
              {"vendor": "Aqara", "model": "X", "exposes": [\(exposes)]}}]
            """
        var sensors = MQTTHouse(
            MQTTDeviceRegistry(prefix: "ha", zigbee2MQTT: "zigbee2mqtt", lights: []), kinds: [.sensor])
        sensors.receives("zigbee2mqtt/bridge/devices", list)
        let id: LightID = "zigbee2mqtt_0x1/sensors"
        #expect(sensors.added.map(\.id) == [id] && sensors.added[0].name == "front door")
        #expect(sensors.added[0].capabilities.readings == [.contact, .temperature, .battery])
        #expect(sensors.states[id]?.reachable == false)
        sensors.receives("zigbee2mqtt/bridge/state", #"{"state": "online"}"#)
        sensors.receives("zigbee2mqtt/front door", #"{"contact": false, "temperature": 14.72, "battery": 97}"#)
        #expect(sensors.states[id]?.reachable == true)
        #expect(
            sensors.states[id]?.readings == [
                .contact: .flag(false), .temperature: .number(14.72), .battery: .number(97),
            ])
        // The announcement of the same sensor for Home Assistant is ignored.
        sensors.receives(
            "ha/binary_sensor/0x1/contact/config",
            """
            {"device": {"identifiers": ["zigbee2mqtt_0x1"], "name": "front door"}, "device_class": "door",
             "payload_off": true, "payload_on": false, "state_topic": "zigbee2mqtt/front door",
             "unique_id": "0x1_contact_zigbee2mqtt", "value_template": "{{ value_json['contact'] }}"}
            """)
        #expect(sensors.added.count == 1 && sensors.warnings.isEmpty)
        sensors.receives("zigbee2mqtt/bridge/devices", "[]")
        sensors.pass(5)
        #expect(sensors.added.last?.capabilities.readings == [.contact] && sensors.removed.isEmpty)
    }
}
