import DeviceKit

/// The origin of an announcement: a topic, or a part of a topic that describes several entities.
struct AnnouncementOrigin: Hashable, CustomStringConvertible {
    let topic: String
    /// The name of the part, sanitized and truncated; `nil` for the whole topic.
    var part: String?

    var description: String { part.map { "\(topic) \($0)" } ?? topic }
}

/// The content of a message on a discovery topic.
enum Announcement {
    /// An entity with a separate topic.
    case thing(MQTTEntity, DiscoveryKey, AnnouncementOrigin)
    /// The entity of this topic was removed or is hidden.
    case gone(DiscoveryKey)
    /// The entity of this topic will move to another topic.
    case moving(DiscoveryKey)
    /// The entities of a topic that describes several entities: the complete list, or only the changed entities.
    case things([Part], topic: String, isComplete: Bool = true)
    /// All entities of this topic will move to other topics.
    case allMoving(topic: String)

    /// One entity of a topic that describes several entities.
    struct Part {
        let key: DiscoveryKey
        let origin: AnnouncementOrigin
        var content: Content
    }

    enum Content {
        case entity(MQTTEntity)
        case hidden
        /// The part is invalid. Its previous announcement remains valid.
        case problem(MQTTProblem)
        /// The device is being interviewed again. The previous entity with this key remains, and so do the entities
        /// whose keys begin with this key and `_`.
        case unchanged
    }
}

/// Reads announcements from all three sources: Home Assistant's discovery, Tasmota's native discovery, and the lists of
/// Zigbee2MQTT.
struct AnnouncementReader: Sendable {
    /// The kinds of topics that contain announcements.
    enum Place {
        case homeAssistant(DiscoveryTopic)
        case tasmota(device: String)
        case tasmotaSensors(device: String)
        case zigbee2MQTT(base: String, list: Substring)
        /// An invalid discovery topic. Home Assistant rejects it, too.
        case misplaced
    }

    private let prefix: String?
    private let tasmotaPrefix: String?
    private var zigbee2MQTT: Zigbee2MQTTDiscovery?
    private var tasmotaSensors = TasmotaSensors()

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of Home Assistant's discovery topics, or `nil` to ignore them.
    ///   - tasmota: The prefix of Tasmota's native discovery topics, or `nil` to ignore them.
    ///   - zigbee2MQTT: The base topic of Zigbee2MQTT, or `nil` to ignore its lists.
    init(prefix: String?, tasmota: String?, zigbee2MQTT: String?) {
        self.prefix = prefix
        tasmotaPrefix = tasmota
        self.zigbee2MQTT = zigbee2MQTT.map(Zigbee2MQTTDiscovery.init)
    }

    var filters: [String] {
        var filters: [String] = []
        if let prefix { filters += DiscoveryTopic.filters(prefix: prefix) }
        if let tasmotaPrefix {
            filters += ["config", "sensors"].map { "\(tasmotaPrefix)/+/\($0)" }
        }
        if let base = zigbee2MQTT?.base { filters += ["devices", "groups"].map { "\(base)/bridge/\($0)" } }
        return filters
    }

    /// Returns the kind of a topic, or `nil` if it contains no announcements.
    func place(of topic: String) -> Place? {
        if let prefix, topic.hasPrefix("\(prefix)/"), topic.hasSuffix("/config") {
            return DiscoveryTopic(topic, prefix: prefix).map(Place.homeAssistant) ?? .misplaced
        }
        if let tasmotaPrefix, topic.hasPrefix("\(tasmotaPrefix)/") {
            let parts = topic.dropFirst(tasmotaPrefix.count + 1).split(
                separator: "/", omittingEmptySubsequences: false)
            if parts.count == 2, parts[1] == "config" { return .tasmota(device: String(parts[0])) }
            if parts.count == 2, parts[1] == "sensors" { return .tasmotaSensors(device: String(parts[0])) }
        }
        guard let base = zigbee2MQTT?.base, topic.hasPrefix("\(base)/bridge/") else { return nil }
        let list = topic.dropFirst(base.count + "/bridge/".count)
        return list == "devices" || list == "groups" ? .zigbee2MQTT(base: base, list: list) : nil
    }

    /// Parses an announcement.
    ///
    /// - Throws: ``MQTTProblem`` if it is invalid. The previous announcement then remains valid.
    mutating func read(_ payload: MQTTPayload, on topic: String, _ place: Place) throws(MQTTProblem) -> [Announcement] {
        switch place {
        case .homeAssistant(let place): try homeAssistant(payload, on: topic, place)
        case .tasmota(let device): try tasmota(payload, on: topic, device)
        case .tasmotaSensors(let device): try tasmota(sensors: payload, on: topic, device)
        case .zigbee2MQTT(let base, let list): try zigbee(payload, list, of: base)
        case .misplaced:
            if payload.bytes.isEmpty { [] } else { throw MQTTProblem("topic parts can contain only A-Z a-z 0-9 _ -") }
        }
    }

    // MARK: Home Assistant

