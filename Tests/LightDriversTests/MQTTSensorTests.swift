import BoundedJSON
import LightKit
import Testing

@testable import LightDrivers

@Suite("Sensors on MQTT")
struct MQTTSensorTests {
    /// A home that reads sensors, and what it has said so far.
    struct Sensors {
        var home = MQTTHome(prefix: "ha", lights: [])
        var added: [LightDescription] = []
        var removed: [LightID] = []
        var states: [LightID: LightReport] = [:]
        var subscribed: Set<String> = []
        var warnings: [String] = []

        init(kinds: Set<LightKind> = [.sensor], known: [LightID] = []) {
            take(home.started(kinds: kinds, known: known))
            take(home.connected())
        }

        mutating func take(_ actions: [MQTTAction]) {
            for action in actions {
                switch action {
                case .added(let light):
                    added.removeAll { $0.id == light.id }
                    added.append(light)
                case .removed(let id): removed.append(id)
                case .report(let id, let report): states[id, default: LightReport()].merge(report)
                case .subscribe(let topic, _): subscribed.insert(topic)
                case .warn(let text?, _): warnings.append(text)
                default: break
                }
            }
        }

        mutating func receive(_ topic: String, _ text: String, at seconds: Int = 0) {
            take(home.received(topic: topic, payload: MQTTPayload(Array(text.utf8)), now: .seconds(seconds)))
        }

        mutating func pass(_ seconds: Int) { take(home.timePassed(now: .seconds(seconds))) }
    }

    private static let hall = #""device": {"identifiers": ["hall"], "name": "Hall"}"#

    private static func entity(_ deviceClass: String, _ more: String = "") -> String {
        #"{"unique_id": "hall_\#(deviceClass)", "device_class": "\#(deviceClass)", "state_topic": "s", \#(hall)\#(more)}"#
    }

