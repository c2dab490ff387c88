import BoundedJSON
import LightKit

/// What Zigbee2MQTT says of its devices and groups, without any discovery for Home Assistant (Lights 8.1).
///
/// The ids are those of its Home Assistant announcements, so that a light that is announced both ways is one.
struct Zigbee2MQTTDiscovery {
    /// Lights and switches by name of their own; `nil` for a device that is there but has not been asked what it is yet.
    let things: [(name: String, entity: MQTTEntity?)]

    private static let maximumDevices = 1000

    /// Reads the message of `BASE/bridge/devices`.
    ///
    /// - Throws: ``MQTTProblem`` if it is none that can be understood.
    init(devices payload: MQTTPayload, base: String) throws(MQTTProblem) {
        guard let devices = payload.json?.array else { throw MQTTProblem("the list of devices is not a JSON array") }
        var things: [(String, MQTTEntity?)] = []
        for device in devices.prefix(Self.maximumDevices) where device["type"]?.string != "Coordinator" {
            guard let address = device["ieee_address"]?.string, !address.isEmpty, device["disabled"]?.bool != true
            else {
                continue
            }
            guard let exposes = device["definition"]?["exposes"]?.array else {
                things.append((address, nil))
                continue
            }
            for output in exposes.compactMap(Output.init) {
                let entity = try? Self.entity(
                    output, id: address + output.idSuffix + "_zigbee2mqtt", of: device, serial: address, base)
                things.append((address + output.idSuffix, entity))
            }
        }
        self.things = things
    }

    /// Reads the message of `BASE/bridge/groups`; a group can do what one of its members can, as `devices` has them.
    ///
    /// - Throws: ``MQTTProblem`` if it is none that can be understood.
    init(groups payload: MQTTPayload, devices: MQTTPayload?, base: String) throws(MQTTProblem) {
        guard let groups = payload.json?.array else { throw MQTTProblem("the list of groups is not a JSON array") }
        var outputs: [String: [Output]] = [:]
        for device in (devices?.json?.array ?? []).prefix(Self.maximumDevices) {
            guard let address = device["ieee_address"]?.string else { continue }
            outputs[address] = device["definition"]?["exposes"]?.array?.compactMap(Output.init)
        }
        var things: [(String, MQTTEntity?)] = []
        for group in groups.prefix(Self.maximumDevices) {
            guard let number = group["id"]?.int, group["friendly_name"]?.string != nil else { continue }
            let members = (group["members"]?.array ?? []).compactMap { $0["ieee_address"]?.string }
            let lights = members.flatMap { outputs[$0] ?? [] }.filter { $0.kind == .light }
            guard let first = lights.first else { continue }
            let output = lights.dropFirst().reduce(into: first.withoutEndpoint) { $0.join($1) }
            let entity = try? Self.entity(output, id: "\(number)_light_zigbee2mqtt", of: group, serial: nil, base)
            things.append(("group \(number)", entity))
        }
        self.things = things
    }

    // MARK: One output

    /// A light or a switch as `exposes` describes it.
    private struct Output {
        var kind: LightKind
        var endpoint: String?
        var modes: Set<MQTTLightSettings.ColorMode> = []
        var mireds: ClosedRange<Int>?
        var isDimmable = false
        var scale = 254

        init?(_ json: JSONValue) {
            switch json["type"]?.string {
            case "light": kind = .light
            case "switch": kind = .switch
            default: return nil
            }
            endpoint = json["endpoint"]?.string
            // The lock for children and the like are switches with a name of another feature.
            guard let features = json["features"]?.array,
                let power = features.first(where: { $0["name"]?.string == "state" }),
                ((power["access"]?.int ?? 0) & 2) != 0
            else { return nil }
            for feature in features where ((feature["access"]?.int ?? 7) & 2) != 0 {
                switch feature["name"]?.string {
                case "brightness":
                    isDimmable = true
                    if let scale = feature["value_max"]?.int, (1...65_535).contains(scale) { self.scale = scale }
                case "color_temp":
                    let low = feature["value_min"]?.int ?? 153
                    let high = feature["value_max"]?.int ?? 500
                    guard (1...10_000).contains(low), (low...10_000).contains(high) else { continue }
                    mireds = low...high
                    modes.insert(.temperature)
                // Which of the two stands first is what the bulb prefers.
                case "color_hs": if !modes.contains(.xy) { modes.insert(.hs) }
                case "color_xy": if !modes.contains(.hs) { modes.insert(.xy) }
                default: break
                }
            }
            if kind == .switch { modes = [] }
            if modes.isEmpty { modes = [isDimmable ? .brightness : .onoff] }
        }

        var idSuffix: String { "_\(kind == .light ? "light" : "switch")" + (endpoint.map { "_\($0)" } ?? "") }

        var withoutEndpoint: Output {
            var output = self
            output.endpoint = nil
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

    private static func entity(
        _ output: Output, id: String, of device: JSONValue, serial: String?, _ base: String
    ) throws(MQTTProblem) -> MQTTEntity {
        guard LightIDRule.accepts(id) else { throw .about("ieee_address", "is \(LightIDRule.problem)") }
        // A friendly name may have slashes, but no wildcards.
        let topics = KeyReader(keys: ["friendly_name": device["friendly_name"] ?? .null])
        guard let name = try topics.topic("friendly_name") else { throw .about("friendly_name", "is missing") }
        let topic = "\(base)/\(name)"
        var settings = MQTTLightSettings(commandTopic: "\(topic)/set", schema: .json, kind: output.kind)
        settings.modes = output.modes
        settings.power = .init(topic: topic)
        settings.brightnessScale = output.scale
        settings.mireds = output.mireds ?? settings.mireds
        settings.keySuffix = output.endpoint.map { "_\($0)" } ?? ""
        settings.poll = MQTTMessage(topic: "\(topic)/get", text: "{\"state\(settings.keySuffix)\":\"\"}")
        settings.availability = Availability(
            sources: [
                .init(topic: "\(base)/bridge/state", template: try MessageTemplate(stateTemplate)),
                // A device says whether it can be reached only where that is switched on.
                .init(topic: "\(topic)/availability", template: try MessageTemplate(stateTemplate), isOptional: true),
            ], mode: .all)
        let definition = device["definition"]
        let endpoint = output.endpoint.map { " \($0)" } ?? ""
        return MQTTEntity(
            LightDescription(
                id: LightID(id), name: name + endpoint, kind: output.kind, capabilities: settings.capabilities,
                manufacturer: definition?["vendor"]?.string ?? device["manufacturer"]?.string,
                model: definition?["model"]?.string ?? device["model_id"]?.string, serialNumber: serial,
                firmware: device["software_build_id"]?.string),
            settings: settings)
    }

    /// Newer versions say `{"state": "online"}`, older ones `online`.
    private static let stateTemplate = "{{ value_json.state if value_json is mapping else value }}"
}
