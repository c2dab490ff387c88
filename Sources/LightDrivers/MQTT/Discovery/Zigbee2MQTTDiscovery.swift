import BoundedJSON
import LightKit

/// What Zigbee2MQTT says of its devices and groups, without any discovery for Home Assistant (Lights 8.1).
///
/// The ids are those of its Home Assistant announcements, so that a light that is announced both ways is one.
struct Zigbee2MQTTDiscovery {
    /// Lights and switches by names of their own; `nil` for what is there but has not been asked what it is yet.
    typealias Things = [(name: String, entity: MQTTEntity?)]

    private static let maximumDevices = 1000
    private static let maximumOutputs = 64
    /// The exposes whose device has settings that look like switches.
    private static let controllers: Set = ["climate", "lock", "cover"]

    let base: String
    /// What the lights of each device can do together, by its address; `nil` for one that has not been asked yet.
    private var lights: [String: Output?] = [:]
    private var groups: [JSONValue] = []

    init(base: String) { self.base = base }

    /// Reads the message of `BASE/bridge/devices`, which holds all that there are.
    ///
    /// - Parameters:
    ///   - payload: the message.
    ///   - kinds: what is wanted beside lights and switches: fans, and readings of sensors.
    /// - Returns: the devices' lights and switches, and what else is wanted.
    /// - Throws: ``MQTTProblem`` if it is none that can be understood; nothing has changed then.
    mutating func devices(_ payload: MQTTPayload, kinds: Set<LightKind>) throws(MQTTProblem) -> Things {
        guard let devices = payload.json?.array else { throw MQTTProblem("the list of devices is not a JSON array") }
        var things: Things = []
        lights = [:]
        for device in devices.prefix(Self.maximumDevices) where device["type"]?.string != "Coordinator" {
            guard let address = device["ieee_address"]?.string, !address.isEmpty, device["disabled"]?.bool != true
            else {
                continue
            }
            guard let exposes = device["definition"]?["exposes"]?.array else {
                things.append((address, nil))
                lights[address] = .some(nil)
                continue
            }
            let isController = exposes.contains { Self.controllers.contains($0["type"]?.string ?? "") }
            let outputs = exposes.lazy.compactMap { Output($0, isController: isController) }
                .prefix(Self.maximumOutputs)
            for output in outputs {
                let entity = try? entity(
                    output, id: address + output.idSuffix + "_zigbee2mqtt", of: device, serial: address)
                things.append((address + output.idSuffix, entity))
            }
            if kinds.contains(.fan), let expose = exposes.first(where: { $0["type"]?.string == "fan" }),
                let fan = try? fan(expose, of: device, address)
            {
                things.append(("\(address)_fan", fan))
            }
            if kinds.contains(.sensor) {
                for expose in exposes.prefix(Self.maximumOutputs) {
                    guard let reading = try? reading(expose, of: device, address) else { continue }
                    things.append((reading.description.id.rawValue, reading))
                }
            }
            let own = outputs.filter { $0.kind == .light }
            if let first = own.first { lights[address] = own.dropFirst().reduce(into: first) { $0.join($1) } }
        }
        return things
    }

    /// Reads the message of `BASE/bridge/groups`, which holds all that there are.
    ///
    /// - Throws: ``MQTTProblem`` if it is none that can be understood; nothing has changed then.
    mutating func take(groups payload: MQTTPayload) throws(MQTTProblem) {
        guard let groups = payload.json?.array else { throw MQTTProblem("the list of groups is not a JSON array") }
        self.groups = Array(groups.prefix(Self.maximumDevices))
    }

    /// The groups that have lights; one can do what a member can.
    var groupThings: Things {
        groups.compactMap { group in
            guard let number = group["id"]?.int, group["friendly_name"]?.string != nil else { return nil }
            let members = (group["members"]?.array ?? []).prefix(Self.maximumDevices)
                .compactMap { $0["ieee_address"]?.string }.compactMap { lights[$0] }
            let known = members.compactMap { $0 }
            guard let first = known.first else { return members.isEmpty ? nil : ("group \(number)", nil) }
            let output = known.dropFirst().reduce(into: first.withoutEndpoint) { $0.join($1) }
            return ("group \(number)", try? entity(output, id: "\(number)_light_zigbee2mqtt", of: group, serial: nil))
        }
    }

    // MARK: Fans