    private func homeAssistant(
        _ payload: MQTTPayload, on topic: String, _ place: DiscoveryTopic
    ) throws(MQTTProblem) -> [Announcement] {
        let isDevice = place.component == "device"
        guard isDevice || DiscoveryTopic.components.contains(place.component) else { return [] }
        switch try DiscoveryPayload(payload, isDevice: isDevice) {
        case .removed: return [isDevice ? .things([], topic: topic) : .gone(place.key)]
        case .migrated: return [isDevice ? .allMoving(topic: topic) : .moving(place.key)]
        case .single(let keys):
            guard try !MQTTEntity.isHidden(keys, component: place.component) else { return [.gone(place.key)] }
            let entity = try MQTTEntity(
                keys, component: place.component, fallbackID: topic, fallbackName: place.objectID)
            return [.thing(entity, place.key, AnnouncementOrigin(topic: topic))]
        case .device(let parts):
            // Parts that the message doesn't mention remain. A part is removed only if the message has no key for it
            // except its platform.
            return [.things(things(parts, of: place, on: topic), topic: topic, isComplete: false)]
        }
    }

    /// Returns the supported parts of an announced device.
    private func things(
        _ parts: [DiscoveryPayload.Part], of place: DiscoveryTopic, on topic: String
    ) -> [Announcement.Part] {
        var things: [Announcement.Part] = []
        for part in parts where DiscoveryTopic.components.contains(part.platform) {
            var thing = Announcement.Part(
                key: place.key(platform: part.platform, part: part.name),
                origin: AnnouncementOrigin(topic: topic, part: MQTTProblem.quoted(part.name)), content: .hidden)
            do throws(MQTTProblem) {
                if let keys = part.keys, try !MQTTEntity.isHidden(keys, component: part.platform) {
                    thing.content = .entity(
                        try MQTTEntity(
                            keys, component: part.platform, fallbackID: "\(topic) \(part.name)",
                            fallbackName: "\(place.objectID) \(part.name)"))
                }
            } catch {
                thing.content = .problem(error)
            }
            things.append(thing)
        }
        return Self.distinguishingSensors(things)
    }

    /// Returns the parts of a device, with distinct names for its sensor and its other accessories.
    ///
    /// If a light or a switch has the same name as the device's sensor, the sensor's name gets a suffix.
    private static func distinguishingSensors(_ things: [Announcement.Part]) -> [Announcement.Part] {
        let entities = things.compactMap { if case .entity(let entity) = $0.content { entity } else { nil } }
        let names = Set(entities.filter { !$0.settings.isPart }.map(\.description.name))
        return things.map { thing in
            guard case .entity(var entity) = thing.content, entity.settings.isPart, let name = entity.device?.name,
                names.contains(name)
            else { return thing }
            entity.device?.name = "\(name) Sensor"
            var thing = thing
            thing.content = .entity(entity)
            return thing
        }
    }

    // MARK: Others

    private mutating func tasmota(
        _ payload: MQTTPayload, on topic: String, _ device: String
    ) throws(MQTTProblem) -> [Announcement] {
        let discovery = payload.bytes.isEmpty ? nil : try TasmotaDiscovery(payload)
        var things = (discovery?.things ?? []).map { ($0.name, Optional($0.entity)) }
        if let buttons = try discovery?.buttons() { things.append(("buttons", buttons)) }
        let announcement = Self.announcement(of: things, by: "tasmota", on: topic)
        tasmotaSensors.take(discovery?.common, of: device)
        let sensors = String(topic.dropLast("config".count)) + "sensors"
        return [announcement] + (try tasmotaReadings(of: device, on: sensors))
    }

    private mutating func tasmota(
        sensors payload: MQTTPayload, on topic: String, _ device: String
    ) throws(MQTTProblem) -> [Announcement] {
        try tasmotaSensors.take(sensors: payload, of: device)
        return try tasmotaReadings(of: device, on: topic)
    }

    private func tasmotaReadings(of device: String, on topic: String) throws(MQTTProblem) -> [Announcement] {
        let things = try tasmotaSensors.things(of: device).map { ($0.name, Optional($0.entity)) }
        return [Self.announcement(of: things, by: "tasmota", on: topic)]
    }

    private mutating func zigbee(
        _ payload: MQTTPayload, _ list: Substring, of base: String
    ) throws(MQTTProblem) -> [Announcement] {
        var announcements: [Announcement] = []
        if list == "devices" {
            let devices = try zigbee2MQTT?.devices(payload) ?? []
            announcements.append(Self.announcement(of: devices, by: "zigbee2mqtt", on: "\(base)/bridge/devices"))
        } else {
            try zigbee2MQTT?.take(groups: payload)
        }
        // Announce the groups after a list of devices, too, because their capabilities depend on their members.
        let groups = zigbee2MQTT?.groupThings ?? []
        return announcements + [Self.announcement(of: groups, by: "zigbee2mqtt", on: "\(base)/bridge/groups")]
    }

    /// Returns the announcement of all entities of a topic.
    ///
    /// A part without an entity is marked as unchanged.
    private static func announcement(
        of things: [(name: String, entity: MQTTEntity?)], by publisher: String, on topic: String
    ) -> Announcement {
        let parts = things.map { name, entity in
            Announcement.Part(
                key: DiscoveryKey(component: publisher, name: "\(topic) \(name)"),
                origin: AnnouncementOrigin(topic: topic, part: MQTTProblem.quoted(name)),
                content: entity.map { .entity($0) } ?? .unchanged)
        }
        return .things(distinguishingSensors(parts), topic: topic)
    }
}
