import BoundedJSON
import DeviceKit
import HAPModel

/// A scene or a command such as "feed the cat": the `scene` and `button` components, and the scenes that Zigbee2MQTT
/// lists (Lights 6.12).
///
/// An activation sends one message. Received messages never activate it.
struct MQTTActivation: MQTTComponent {
    static let names: Set = ["button", "scene"]
    static let kind = LightKind.scene
    static let abbreviations = ["pl_prs": "payload_press"]
    static let keys = ["payload_press"]
    static let isPart = true
    /// The device classes of maintenance buttons, which count as settings.
    private static let maintenance: Set = ["identify", "restart", "update"]

    private let id: String
    private let name: String
    private let payload: String
    private let command: MQTTLightSettings.Command

    var capabilities: LightCapabilities { LightCapabilities() }

    var functions: [AccessoryFunction] { [.scene(id, name: name)] }

    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool {
        if let name = try reader.string("device_class"), maintenance.contains(name) { return false }
        return !reader.isOfZigbee2MQTT
    }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        let command = try reader.command(
            topic: "command_topic", template: "command_template", else: "it can't be activated")
        guard let command else { throw .about("command_topic", "is missing or has an invalid template") }
        self.command = command
        settings.commandTopic = command.topic
        let isScene = component == "scene"
        payload = isScene ? settings.payloadOn : try reader.string("payload_press") ?? "PRESS"
        // A scene and a button may have the same id.
        id = (isScene ? "" : "button/") + (try reader.partID("\(command.topic) \(payload)"))
        name = reader.entity?.name ?? payload
    }

    // MARK: Zigbee2MQTT

    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? { nil }

    /// Returns the scenes of a device or a group, with their names in the list.
    static func scenes(of device: Zigbee2MQTTDevice) -> [(name: String, entity: MQTTEntity?)] {
        guard let address = device.serial ?? device.json["id"]?.int.map(String.init) else { return [] }
        let endpoints = device.json["endpoints"]?.object?.members.map(\.value) ?? []
        let scenes = ([device.json] + endpoints).flatMap { $0["scenes"]?.array ?? [] }
        var found: [(name: String, entity: MQTTEntity?)] = []
        for scene in scenes {
            guard let number = scene["id"]?.int, (0...255).contains(number),
                case let id = "scene/\(address)_scene_\(number)_zigbee2mqtt", !found.contains(where: { $0.name == id })
            else { continue }
            found.append((id, try? entity(id, scene, number, of: device)))
        }
        return found
    }

    private static func entity(
        _ id: String, _ scene: JSONValue, _ number: Int, of device: Zigbee2MQTTDevice
    ) throws(MQTTProblem) -> MQTTEntity {
        var settings = try device.settings(.basic, kind)
        // The id is the same as in Zigbee2MQTT's announcement for Home Assistant.
        settings.schema = .component(
            MQTTActivation(
                id: String(id.dropFirst("scene/".count)), name: scene["name"]?.string ?? "Scene \(number)",
                payload: JSONValue.object(["scene_recall": .integer(Int64(number))]).text,
                command: .init(topic: settings.commandTopic)))
        settings.power = nil
        var entity = try device.entity(id, settings)
        if let key = entity.deviceID { entity.join(LightID("\(key)/sensors")) }
        return entity
    }

    private init(id: String, name: String, payload: String, command: MQTTLightSettings.Command) {
        (self.id, self.name, self.payload, self.command) = (id, name, payload, command)
    }

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        LightReport()
    }

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        guard command.values.contains(where: { $0.property.isActivation && $0.value?.bool == true }) else {
            throw .refused("the scene can only be activated")
        }
        return [try light.message(self.command, payload, [:])]
    }

}

extension KeyReader {
    /// A Boolean value that indicates whether the entity belongs to Zigbee2MQTT itself, not to one of its devices.
    var isOfZigbee2MQTT: Bool {
        let identifiers = keys["device"]?["identifiers"]
        return (identifiers?.array ?? identifiers.map { [$0] } ?? []).compactMap(\.string)
            .contains { $0.hasPrefix("zigbee2mqtt_bridge") }
    }

    /// Returns the entity's `unique_id`, or the fallback if the entity has no `unique_id`.
    func partID(_ fallback: String) throws(MQTTProblem) -> String {
        try string("unique_id").flatMap { $0.isEmpty ? nil : $0 } ?? fallback
    }
}