    /// A fan as `exposes` describes it: its speed is a number, or one of a few modes; `nil` if it cannot be switched.
    private func fan(
        _ expose: JSONValue, of device: JSONValue, _ address: String
    ) throws(MQTTProblem) -> MQTTEntity? {
        let features = (expose["features"]?.array ?? []).filter { ((($0["access"]?.int ?? 0) & 2) != 0) }
        func feature(_ name: String) -> JSONValue? { features.first { $0["name"]?.string == name } }
        guard let state = feature("state"), let power = Self.property(state),
            let on = state["value_on"], let off = state["value_off"]
        else { return nil }
        var schema = FanSchema()
        var (settings, description) = try common(
            .fan(schema), .fan, id: "\(address)_fan_zigbee2mqtt", of: device, serial: address)
        let topic = settings.power?.topics ?? []
        func source(_ template: String) throws(MQTTProblem) -> MQTTLightSettings.Source {
            var source = MQTTLightSettings.Source(topics: topic)
            source.template = try MessageTemplate(template)
            return source
        }
        let steps = Self.steps(feature("mode")?["values"]?.array ?? [], model: device["definition"]?["model"]?.string)
        if let speed = feature("speed"), let property = Self.property(speed) {
            let slowest = speed["value_min"]?.int ?? 1
            let fastest = speed["value_max"]?.int ?? 254
            if slowest >= 1, slowest < fastest, fastest <= FanSchema.maximumSpeed {
                schema.speeds = FanSpeeds(range: slowest...fastest)
                schema.speed = try source("{{ value_json['\(property)'] }}")
                schema.speedCommand = .init(
                    topic: settings.commandTopic, template: try MessageTemplate(#"{"\#(property)":{{ value }}}"#))
            }
        } else if let mode = feature("mode"), let property = Self.property(mode), !steps.isEmpty {
            let numbers = steps.enumerated().map { "'\($1)': \($0 + 1)" }.joined(separator: ", ")
            let names = steps.enumerated().map { "\($0 + 1): '\($1)'" }.joined(separator: ", ")
            schema.speeds = FanSpeeds(range: 1...steps.count)
            // Other modes have no speed of their own.
            schema.speed = try source("{{ {\(numbers)}[value_json['\(property)']] | default('None') }}")
            schema.speedCommand = .init(
                topic: settings.commandTopic,
                template: try MessageTemplate(#"{"\#(property)":"{{ {\#(names)}[value] }}"}"#))
        }
        settings.schema = .fan(schema)
        settings.power = try source("{{ value_json['\(power)'] }}")
        settings.payloadOn = JSONValue.object([power: on]).text
        settings.payloadOff = JSONValue.object([power: off]).text
        let values = KeyReader(keys: ["value_on": on, "value_off": off])
        settings.stateOn = try values.string("value_on") ?? ""
        settings.stateOff = try values.string("value_off") ?? ""
        let ask = String(settings.commandTopic.dropLast("/set".count)) + "/get"
        settings.poll = MQTTMessage(topic: ask, text: JSONValue.object([power: ""]).text)
        description.capabilities = settings.capabilities
        return MQTTEntity(description, settings: settings)
    }

    /// The modes that are speeds, the slowest first, as Zigbee2MQTT announces them to Home Assistant.
    private static func steps(_ values: [JSONValue], model: String?) -> [String] {
        let known = Set(values.compactMap { $0.string ?? $0.int.map(String.init) })
        var names = ["low", "medium", "high"] + (1...9).map(String.init)
        // This one has a fourth speed under a name that means something else in others.
        if model == "99432" { names.insert("on", at: 3) }
        return names.filter(known.contains)
    }

    /// The property that a feature has in messages; `nil` if it could not stand within a template.
    private static func property(_ expose: JSONValue) -> String? {
        guard let property = expose["property"]?.string, (1...64).contains(property.utf8.count),
            property.unicodeScalars.allSatisfy({
                $0 == "_" || ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
            })
        else { return nil }
        return property
    }

    // MARK: Readings

    /// What a device reads, as `exposes` describes it; `nil` if it is nothing that is shown.
    private func reading(
        _ expose: JSONValue, of device: JSONValue, _ address: String
    ) throws(MQTTProblem) -> MQTTEntity? {
        guard let name = expose["name"]?.string, let property = Self.property(expose) else { return nil }
        let isNumber = expose["type"]?.string == "numeric"
        var sensor: SensorSchema
        switch (name, isNumber, expose["unit"]?.string) {
        case ("temperature", true, let unit):
            guard let meaning = SensorClass(number: name, unit: unit ?? "") else { return nil }
            sensor = SensorSchema(.temperature)
            sensor.meaning = meaning
        case ("humidity", true, _): sensor = SensorSchema(.humidity)
        // Older versions call the raw value illuminance, without a unit.
        case ("illuminance", true, "lx"), ("illuminance_lux", true, _): sensor = SensorSchema(.illuminance)
        case ("battery", true, _): sensor = SensorSchema(.battery)
        case ("occupancy", false, _), ("presence", false, _): sensor = SensorSchema(.occupancy)
        case ("contact", false, _):
            // Its "on" is an open door, as for Home Assistant.
            sensor = SensorSchema(.contact)
            sensor.meaning.isInverted = true
        case ("water_leak", false, _): sensor = SensorSchema(.leak)
        case ("smoke", false, _): sensor = SensorSchema(.smoke)
        case ("battery_low", false, _): sensor = SensorSchema(.batteryLow)
        default: return nil
        }
        let component = isNumber ? "sensor" : "binary_sensor"
        let endpoint = expose["endpoint"]?.string.map { "_\($0)" } ?? ""
        let id = "\(component)/\(address)_\(name)\(endpoint)_zigbee2mqtt"
        var (settings, description) = try common(.sensor(sensor), .sensor, id: id, of: device, serial: address)
        settings.power?.template = try MessageTemplate("{{ value_json['\(property)'] }}")
        let values = KeyReader(keys: [
            "value_on": expose["value_on"] ?? true, "value_off": expose["value_off"] ?? false,
        ])
        settings.stateOn = try values.string("value_on") ?? "True"
        settings.stateOff = try values.string("value_off") ?? "False"
        description.capabilities = settings.capabilities
        var entity = MQTTEntity(description, settings: settings)
        var whole = entity.description
        whole.id = LightID("zigbee2mqtt_\(address)/sensors")
        whole.capabilities = LightCapabilities()
        entity.device = whole
        return entity
    }

    // MARK: One output

    /// A light or a switch as `exposes` describes it.
    private struct Output {
        var kind: LightKind
        var endpoint: String?
        /// The name of a switch that isn't the device's main one.
        var label: String?
        var keys = JSONKeys()
        var modes: Set<MQTTLightSettings.ColorMode> = []
        var mireds: ClosedRange<Int>?
        var isDimmable = false
        var scale = 254

        /// Reads a light or a switch; `nil` if the expose is something else, a setting, or can't be switched.
        ///
        /// - Parameters:
        ///   - json: the expose.
        ///   - isController: whether the device is a thermostat, a lock or a cover, whose extra switches are settings.
        init?(_ json: JSONValue, isController: Bool) {
            switch json["type"]?.string {
            case "light": kind = .light
            case "switch": kind = .switch
            default: return nil
            }
            endpoint = json["endpoint"]?.string
            guard let features = json["features"]?.array,
                let power = features.first(where: { $0["name"]?.string == "state" }),
                ((power["access"]?.int ?? 0) & 2) != 0
            else { return nil }
            if let endpoint { keys.append("_\(endpoint)") }
            let usual = keys.state
            keys.state = power["property"]?.string ?? usual
            keys.on = power["value_on"] ?? keys.on
            keys.off = power["value_off"] ?? keys.off
            if keys.state != usual, keys.state != "state" {
                if isController || Zigbee2MQTTSettings.names.contains(keys.state) { return nil }
                label = json["label"]?.string ?? power["label"]?.string ?? keys.state
            }
            if [json, power].contains(where: Zigbee2MQTTSettings.isSetting) { return nil }
            for feature in features where ((feature["access"]?.int ?? 7) & 2) != 0 {
                switch feature["name"]?.string {
                case "brightness":
                    isDimmable = true
                    keys.brightness = feature["property"]?.string ?? keys.brightness
                    if let scale = feature["value_max"]?.int, (1...65_535).contains(scale) { self.scale = scale }
                case "color_temp":
                    let low = feature["value_min"]?.int ?? 153
                    let high = feature["value_max"]?.int ?? 500
                    guard (1...10_000).contains(low), (low...10_000).contains(high) else { continue }
                    mireds = low...high
                    keys.temperature = feature["property"]?.string ?? keys.temperature
                    modes.insert(.temperature)
                // The bulb prefers the first of the two.
                case "color_hs" where !modes.contains(.xy):
                    modes.insert(.hs)
                    keys.color = feature["property"]?.string ?? keys.color
                case "color_xy" where !modes.contains(.hs):
                    modes.insert(.xy)
                    keys.color = feature["property"]?.string ?? keys.color
                default: break
                }
            }
            if kind == .switch { modes = [] }
            if modes.isEmpty { modes = [isDimmable ? .brightness : .onoff] }
        }

        var idSuffix: String {
            let part = label == nil ? endpoint : keys.state
            return "_\(kind == .light ? "light" : "switch")" + (part.map { "_\($0)" } ?? "")
        }

        var withoutEndpoint: Output {
            var output = self
            output.endpoint = nil
            output.label = nil
            output.keys = JSONKeys()
            return output
        }

        /// Takes over what another can do.
        mutating func join(_ other: Output) {
            isDimmable = isDimmable || other.isDimmable
            if modes.contains(.xy) || !other.modes.contains(.xy) {
                modes.formUnion(other.modes.subtracting([.xy, .hs]))
            }
            if !modes.contains(.hs), !modes.contains(.xy) { modes.formUnion(other.modes.intersection([.xy, .hs])) }
            if modes.count > 1 { modes.subtract([.onoff, .brightness]) }
            if modes.isEmpty || (modes == [.onoff] && isDimmable) { modes = [isDimmable ? .brightness : .onoff] }
            switch (mireds, other.mireds) {
            case (let a?, let b?): mireds = min(a.lowerBound, b.lowerBound)...max(a.upperBound, b.upperBound)
            case (nil, let b): mireds = b
            default: break
            }
        }
    }

    private func entity(
        _ output: Output, id: String, of device: JSONValue, serial: String?
    ) throws(MQTTProblem) -> MQTTEntity {
        var (settings, description) = try common(.json, output.kind, id: id, of: device, serial: serial)
        settings.modes = output.modes
        settings.brightnessScale = output.scale
        settings.mireds = output.mireds ?? settings.mireds
        settings.jsonKeys = output.keys
        let ask = String(settings.commandTopic.dropLast("/set".count)) + "/get"
        settings.poll = MQTTMessage(topic: ask, text: JSONValue.object([output.keys.state: ""]).text)
        description.name += (output.label ?? output.endpoint).map { " \($0)" } ?? ""
        description.capabilities = settings.capabilities
        return MQTTEntity(description, settings: settings)
    }

    /// What all that a device or a group has in common.
    private func common(
        _ schema: MQTTLightSettings.Schema, _ kind: LightKind, id: String, of device: JSONValue, serial: String?
    ) throws(MQTTProblem) -> (settings: MQTTLightSettings, description: LightDescription) {
        guard LightIDRule.accepts(id) else { throw .about("ieee_address", "is \(LightIDRule.sentence)") }
        // A friendly name may have slashes, but no wildcards.
        let topics = KeyReader(keys: ["friendly_name": device["friendly_name"] ?? .null])
        guard let name = try topics.topic("friendly_name") else { throw .about("friendly_name", "is missing") }
        let topic = "\(base)/\(name)"
        var settings = MQTTLightSettings(commandTopic: "\(topic)/set", schema: schema, kind: kind)
        settings.power = .init(topic: topic)
        settings.availability = Availability(
            sources: [
                .init(topic: "\(base)/bridge/state", template: try MessageTemplate(Self.stateTemplate)),
                // A device says whether it can be reached only where that is switched on.
                .init(
                    topic: "\(topic)/availability", template: try MessageTemplate(Self.stateTemplate), isOptional: true),
            ], mode: .all)
        let definition = device["definition"]
        return (
            settings,
            LightDescription(
                id: LightID(id), name: name, kind: kind,
                manufacturer: definition?["vendor"]?.string ?? device["manufacturer"]?.string,
                model: definition?["model"]?.string ?? device["model_id"]?.string, serialNumber: serial,
                firmware: device["software_build_id"]?.string)
        )
    }

    /// Newer versions say `{"state": "online"}`, older ones `online`.
    private static let stateTemplate = "{{ value_json.state if value_json is mapping else value }}"
}

extension JSONKeys {
    /// Adds the suffix that distinguishes the outputs of one device.
    fileprivate mutating func append(_ suffix: String) {
        for key in [\JSONKeys.state, \.brightness, \.color, \.colorMode, \.temperature, \.white] {
            self[keyPath: key] += suffix
        }
    }
}

/// The settings of Zigbee devices that look like switches.
enum Zigbee2MQTTSettings {
    /// Properties that are settings on every device.
    static let names: Set = [
        "anti_scaling", "auto_lock", "away_mode", "boost_heating", "child_lock", "eco_mode", "frost_protection",
        "heating_stop", "holiday_mode", "open_window", "scale_protection", "schedule_mode", "valve_detection",
        "window_detection",
    ]

    /// A Boolean value that indicates whether an expose is marked as a setting or a diagnosis.
    static func isSetting(_ expose: JSONValue) -> Bool {
        ["config", "diagnostic"].contains(expose["category"]?.string ?? "")
    }

    /// Checks an announcement to Home Assistant.
    ///
    /// - Parameters:
    ///   - commandTopic: the topic that changes it; it ends in `/set/PROPERTY` for settings.
    ///   - device: the identifiers of its device.
    /// - Returns: whether it is a setting of a device, or of Zigbee2MQTT itself.
    static func isSetting(commandTopic: String?, device: [String]) -> Bool {
        if device.contains(where: { $0.hasPrefix("zigbee2mqtt_bridge") }) { return true }
        let parts = (commandTopic ?? "").split(separator: "/").suffix(2)
        return parts.first == "set" && names.contains(String(parts.last ?? ""))
    }
}
