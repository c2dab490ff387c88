package import LightKit

/// What the machine of all lights on a broker wants done.
package enum MQTTAction: Equatable, Sendable {
    case subscribe(String, qos: Int)
    case unsubscribe(String)
    case added(LightDescription)
    case removed(LightID)
    case report(LightID, LightReport)
    case warn(String?, about: String)
    /// An entity was announced without a `unique_id`; under another topic it becomes another accessory.
    case idMissing(topic: String)
    case publish(MQTTMessage)
}

/// All lights on one broker as a machine: which there are, who announced them, who subscribes to which topic, who is in reach.
///
/// Rules it keeps:
/// - A light is known by its `unique_id`, wherever it is announced. While one announcement stands, a second with the
///   same id is set aside with a warning, and takes the first one's place when that is withdrawn.
/// - A light that is withdrawn (an empty announcement) is out of reach, and removed when it has not come back after 5
///   seconds: producers withdraw and announce anew when a light is renamed (Decision 28). One that is silent stays.
/// - When the broker is lost, commands fail at once, and after 5 seconds all lights are reported out of reach.
/// - What it remembers is bounded by the number of lights.
package struct MQTTHome: Sendable {
    private enum Source: Equatable {
        case configuration
        case announcement(DiscoveryKey)
        /// Its producer said that it will be announced elsewhere.
        case moving
        /// Withdrawn; to be forgotten at that time.
        case withdrawn(until: Duration)
    }

    private struct Member {
        var description: LightDescription
        var light: MQTTLight
        var source: Source
        /// The sensor that a reading is a part of.
        var device: LightDescription?
        var reported: Bool?
    }

    /// Where an announcement stands: on a topic of its own, or as a part of a device's.
    private struct Origin: Hashable, CustomStringConvertible {
        let topic: String
        /// Its name as far as it is printed.
        var part: String?

        var description: String { part.map { "\(topic) \($0)" } ?? topic }
    }

    private enum WarningSubject: Hashable {
        case message(Origin)
        /// What an announcement says of a light that is shown all the same.
        case light(LightID, Origin)
        /// What the templates of a light cannot do.
        case commands(LightID)
        case numberOfLights
        case numberOfReadings

        /// The announcement that it is about.
        var origin: Origin? {
            switch self {
            case .message(let origin), .light(_, let origin): origin
            case .commands, .numberOfLights, .numberOfReadings: nil
            }
        }

        /// What the host knows it by.
        var name: String {
            switch self {
            case .message(let origin): origin.description
            case .light(let id, _), .commands(let id): id.rawValue
            case .numberOfLights: "number of lights"
            case .numberOfReadings: "number of readings"
            }
        }
    }

    /// How long a withdrawn light is kept.
    package static let grace: Duration = .seconds(5)
    /// How long the broker may be away before its lights are called out of reach.
    package static let timeout: Duration = .seconds(5)
    package static let maximumLights = 1500
    /// Of readings of sensors a home has many more.
    package static let maximumReadings = 4500
    private static let maximumWarnings = 100

    private let prefix: String?
    private let tasmotaPrefix: String?
    private var zigbee2MQTT: Zigbee2MQTTDiscovery?
    private var tasmotaSensors = TasmotaSensors()
    /// What is shown.
    private var kinds: Set<LightKind> = [.light, .switch, .outlet]
    /// What the bridge knows from before.
    private var known: Set<LightID> = []
    private var sensors = SensorDevices()
    private var members: [LightID: Member] = [:]
    private var announced: [DiscoveryKey: LightID] = [:]
    private var setAside: [DiscoveryKey: (entity: MQTTEntity, origin: Origin)] = [:]
    /// What the last announcement on a topic held, where it tells of several things.
    private var parts: [String: Set<DiscoveryKey>] = [:]
    private var listeners: [String: Set<LightID>] = [:]
    /// Those of the topics listened to that stand for several.
    private var wildcards: Set<TopicFilter> = []
    private var warned: Set<WarningSubject> = []
    /// Warnings that commands have led to, to be told with what time brings.
    private var warnings: [MQTTAction] = []
    private var identifications = 0
    private var unreadable = 0
    private var isConnected = false
    private var lostAt: Duration?
    private var isLost = true

    /// Makes the machine.
    ///
    /// - Parameters:
    ///   - prefix: the prefix of Home Assistant's discovery topics, or `nil` for no such discovery.
    ///   - tasmota: the prefix of Tasmota's own discovery topics, if it is wanted.
    ///   - zigbee2MQTT: the base topic of Zigbee2MQTT, if its lists are wanted.
    ///   - lights: the lights that were written by hand, with different ids.
    package init(prefix: String?, tasmota: String? = nil, zigbee2MQTT: String? = nil, lights: [MQTTEntity]) {
        self.prefix = prefix
        tasmotaPrefix = tasmota
        self.zigbee2MQTT = zigbee2MQTT.map(Zigbee2MQTTDiscovery.init)
        for entity in lights {
            members[entity.description.id] = Member(
                description: entity.description, light: MQTTLight(entity.settings), source: .configuration)
        }
        for entity in lights { listen(entity.description.id, to: entity.settings.topics) }
    }

    /// The driver starts: the lights written by hand are told before anything else, out of reach for now.
    ///
    /// - Parameters:
    ///   - kinds: what is shown; of fans and sensors nothing is read if they are not.
    ///   - known: what the bridge knows from before.
    /// - Returns: what is to be done.
    package mutating func started(
        kinds: Set<LightKind> = [.light, .switch, .outlet], known: [LightID] = []
    ) -> [MQTTAction] {
        self.kinds = kinds
        self.known = Set(known)
        sensors = SensorDevices(known: known)
        let ids = members.keys.sorted { $0.rawValue < $1.rawValue }
        return ids.compactMap { members[$0] }.map { .added($0.description) } + ids.flatMap { reach($0) }
    }

    /// When ``timePassed(now:)`` has something to do.
    package var deadline: Duration? {
        var deadlines = members.values.compactMap { member in
            if case .withdrawn(let until) = member.source { until } else { nil }
        }
        deadlines += members.values.compactMap(\.light.deadline)
        if let lostAt { deadlines.append(lostAt + Self.timeout) }
        if mustWarn { deadlines.append(.zero) }
        return deadlines.min()
    }

    // MARK: The broker

    /// The broker has taken us in, with a clean session: everything is subscribed anew.
    package mutating func connected() -> [MQTTAction] {
        isConnected = true
        isLost = false
        lostAt = nil
        var actions: [MQTTAction] = []
        if let prefix { actions += DiscoveryTopic.filters(prefix: prefix, kinds: kinds).map { .subscribe($0, qos: 0) } }
        if let tasmotaPrefix {
            actions.append(.subscribe("\(tasmotaPrefix)/+/config", qos: 0))
            if kinds.contains(.sensor) { actions.append(.subscribe("\(tasmotaPrefix)/+/sensors", qos: 0)) }
        }
        if let base = zigbee2MQTT?.base {
            actions += ["devices", "groups"].map { .subscribe("\(base)/bridge/\($0)", qos: 0) }
        }
        actions += listeners.keys.sorted().map { .subscribe($0, qos: qos(of: $0)) }
        for id in members.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            // Who is in reach from before, after a short loss, is asked as well as who comes back.
            actions += members[id]?.reported == true ? polls(of: [id]) : []
            actions += reach(id)
        }
        return joined(Self.withoutRepetitions(actions))
    }

    /// The connection has ended.
    package mutating func disconnected(now: Duration) {
        if isConnected { lostAt = now }
        isConnected = false
    }

    /// A deadline may have passed.
    package mutating func timePassed(now: Duration) -> [MQTTAction] {
        var actions = warnings
        warnings = []
        if let since = lostAt, since + Self.timeout <= now {
            lostAt = nil
            isLost = true
            for id in members.keys.sorted(by: { $0.rawValue < $1.rawValue }) { actions += reach(id) }
        }
        for (id, member) in members {
            for report in members[id]?.light.timePassed(now: now) ?? [] { actions.append(.report(id, report)) }
            guard case .withdrawn(let until) = member.source, until <= now else { continue }
            members[id] = nil
            actions += [.removed(id)] + warn(nil, about: .commands(id))
        }
        return joined(actions)
    }

    /// The driver ends: what was withdrawn is removed now, since no empty announcement is there to be seen next time.
    package mutating func stopped() -> [MQTTAction] {
        let withdrawn = members.filter { if case .withdrawn = $0.value.source { true } else { false } }
        for id in withdrawn.keys { members[id] = nil }
        return joined(withdrawn.keys.sorted { $0.rawValue < $1.rawValue }.map { .removed($0) })
    }

    // MARK: Messages

    /// A message has come.
    package mutating func received(topic: String, payload: MQTTPayload, now: Duration) -> [MQTTAction] {
        var actions = received(topic, payload, now: now)
        for filter in wildcards where filter.matches(topic) { actions += received(filter.text, payload, now: now) }
        guard let announcement = announcement(on: topic) else { return joined(Self.withoutRepetitions(actions)) }
        // What was wrong before is taken back, unless it still is.
        let before = warned.filter { $0.origin?.topic == topic }
        warned.subtract(before)
        do throws(MQTTProblem) {
            switch announcement {
            case .homeAssistant(let place):
                actions += try self.announcement(at: place, topic: topic, payload: payload, now: now)
            case .tasmota(let device): actions += try tasmota(topic, device, payload, now: now)
            case .tasmotaSensors(let device): actions += try tasmota(sensors: topic, device, payload, now: now)
            case .zigbee2MQTT(let base, let list): actions += try zigbee(list, of: base, payload, now: now)
            case .misplaced:
                guard payload.bytes.isEmpty else { throw MQTTProblem("a topic has only A-Z a-z 0-9 _ - in its parts") }
            }
        } catch {
            actions += warn(
                "\(MQTTProblem.quoted(topic, maximum: 200)): \(error.text); the announcement is ignored",
                about: .message(Origin(topic: topic)))
        }
        return joined(Self.withoutRepetitions(actions))
            // Another topic may have told of the same light meanwhile.
            + Set(before.map(\.name)).subtracting(warned.map(\.name)).sorted().map { .warn(nil, about: $0) }
    }

    /// What is subscribed once for many lights brings each what is retained, and several outputs of a device are asked at once.
    private static func withoutRepetitions(_ actions: [MQTTAction]) -> [MQTTAction] {
        var seen: Set<String> = []
        return actions.filter { action in
            switch action {
            case .subscribe(let topic, _): return seen.insert(topic).inserted
            case .unsubscribe(let topic): seen.remove(topic)
            case .publish(let message):
                return seen.insert("\(message.topic) \(String(decoding: message.payload, as: UTF8.self))").inserted
            default: break
            }
            return true
        }
    }

    /// What kind of announcement stands on a topic.
    private enum Announcement {
        case homeAssistant(DiscoveryTopic)
        case tasmota(device: String)
        case tasmotaSensors(device: String)
        case zigbee2MQTT(base: String, list: Substring)
        /// On a topic that Home Assistant does not take either.
        case misplaced
    }

    private func announcement(on topic: String) -> Announcement? {
        if let prefix, topic.hasPrefix("\(prefix)/"), topic.hasSuffix("/config") {
            return DiscoveryTopic(topic, prefix: prefix).map(Announcement.homeAssistant) ?? .misplaced
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

    /// A message has come on a topic that lights listen to, or on one that such a topic with wildcards stands for.
    private mutating func received(_ topic: String, _ payload: MQTTPayload, now: Duration) -> [MQTTAction] {
        var actions: [MQTTAction] = []
        for id in (listeners[topic] ?? []).sorted(by: { $0.rawValue < $1.rawValue }) {
            if members[id]?.light.isUnreadable(topic: topic, payload) == true { unreadable += 1 }
            let reports = members[id]?.light.received(topic: topic, payload: payload, now: now) ?? []
            // Reach first: what a light says while it is out of reach is of no use to anyone who asks for it.
            actions += reach(id)
            actions += reports.map { .report(id, $0) }
        }
        return actions
    }

    /// How many messages about states could not be read since the last time.
    package mutating func takeUnreadable() -> Int {
        defer { unreadable = 0 }
        return unreadable
    }

    /// A message was longer than is read.
    package mutating func tooLong(topic: String) -> [MQTTAction] {
        warn(
            "\(MQTTProblem.quoted(topic)): a message is longer than \(MQTTLimits.payload) bytes; it is ignored",
            about: .message(Origin(topic: MQTTProblem.quoted(topic))))
    }

    private mutating func announcement(
        at place: DiscoveryTopic, topic: String, payload: MQTTPayload, now: Duration
    ) throws(MQTTProblem) -> [MQTTAction] {
        guard place.component == "device" else {
            guard DiscoveryTopic.components(kinds).contains(place.component) else { return [] }
            switch try DiscoveryPayload(payload, isDevice: false) {
            case .removed: return withdraw(place.key, now: now)
            case .migrated: return release(place.key)
            case .device: return []
            case .single(let keys):
                guard try !MQTTEntity.isHidden(keys, component: place.component) else {
                    return withdraw(place.key, now: now)
                }
                let entity = try MQTTEntity(
                    keys, component: place.component, fallbackID: topic, fallbackName: place.objectID)
                return announce(entity, as: place.key, at: Origin(topic: topic), now: now)
            }
        }
        switch try DiscoveryPayload(payload, isDevice: true) {
        case .removed:
            return (parts.removeValue(forKey: topic) ?? []).sorted().flatMap { withdraw($0, now: now) }
        case .migrated:
            return (parts.removeValue(forKey: topic) ?? []).sorted().flatMap { release($0) }
        case .single: return []
        case .device(let announced):
            return device(announced, at: place, topic: topic, now: now)
        }
    }

    private mutating func device(
        _ announced: [DiscoveryPayload.Part], at place: DiscoveryTopic, topic: String, now: Duration
    ) -> [MQTTAction] {
        var actions: [MQTTAction] = []
        var keys: Set<DiscoveryKey> = []
        let components = DiscoveryTopic.components(kinds)
        for part in announced where components.contains(part.platform) {
            guard let values = part.keys else { continue }
            let key = place.key(platform: part.platform, part: part.name)
            keys.insert(key)
            let origin = Origin(topic: topic, part: MQTTProblem.quoted(part.name))
            do throws(MQTTProblem) {
                guard try !MQTTEntity.isHidden(values, component: part.platform) else {
                    actions += withdraw(key, now: now)
                    continue
                }
                let entity = try MQTTEntity(
                    values, component: part.platform, fallbackID: "\(topic) \(part.name)",
                    fallbackName: "\(place.objectID) \(part.name)")
                actions += announce(entity, as: key, at: origin, now: now)
            } catch {
                actions += warn("\(origin): \(error.text); the announcement is ignored", about: .message(origin))
            }
        }
        return actions + held(keys, on: topic, now: now)
    }

    /// A message has told of several things: those that one before told of, and this one does not, are withdrawn.
    private mutating func held(_ keys: Set<DiscoveryKey>, on topic: String, now: Duration) -> [MQTTAction] {
        let actions = (parts[topic] ?? []).subtracting(keys).sorted().flatMap { withdraw($0, now: now) }
        // Kept only for what is known, so that announcements of anything else take no memory.
        let known = keys.filter { announced[$0] != nil || setAside[$0] != nil }
        parts[topic] = known.isEmpty ? nil : known
        return actions
    }

    // MARK: Discovery of other kinds

    private mutating func tasmota(
        _ topic: String, _ device: String, _ payload: MQTTPayload, now: Duration
    ) throws(MQTTProblem) -> [MQTTAction] {
        let discovery = payload.bytes.isEmpty ? nil : try TasmotaDiscovery(payload)
        let things = (discovery?.things ?? []).map { ($0.name, Optional($0.entity)) }
        let actions = announce(things, by: "tasmota", on: topic, now: now)
        guard kinds.contains(.sensor) else { return actions }
        tasmotaSensors.take(discovery?.common, of: device)
        let sensors = String(topic.dropLast("config".count)) + "sensors"
        return actions + (try announceTasmota(sensors: sensors, device, now: now))
    }

    private mutating func tasmota(
        sensors topic: String, _ device: String, _ payload: MQTTPayload, now: Duration
    ) throws(MQTTProblem) -> [MQTTAction] {
        guard kinds.contains(.sensor) else { return [] }
        try tasmotaSensors.take(sensors: payload, of: device)
        return try announceTasmota(sensors: topic, device, now: now)
    }

    private mutating func announceTasmota(
        sensors topic: String, _ device: String, now: Duration
    ) throws(MQTTProblem) -> [MQTTAction] {
        let things = try tasmotaSensors.things(of: device).map { ($0.name, Optional($0.entity)) }
        return announce(things, by: "tasmota", on: topic, now: now)
    }

    private mutating func zigbee(
        _ list: Substring, of base: String, _ payload: MQTTPayload, now: Duration
    ) throws(MQTTProblem) -> [MQTTAction] {
        var actions: [MQTTAction] = []
        if list == "devices" {
            let devices = try zigbee2MQTT?.devices(payload, kinds: kinds) ?? []
            actions += announce(devices, by: "zigbee2mqtt", on: "\(base)/bridge/devices", now: now)
        } else {
            try zigbee2MQTT?.take(groups: payload)
        }
        // What a group can do follows from its members.
        let groups = zigbee2MQTT?.groupThings ?? []
        return actions + announce(groups, by: "zigbee2mqtt", on: "\(base)/bridge/groups", now: now)
    }

    /// Announces all things that one message tells of; one without an entity stays as it is.
    private mutating func announce(
        _ things: [(name: String, entity: MQTTEntity?)], by publisher: String, on topic: String, now: Duration
    ) -> [MQTTAction] {
        var actions: [MQTTAction] = []
        var keys: Set<DiscoveryKey> = []
        for (name, entity) in things {
            guard let entity else {
                // A device that is asked anew what it is keeps what it had.
                keys.formUnion(
                    (parts[topic] ?? []).filter {
                        $0.name == "\(topic) \(name)" || $0.name.hasPrefix("\(topic) \(name)_")
                    })
                continue
            }
            let key = DiscoveryKey(component: publisher, name: "\(topic) \(name)")
            keys.insert(key)
            actions += announce(entity, as: key, at: Origin(topic: topic, part: MQTTProblem.quoted(name)), now: now)
        }
        return actions + held(keys, on: topic, now: now)
    }

    /// Asks lights for their state that do not tell it by themselves.
    private func polls(of ids: [LightID]) -> [MQTTAction] {
        guard isConnected else { return [] }
        return ids.compactMap { members[$0]?.light.settings.poll }.map { .publish($0) }
    }

    // MARK: Announcements

    private mutating func announce(
        _ entity: MQTTEntity, as key: DiscoveryKey, at origin: Origin, now: Duration
    ) -> [MQTTAction] {
        var entity = entity
        let id = id(of: entity, as: key)
        entity.description.id = id
        var actions: [MQTTAction] = []
        if let earlier = announced[key] ?? setAside[key]?.entity.description.id, earlier != id {
            actions += withdraw(key, now: now)
        }
        guard let member = members[id] else {
            if let warning = warnOfTooMany(entity.description.kind) { return actions + warning }
            members[id] = Member(
                description: entity.description, light: MQTTLight(entity.settings), source: .announcement(key),
                device: entity.device)
            announced[key] = id
            actions.append(.added(entity.description))
            if !entity.hasOwnID {
                actions.append(.idMissing(topic: origin.description))
            }
            actions += listen(id, to: entity.settings.topics)
            if let report = members[id]?.light.beginning { actions.append(.report(id, report)) }
            return actions + reach(id) + warn(of: entity, origin)
        }
        switch member.source {
        case .announcement(key), .moving, .withdrawn:
            setAside[key] = nil
            announced[key] = id
            return actions + update(id, with: entity, source: .announcement(key)) + warn(of: entity, origin)
        case .announcement, .configuration:
            guard setAside.count < Self.maximumLights || setAside[key] != nil else { return actions }
            setAside[key] = (entity, origin)
            // Zigbee2MQTT tells of its lights in both ways, with the same ids.
            if case .announcement(let other) = member.source, other.isFromZigbee2MQTT != key.isFromZigbee2MQTT {
                return actions
            }
            return actions
                + warn(
                    "\(origin): the id \"\(MQTTProblem.quoted(id.rawValue))\" belongs to another light already; "
                        + "give each light a unique_id of its own", about: .message(origin))
        }
    }

    /// What a thing is known by.
    ///
    /// A `unique_id` is unique within its component: a switch and a light may have the same. Who comes second gets the
    /// component before it, and keeps that over restarts, in whatever order they are announced then.
    private func id(of entity: MQTTEntity, as key: DiscoveryKey) -> LightID {
        let plain = entity.description.id
        let own = LightID("\(key.component)/\(plain.rawValue)")
        guard entity.hasOwnID, Self.switchable.contains(key.component), LightIDRule.accepts(own.rawValue) else {
            return plain
        }
        if known.contains(own) || members[own] != nil { return own }
        guard case .announcement(let first)? = members[plain]?.source, first.component != key.component,
            Self.switchable.contains(first.component)
        else { return plain }
        return own
    }

    /// The components whose things are lights here; the ids of sensors are their own.
    private static let switchable: Set<String> = ["light", "switch", "fan"]

    /// Warns if there are too many of a kind to take one more.
    private mutating func warnOfTooMany(_ kind: LightKind) -> [MQTTAction]? {
        let isReading = kind == .sensor
        let limit = isReading ? Self.maximumReadings : Self.maximumLights
        guard members.values.count(where: { ($0.description.kind == .sensor) == isReading }) >= limit else {
            return nil
        }
        return warn(
            "more than \(limit) \(isReading ? "readings of sensors" : "lights") are announced; the rest is ignored",
            about: isReading ? .numberOfReadings : .numberOfLights)
    }

    private mutating func update(_ id: LightID, with entity: MQTTEntity, source: Source) -> [MQTTAction] {
        guard var member = members[id] else { return [] }
        var actions: [MQTTAction] = []
        var isNew = member.description != entity.description || member.device != entity.device
        // The operator may have had the bridge forget it meanwhile.
        if case .withdrawn = member.source { isNew = true }
        let isReadOtherwise = !member.light.hasSameAvailability(as: entity.settings)
        member.description = entity.description
        member.device = entity.device
        member.source = source
        if member.light.settings != entity.settings { actions += warn(nil, about: .commands(id)) }
        member.light.update(entity.settings)
        members[id] = member
        if isNew { actions.append(.added(entity.description)) }
        let topics = entity.settings.topics
        actions += unlisten(id, keeping: topics)
        if isReadOtherwise {
            for topic in topics where member.light.isWaiting(for: topic) { listeners[topic]?.remove(id) }
        }
        actions += listen(id, to: topics)
        return actions + reach(id)
    }

    /// An announcement is gone.
    private mutating func withdraw(_ key: DiscoveryKey, now: Duration) -> [MQTTAction] {
        if let aside = setAside.removeValue(forKey: key) { return warn(nil, about: .message(aside.origin)) }
        guard let id = announced.removeValue(forKey: key) else { return [] }
        let next = setAside.filter { $0.value.entity.description.id == id }.min { $0.key < $1.key }
        if let next {
            setAside[next.key] = nil
            announced[next.key] = id
            return warn(nil, about: .message(next.value.origin))
                + update(id, with: next.value.entity, source: .announcement(next.key))
        }
        members[id]?.source = .withdrawn(until: now + Self.grace)
        return unlisten(id, keeping: []) + reach(id)
    }

    /// An announcement is gone, and its light is about to be announced elsewhere.
    private mutating func release(_ key: DiscoveryKey) -> [MQTTAction] {
        if let aside = setAside.removeValue(forKey: key) { return warn(nil, about: .message(aside.origin)) }
        if let id = announced.removeValue(forKey: key) { members[id]?.source = .moving }
        return []
    }

    @discardableResult
    private mutating func listen(_ id: LightID, to topics: Set<String>) -> [MQTTAction] {
        var actions: [MQTTAction] = []
        for topic in topics.sorted() {
            let others = listeners[topic] ?? []
            guard !others.contains(id) else { continue }
            listeners[topic] = others.union([id])
            if let filter = TopicFilter(topic), filter.hasWildcard { wildcards.insert(filter) }
            for other in others where members[id]?.light.isWaiting(for: topic) == true {
                if let light = members[other]?.light { members[id]?.light.learnAvailability(from: light) }
            }
            // A topic that others listen to already has said what it has to say. Subscribed again, it repeats what the
            // broker has retained of it (MQTT 3.1.1, 3.8.4).
            if others.isEmpty || isMissing(topic, id) { actions.append(.subscribe(topic, qos: qos(of: topic))) }
        }
        return actions
    }

    /// Whether a light that begins to listen to a topic knows less than it says.
    private func isMissing(_ topic: String, _ id: LightID) -> Bool {
        guard let light = members[id]?.light else { return false }
        return light.settings.stateTopics.contains(topic) || light.isWaiting(for: topic)
    }

    private mutating func unlisten(_ id: LightID, keeping topics: Set<String>) -> [MQTTAction] {
        var actions: [MQTTAction] = []
        for (topic, ids) in listeners where ids.contains(id) && !topics.contains(topic) {
            listeners[topic] = ids.count > 1 ? ids.subtracting([id]) : nil
            guard ids.count == 1 else { continue }
            actions.append(.unsubscribe(topic))
            if let filter = TopicFilter(topic) { wildcards.remove(filter) }
        }
        return actions
    }

    private func qos(of topic: String) -> Int {
        (listeners[topic] ?? []).compactMap { members[$0]?.light.settings.qos }.max() ?? 0
    }

    // MARK: Sensors

    /// The actions with the readings of a device as one sensor.
    private mutating func joined(_ actions: [MQTTAction]) -> [MQTTAction] {
        guard kinds.contains(.sensor) else { return actions }
        var joined: [MQTTAction] = []
        joined.reserveCapacity(actions.count)
        for action in actions {
            switch action {
            case .added(let description) where description.kind == .sensor:
                joined += sensors.added(description, of: members[description.id]?.device).map(MQTTAction.init)
            case .removed(let id) where sensors.isReading(id): joined += sensors.removed(id).map(MQTTAction.init)
            case .report(let id, let report) where sensors.isReading(id):
                joined += sensors.reported(report, from: id).map(MQTTAction.init)
            default: joined.append(action)
            }
        }
        return joined
    }

    // MARK: Reach

    private func isReachable(_ member: Member) -> Bool {
        if case .withdrawn = member.source { return false }
        return !isLost && member.light.isAvailable
    }

    /// Reports whether a light is in reach, when that has changed.
    private mutating func reach(_ id: LightID) -> [MQTTAction] {
        guard let member = members[id] else { return [] }
        let reachable = isReachable(member)
        guard member.reported != reachable else { return [] }
        members[id]?.reported = reachable
        return [.report(id, LightReport(reachable: reachable))] + (reachable ? polls(of: [id]) : [])
    }

    // MARK: Warnings

    private mutating func warn(of entity: MQTTEntity, _ origin: Origin) -> [MQTTAction] {
        entity.losses.isEmpty
            ? []
            : warn(
                "\(origin): \(entity.losses.joined(separator: "; "))", about: .light(entity.description.id, origin))
    }

    private mutating func warn(_ text: String?, about subject: WarningSubject) -> [MQTTAction] {
        guard text != nil else { return warned.remove(subject) == nil ? [] : [.warn(nil, about: subject.name)] }
        guard warned.contains(subject) || warned.count < Self.maximumWarnings else { return [] }
        warned.insert(subject)
        return [.warn(text, about: subject.name)]
    }

    // MARK: Commands

    /// The gateway that a light's commands go through, if there is one.
    func gateway(of id: LightID) -> String? { members[id]?.light.settings.gateway }

    /// The messages that make a light do as it is told; a light that blinks stops blinking.
    package mutating func messages(
        for command: LightCommand, to id: LightID, now: Duration
    ) throws(LightError) -> [MQTTMessage] {
        var light = try reachableLight(id)
        do throws(LightError) {
            let messages = light.interruptIdentification(by: command, now: now) + (try light.messages(for: command))
            warn(of: light.failures, id)
            members[id]?.light = light
            return messages
        } catch {
            // Nothing of it is sent: all stays as it was.
            warn(of: light.failures, id)
            throw error
        }
    }

    /// Whether a command has led to a warning; ``timePassed(now:)`` tells it.
    var mustWarn: Bool { !warnings.isEmpty }

    private mutating func warn(of failures: [String: String], _ id: LightID) {
        guard failures != members[id]?.light.failures else { return }
        members[id]?.light.failures = failures
        let texts = failures.sorted { $0.key < $1.key }.map { name, reason in
            "\(name)_command_template: \(reason); \(name) is not set"
        }
        warnings += warn(
            "\(MQTTProblem.quoted(id.rawValue)): \(texts.joined(separator: "; "))", about: .commands(id))
    }

    private func reachableLight(_ id: LightID) throws(LightError) -> MQTTLight {
        guard let member = members[id] else { throw .unknownLight }
        guard isConnected, isReachable(member) else { throw .unreachable }
        return member.light
    }

    // MARK: Identification

    /// A light is to blink.
    ///
    /// - Returns: the number of this identification, and what the light is told in turn.
    package mutating func beginIdentification(of id: LightID) throws(LightError) -> (number: Int, blinks: [Bool]) {
        var light = try reachableLight(id)
        identifications += 1
        let blinks = light.beginIdentification(identifications)
        members[id]?.light = light
        return (identifications, blinks)
    }

    /// The messages of one blink; `nil` if the identification has ended.
    package mutating func blink(
        _ isLit: Bool, _ id: LightID, _ number: Int
    ) throws(LightError) -> [MQTTMessage]? {
        var light = try reachableLight(id)
        let messages = try light.blink(isLit, number)
        members[id]?.light = light
        return messages
    }

    /// The messages that leave a light as it was.
    package mutating func endIdentification(of id: LightID, _ number: Int, now: Duration) -> [MQTTMessage] {
        members[id]?.light.endIdentification(number, now: now) ?? []
    }

    /// A command was handed over.
    package mutating func handedOver(_ command: LightCommand, to id: LightID) -> LightReport? {
        members[id]?.light.handedOver(command)
    }

    /// Takes over what the bridge remembers of a light.
    package mutating func restore(_ known: LightReport, of id: LightID) {
        members[id]?.light.restore(known)
    }
}

extension MQTTAction {
    fileprivate init(_ change: SensorDevices.Change) {
        switch change {
        case .added(let description): self = .added(description)
        case .removed(let id): self = .removed(id)
        case .report(let id, let report): self = .report(id, report)
        }
    }
}

extension DiscoveryKey: Comparable {
    package static func < (left: DiscoveryKey, right: DiscoveryKey) -> Bool {
        (left.component, left.name) < (right.component, right.name)
    }
}