    @Test(
        "a temperature has a known unit, or the unit is named",
        arguments: [("F", 1, 0), ("°F", 1, 0), ("C", 1, 0), ("", 1, 0), ("furlong", 0, 1)])
    func units(unit: String, added: Int, warnings: Int) {
        var house = MQTTHomeTests.House(kinds: [.sensor])
        let actions = house.receives(
            "homeassistant/sensor/t/config",
            #"{"uniq_id": "t", "dev_cla": "temperature", "unit_of_meas": "\#(unit)", "stat_t": "t"}"#)
        #expect(MQTTHomeTests.added(actions).count == added && MQTTHomeTests.warnings(actions).count == warnings)
    }

    @Test(
        "a value is read as its class and unit say; what is no value changes nothing",
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
        var sensors = Sensors()
        // A battery is shown beside something else only.
        sensors.receive(
            "ha/sensor/other/config", Self.entity("humidity", #", "object_id": "o""#).replacing("hall_", with: "x_"))
        sensors.receive("ha/\(component)/x/config", Self.entity(deviceClass, more))
        let before = sensors.states.mapValues(\.readings)
        sensors.receive("s", text)
        let changed = sensors.states.values.flatMap { $0.readings.filter { before.values.first?[$0.key] != $0.value } }
        let own = changed.filter { deviceClass == "humidity" || $0.key != .humidity }.map(\.value)
        #expect(Set(own) == Set([value].compactMap { $0 }))
    }

    @Test(
        "other classes, units and settings are not shown, and nothing is said of them",
        arguments: [
            ("sensor", "pressure", ""), ("binary_sensor", "gas", ""), ("sensor", "none", ""),
            ("sensor", "temperature", #", "entity_category": "diagnostic""#),
            ("binary_sensor", "motion", #", "enabled_by_default": false"#),
        ])
    func others(component: String, deviceClass: String, more: String) {
        var sensors = Sensors()
        sensors.receive("ha/\(component)/x/config", Self.entity(deviceClass, more))
        #expect(sensors.added.isEmpty && sensors.warnings.isEmpty && !sensors.subscribed.contains("s"))
    }

    @Test("three announcements of one device are one sensor, also as parts of one announcement")
    func joined() {
        var sensors = Sensors()
        for deviceClass in ["temperature", "humidity", "battery"] {
            sensors.receive("ha/sensor/\(deviceClass)/config", Self.entity(deviceClass))
        }
        #expect(sensors.added.map(\.id) == ["hall/sensors"])
        #expect(sensors.added.first?.name == "Hall" && sensors.added.first?.kind == .sensor)
        #expect(sensors.added.first?.capabilities.readings == [.temperature, .humidity, .battery])
        #expect(sensors.states["hall/sensors"]?.reachable == true)

        var whole = Sensors()
        whole.receive(
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

    @Test("a reading that is withdrawn is not known, and gone after 5 s; the last one takes the sensor along")
    func withdrawn() {
        var sensors = Sensors()
        sensors.receive("ha/sensor/t/config", Self.entity("temperature"))
        sensors.receive("ha/sensor/h/config", Self.entity("humidity"))
        sensors.receive("s", "20")
        sensors.receive("ha/sensor/t/config", "")
        #expect(sensors.states["hall/sensors"]?.readings[.temperature] == .unknown)
        #expect(sensors.states["hall/sensors"]?.reachable == true)
        sensors.pass(5)
        #expect(sensors.added.last?.capabilities.readings == [.humidity] && sensors.removed.isEmpty)
        sensors.receive("ha/sensor/h/config", "", at: 6)
        #expect(sensors.states["hall/sensors"]?.reachable == false)
        sensors.pass(11)
        #expect(sensors.removed == ["hall/sensors"])
    }

    @Test("motion that never says off is off after its delay, and counts it anew with each message")
    func offDelay() {
        var sensors = Sensors()
        sensors.receive("ha/binary_sensor/m/config", Self.entity("motion", #", "off_delay": 3"#))
        func isMotion() -> SensorValue? { sensors.states["hall/sensors"]?.readings[.motion] }
        #expect(isMotion() == .flag(false))
        sensors.receive("s", "ON", at: 1)
        #expect(isMotion() == .flag(true) && sensors.home.deadline == .seconds(4))
        sensors.receive("s", "ON", at: 3)
        sensors.pass(4)
        #expect(isMotion() == .flag(true))
        sensors.pass(6)
        #expect(isMotion() == .flag(false) && sensors.home.deadline == nil)
    }

    @Test("a value that is too old is not known, until the next message")
    func expiry() {
        var sensors = Sensors()
        sensors.receive("ha/sensor/t/config", Self.entity("temperature", #", "expire_after": 60"#))
        sensors.receive("s", "20", at: 10)
        // Without a value, but a sign of life.
        sensors.receive("s", "warm", at: 50)
        sensors.pass(70)
        #expect(sensors.states["hall/sensors"]?.readings[.temperature] == .number(20))
        sensors.pass(110)
        #expect(sensors.states["hall/sensors"]?.readings[.temperature] == .unknown)
        sensors.receive("s", "21", at: 111)
        #expect(sensors.states["hall/sensors"]?.readings[.temperature] == .number(21))
    }

    @Test("without sensors in what is shown, none of their topics are subscribed, and no announcement is read")
    func notIncluded() {
        var sensors = Sensors(kinds: [.light])
        #expect(!sensors.subscribed.contains { $0.contains("sensor") || $0.contains("fan") })
        sensors.receive("ha/sensor/t/config", Self.entity("temperature"))
        #expect(sensors.added.isEmpty)
        #expect(Sensors().subscribed.contains("ha/binary_sensor/+/+/config"))
        #expect(!Sensors().subscribed.contains { $0.contains("/fan/") })
    }

    @Test("readings are taken up to a limit, and do not take the places of lights")
    func limit() {
        var sensors = Sensors()
        for number in 0..<MQTTHome.maximumReadings + 1 {
            sensors.receive(
                "ha/sensor/t\(number)/config",
                #"{"unique_id": "\#(number)", "device_class": "temperature", "state_topic": "s\#(number)"}"#)
        }
        #expect(sensors.added.count == MQTTHome.maximumReadings)
        #expect(sensors.warnings.count == 1 && sensors.warnings[0].contains("readings of sensors"))
        sensors.receive("ha/light/l/config", #"{"unique_id": "l", "command_topic": "l"}"#)
        #expect(sensors.added.last?.id == "l")
    }

    @Test("a sensor takes no commands")
    func command() {
        var sensors = Sensors()
        sensors.receive("ha/sensor/t/config", #"{"unique_id": "t", "device_class": "temperature", "state_topic": "s"}"#)
        #expect(throws: LightError.self) {
            try sensors.home.messages(for: LightCommand(on: true), to: "sensor/t", now: .zero)
        }
    }

    @Test("a reading that is no value is counted; one that is not there is not")
    func unreadable() {
        var sensors = Sensors()
        sensors.receive("ha/sensor/t/config", Self.entity("temperature", #", "value_template": "{{ value_json.t }}""#))
        for text in [#"{"t": 21}"#, #"{"h": 50}"#, #"{"t": null}"#, "{}"] { sensors.receive("s", text) }
        #expect(sensors.home.takeUnreadable() == 0)
        for text in [#"{"t": "hot"}"#, #"{"t": [1]}"#] { sensors.receive("s", text) }
        #expect(sensors.home.takeUnreadable() == 2)
    }

    @Test("a sensor without a topic to listen to is refused with what is missing")
    func noTopic() {
        var sensors = Sensors()
        sensors.receive("ha/sensor/t/config", #"{"unique_id": "t", "device_class": "temperature"}"#)
        #expect(sensors.warnings.count == 1 && sensors.warnings[0].contains("state_topic is missing"))
    }

    @Test("what Zigbee2MQTT exposes in its own list is the same sensor as by its announcements")
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
        var sensors = Sensors()
        sensors.home = MQTTHome(prefix: "ha", zigbee2MQTT: "zigbee2mqtt", lights: [])
        sensors.take(sensors.home.started(kinds: [.sensor], known: []))
        sensors.take(sensors.home.connected())
        sensors.receive("zigbee2mqtt/bridge/devices", list)
        let id: LightID = "zigbee2mqtt_0x1/sensors"
        #expect(sensors.added.map(\.id) == [id] && sensors.added[0].name == "front door")
        #expect(sensors.added[0].capabilities.readings == [.contact, .temperature, .battery])
        #expect(sensors.states[id]?.reachable == false)
        sensors.receive("zigbee2mqtt/bridge/state", #"{"state": "online"}"#)
        sensors.receive("zigbee2mqtt/front door", #"{"contact": false, "temperature": 14.72, "battery": 97}"#)
        #expect(sensors.states[id]?.reachable == true)
        #expect(
            sensors.states[id]?.readings == [
                .contact: .flag(false), .temperature: .number(14.72), .battery: .number(97),
            ])
        // The same by Home Assistant's discovery stands aside.
        sensors.receive(
            "ha/binary_sensor/0x1/contact/config",
            """
            {"device": {"identifiers": ["zigbee2mqtt_0x1"], "name": "front door"}, "device_class": "door",
             "payload_off": true, "payload_on": false, "state_topic": "zigbee2mqtt/front door",
             "unique_id": "0x1_contact_zigbee2mqtt", "value_template": "{{ value_json['contact'] }}"}
            """)
        #expect(sensors.added.count == 1 && sensors.warnings.isEmpty)
        sensors.receive("zigbee2mqtt/bridge/devices", "[]")
        sensors.pass(5)
        #expect(sensors.added.last?.capabilities.readings == [.contact] && sensors.removed.isEmpty)
    }
}
