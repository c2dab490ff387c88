import BoundedJSON
import DeviceKit

/// The devices and groups that Zigbee2MQTT lists itself, even if its discovery for Home Assistant is disabled (Lights
/// 8.1).
///
/// The ids are the same as in Zigbee2MQTT's announcements for Home Assistant, so a light that is announced in both
/// ways is still one light.
struct Zigbee2MQTTDiscovery {
    /// Entities with unique names.
    ///
    /// The entity is `nil` while the device's interview isn't complete, or if it isn't supported.
    typealias Things = [(name: String, entity: MQTTEntity?)]

    private static let maximumDevices = 1000
    private static let maximumOutputs = 64
    /// The types of exposes that mark a device whose additional switches are settings.
    private static let controllers: Set = ["climate", "lock", "cover"]

    let base: String
    /// The combined capabilities of each device's lights, by address.
    ///
    /// The value is `nil` while the device's interview isn't complete.
    private var lights: [String: Output?] = [:]
    private var groups: [JSONValue] = []

    init(base: String) { self.base = base }

    /// Parses the message on `BASE/bridge/devices`, the list of all devices.
    ///
    /// - Throws: ``MQTTProblem`` if it is invalid. In that case, nothing changes.
    mutating func devices(_ payload: MQTTPayload) throws(MQTTProblem) -> Things {
        guard let devices = payload.json?.array else { throw MQTTProblem("the list of devices isn't a JSON array") }
        var things: Things = []
        lights = [:]
        for json in devices.prefix(Self.maximumDevices) where json["type"]?.string != "Coordinator" {
            guard let address = json["ieee_address"]?.string, !address.isEmpty, json["disabled"]?.bool != true else {
                continue
            }
            let device = Zigbee2MQTTDevice(base: base, json: json, serial: address)
            guard let exposes = json["definition"]?["exposes"]?.array else {
                things.append((address, nil))
                lights[address] = .some(nil)
                continue
            }
            let isController = exposes.contains { Self.controllers.contains($0["type"]?.string ?? "") }
            let outputs = exposes.lazy.filter { !MQTTValve.isValve($0, of: device) }
                .compactMap { Output($0, isController: isController) }
                .prefix(Self.maximumOutputs)
            for output in outputs {
                let entity = try? entity(output, id: address + output.idSuffix + "_zigbee2mqtt", of: device)
                things.append((address + output.idSuffix, entity))
            }
            for component in MQTTComponents.all {
                for expose in exposes.prefix(Self.maximumOutputs) {
                    guard let entity = try? component.entity(expose, of: device) else { continue }
                    let name = entity.description.id.rawValue
                    // Skip repeated ids. A device has only one fan, and the covers and readings of its endpoints have
                    // different ids.
                    if !things.contains(where: { $0.name == name }) { things.append((name, entity)) }
                }
            }
            things += MQTTActivation.scenes(of: device)
            let own = outputs.filter { $0.kind == .light }
            if let first = own.first { lights[address] = own.dropFirst().reduce(into: first) { $0.join($1) } }
        }
        return things
    }

    /// Parses the message on `BASE/bridge/groups`, the list of all groups.
    ///
    /// - Throws: ``MQTTProblem`` if it is invalid. In that case, nothing changes.
    mutating func take(groups payload: MQTTPayload) throws(MQTTProblem) {
        guard let groups = payload.json?.array else { throw MQTTProblem("the list of groups isn't a JSON array") }
        self.groups = Array(groups.prefix(Self.maximumDevices))
    }

    /// The groups that contain lights, and the scenes of all groups.
    ///
    /// A group has the combined capabilities of its members.
    var groupThings: Things {
        groups.flatMap { MQTTActivation.scenes(of: Zigbee2MQTTDevice(base: base, json: $0, serial: nil)) }
            + lightGroups
    }

    private var lightGroups: Things {
        groups.compactMap { group in
            guard let number = group["id"]?.int, group["friendly_name"]?.string != nil else { return nil }
            let members = (group["members"]?.array ?? []).prefix(Self.maximumDevices)
                .compactMap { $0["ieee_address"]?.string }.compactMap { lights[$0] }
            let known = members.compactMap { $0 }
            guard let first = known.first else { return members.isEmpty ? nil : ("group \(number)", nil) }
            let output = known.dropFirst().reduce(into: first.withoutEndpoint) { $0.join($1) }
            let device = Zigbee2MQTTDevice(base: base, json: group, serial: nil)
            return ("group \(number)", try? entity(output, id: "\(number)_light_zigbee2mqtt", of: device))
        }
    }

    // MARK: Outputs

    /// A light or a switch that an expose describes.
    private struct Output {
        var kind: LightKind
        var endpoint: String?
        /// The name of a switch that isn't the device's main switch; otherwise `nil`.
        var label: String?
        var keys = JSONKeys()
        var modes: Set<MQTTLightSettings.ColorMode> = []
        var mireds: ClosedRange<Int>?
        var isDimmable = false
        var scale = 254

        /// Parses a light or a switch.
        ///
        /// Returns `nil` if the expose isn't a light or a switch, is a setting, or can't be switched.
        ///
        /// - Parameters:
        ///   - json: The expose.
        ///   - isController: `true` if the device is a thermostat, a lock or a cover, whose additional switches are
        ///     settings.
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
                // Use the first color format, which is the bulb's preferred format.
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

        /// Adds the capabilities of another output.
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
        _ output: Output, id: String, of device: Zigbee2MQTTDevice
    ) throws(MQTTProblem) -> MQTTEntity {
        var settings = try device.settings(.json, output.kind)
        settings.modes = output.modes
        settings.brightnessScale = output.scale
        settings.mireds = output.mireds ?? settings.mireds
        settings.jsonKeys = output.keys
        settings.ask(for: output.keys.state)
        return try device.entity(id, settings, part: output.label ?? output.endpoint)
    }
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
    /// The names of properties that are settings on every device that has them.
    static let names: Set = [
        "anti_scaling", "auto_lock", "away_mode", "boost_heating", "child_lock", "eco_mode", "frost_protection",
        "heating_stop", "holiday_mode", "open_window", "scale_protection", "schedule_mode", "valve_detection",
        "window_detection",
    ]

    /// Returns whether an expose is marked as a setting or as a diagnostic value.
    static func isSetting(_ expose: JSONValue) -> Bool {
        ["config", "diagnostic"].contains(expose["category"]?.string ?? "")
    }

    /// Returns whether an entity that is announced to Home Assistant is a setting.
    ///
    /// - Parameters:
    ///   - commandTopic: The topic of its commands. It ends with `/set/PROPERTY` for a setting.
    ///   - device: The identifiers of its device.
    /// - Returns: `true` for a setting of a device or of Zigbee2MQTT itself.
    static func isSetting(commandTopic: String?, device: [String]) -> Bool {
        if device.contains(where: { $0.hasPrefix("zigbee2mqtt_bridge") }) { return true }
        let parts = (commandTopic ?? "").split(separator: "/").suffix(2)
        return parts.first == "set" && names.contains(String(parts.last ?? ""))
    }
}
