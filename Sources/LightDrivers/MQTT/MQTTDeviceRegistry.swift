package import DeviceKit
internal import HAPModel
import SystemKit

/// An action that the registry of a broker's lights requests.
package enum MQTTAction: Equatable, Sendable {
    case subscribe(String, qos: Int)
    case unsubscribe(String)
    case added(LightDescription)
    case removed(LightID)
    case report(LightID, LightReport)
    /// Momentary events of a light.
    case occurred(LightID, PropertyValues)
    case warn(String?, about: String)
    /// An entity was announced without a `unique_id`. If its topic changes, it becomes a different accessory.
    case idMissing(topic: String)
    case publish(MQTTMessage)
}

/// A state machine for all lights on one broker.
///
/// It manages the lights, their announcements, subscriptions and reachability.
///
/// Rules:
/// - The `unique_id` identifies a light, regardless of the topic of its announcement. A second announcement with the
///   same id is set aside with a warning. It takes effect when the first announcement is withdrawn.
/// - A light is withdrawn by an empty announcement. Then it becomes unreachable, and is removed if it isn't announced
///   again within 5 seconds. The delay is needed because producers withdraw a light and announce it again to rename it
///   (Decision 28). A light that is merely silent is never removed.
/// - When the connection to the broker is lost, commands fail at once. All lights are reported as unreachable 5 seconds
///   later.
/// - The number of lights is limited, and so is the registry's memory.
package struct MQTTDeviceRegistry: Sendable {
    /// The time after which a withdrawn light is removed.
    package static let grace: Duration = .seconds(5)
    /// The time without a connection to the broker after which its lights are unreachable.
    package static let timeout: Duration = .seconds(5)
    package static let maximumLights = 1500
    /// The maximum number of sensor readings.
    ///
    /// A home has many more readings than lights.
    package static let maximumReadings = 4500

    private var reader: AnnouncementReader
    /// The kinds that are shown; the values of other devices aren't needed.
    private var kinds = Set(LightKind.allCases)
    /// The kinds of the accessories that had an aid on the bridge before the start.
    private var known: [LightID: LightKind] = [:]
    private var parts = MQTTDeviceParts()
    private var members = MQTTMembers()
    private var announced: [DiscoveryKey: LightID] = [:]
    private var setAside: [DiscoveryKey: (entity: MQTTEntity, origin: AnnouncementOrigin)] = [:]
    /// The keys of the known entities on each topic that describes more than one entity.
    private var keys: [String: Set<DiscoveryKey>] = [:]
    private var listeners = MQTTListeners()
    private var warnings = MQTTWarnings()
    /// The warnings about messages and commands that ``timePassed(now:)`` will return.
    private var failureWarnings: [MQTTAction] = []
    private var identifications = 0
    private var unreadable = 0
    private var isConnected = false
    private var lostAt: Duration?
    private var isLost = true

    /// Creates a registry with the given prefixes for its ``AnnouncementReader`` and the given hand-written lights,
    /// whose ids must be unique.
    package init(prefix: String?, tasmota: String? = nil, zigbee2MQTT: String? = nil, lights: [MQTTEntity]) {
        reader = AnnouncementReader(prefix: prefix, tasmota: tasmota, zigbee2MQTT: zigbee2MQTT)
        for entity in lights {
            members[entity.description.id] = MQTTMember(
                description: entity.description, light: MQTTLight(entity.settings), source: .configuration)
        }
        for entity in lights { listen(entity.description.id, to: entity.settings.topics) }
    }

    /// Starts the registry and adds the hand-written lights.
    ///
    /// - Parameters:
    ///   - kinds: The kinds to show. The values of other devices aren't received.
    ///   - known: The ids of the accessories that the bridge showed before the start.
    ///   - knownKinds: The kinds of all accessories that had an aid on the bridge.
    /// - Returns: The actions that add the hand-written lights.
    package mutating func started(
        kinds: Set<LightKind> = Set(LightKind.allCases), known: [LightID] = [], knownKinds: [LightID: LightKind] = [:]
    ) -> [MQTTAction] {
        self.kinds = kinds
        self.known = knownKinds
        parts = MQTTDeviceParts(kinds: kinds, known: known)
        let ids = members.ids
        return ids.compactMap { members[$0] }.map { .added($0.description) } + ids.flatMap { reach($0) }
    }

    package var deadline: Duration? {
        let lossAt = lostAt.map { $0 + Self.timeout }
        return [members.deadline, parts.deadline, lossAt, mustWarn ? .zero : nil].compactMap(\.self).min()
    }

    // MARK: Broker

    /// Subscribes to all topics again, because each connection begins with a clean session.
    package mutating func connected() -> [MQTTAction] {
        isConnected = true
        isLost = false
        lostAt = nil
        var actions = reader.filters.map { MQTTAction.subscribe($0, qos: 0) }
        actions += listeners.topics.sorted().map { .subscribe($0, qos: qos(of: $0)) }
        for id in members.ids {
            // Lights that remained reachable during a short loss of the connection must also be queried.
            actions += members[id]?.reported == true ? polls(of: [id]) : []
            actions += reach(id)
        }
        return parts.joined(Self.withoutRepetitions(actions), now: .zero)
    }

    package mutating func disconnected(now: Duration) {
        if isConnected { lostAt = now }
        isConnected = false
    }

    package mutating func timePassed(now: Duration) -> [MQTTAction] {
        var actions = failureWarnings
        failureWarnings = []
        if let since = lostAt, since + Self.timeout <= now {
            lostAt = nil
            isLost = true
            for id in members.ids { actions += reach(id) }
        }
        for id in members.due(now: now) {
            for report in members[id]?.light.timePassed(now: now) ?? [] { actions.append(.report(id, report)) }
            guard let end = members[id]?.endsAt, end <= now else { continue }
            members[id] = nil
            actions += [.removed(id)] + warnings.warn(nil, about: .failures(id))
        }
        actions = parts.joined(actions, now: now)
        for key in parts.due(now: now) {
            let (placed, warning) = parts.place(key)
            actions += warnings.warn(warning, about: .scenes(key)) + placed
        }
        return actions
    }

    /// Removes withdrawn lights at once, because they aren't announced as withdrawn again after the next start.
    package mutating func stopped() -> [MQTTAction] {
        let withdrawn = members.ids.filter { members[$0]?.endsAt != nil }
        for id in withdrawn { members[id] = nil }
        return parts.joined(withdrawn.map { .removed($0) }, now: .zero)
    }

    // MARK: Messages

    package mutating func received(topic: String, payload: MQTTPayload, now: Duration) -> [MQTTAction] {
        var actions = listeners.subscriptions(for: topic).flatMap { received($0, payload, now: now) }
        guard let place = reader.place(of: topic) else {
            return parts.joined(Self.withoutRepetitions(actions), now: now)
        }
        // Former warnings about this topic are withdrawn below unless they still apply.
        let former = warnings.reset(topic: topic)
        do throws(MQTTProblem) {
            for announcement in try reader.read(payload, on: topic, place) { actions += take(announcement, now: now) }
        } catch {
            if case .homeAssistant(let place) = place, !isShown(place.component) {
                return parts.joined(actions, now: now)
            }
            actions += ignored(
                MQTTProblem.quoted(topic, maximum: 200), error, about: AnnouncementOrigin(topic: topic))
        }
        return parts.joined(Self.withoutRepetitions(actions), now: now) + warnings.ended(of: former)
    }

    private mutating func ignored(
        _ name: String, _ problem: MQTTProblem, about origin: AnnouncementOrigin
    ) -> [MQTTAction] {
        warnings.warn("\(name): \(problem.text); the announcement is ignored", about: .message(origin))
    }

    /// Removes duplicate actions.
    ///
    /// One subscription is enough to deliver the retained messages to all lights, and one query covers several outputs
    /// of a device.
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

    /// Processes a message for the listeners of one subscription, whose topic filter may contain wildcards.
    private mutating func received(_ topic: String, _ payload: MQTTPayload, now: Duration) -> [MQTTAction] {
        var actions: [MQTTAction] = []
        for id in listeners[topic].sorted(by: { $0.rawValue < $1.rawValue }) {
            if members[id]?.light.isUnreadable(topic: topic, payload) == true { unreadable += 1 }
            let reports = members[id]?.light.received(topic: topic, payload: payload, now: now) ?? []
            warnOfFailures(id)
            // Report reachability first, because values of an unreachable light aren't visible.
            actions += reach(id)
            actions += reports.map { .report(id, $0) }
            if let events = members[id]?.light.events(topic: topic, payload), !events.isEmpty,
                let target = parts.accessory(of: id)
            {
                actions.append(.occurred(target, events))
            }
        }
        return actions
    }

    /// Returns the number of unreadable state messages since the last call.
    package mutating func takeUnreadable() -> Int {
        defer { unreadable = 0 }
        return unreadable
    }

    package mutating func tooLong(topic: String) -> [MQTTAction] {
        warnings.warn(
            "\(MQTTProblem.quoted(topic)): a message longer than \(MQTTLimits.payload) bytes is ignored",
            about: .message(AnnouncementOrigin(topic: MQTTProblem.quoted(topic))))
    }

    /// Returns the state queries for the given lights, without lights that report their state unprompted.
    private func polls(of ids: [LightID]) -> [MQTTAction] {
        guard isConnected else { return [] }
        return ids.compactMap { members[$0]?.light.settings }.filter { kinds.contains($0.kind) }.compactMap(\.poll)
            .map { .publish($0) }
    }

    // MARK: Announcements

    private mutating func take(_ announcement: Announcement, now: Duration) -> [MQTTAction] {
        switch announcement {
        case .thing(let entity, let key, let origin): announce(entity, as: key, at: origin, now: now)
        case .gone(let key): withdraw(key, now: now)
        case .moving(let key): release(key)
        case .things(let things, let topic, let isComplete):
            take(things, on: topic, isComplete: isComplete, now: now)
        case .allMoving(let topic): (keys.removeValue(forKey: topic) ?? []).sorted().flatMap { release($0) }
        }
    }

    /// Processes a message about several entities.
    ///
    /// If the message lists all entities of its topic, entities that are no longer listed are withdrawn.
    private mutating func take(
        _ things: [Announcement.Part], on topic: String, isComplete: Bool, now: Duration
    ) -> [MQTTAction] {
        let former = keys[topic] ?? []
        var actions: [MQTTAction] = []
        var current: Set<DiscoveryKey> = []
        for thing in things {
            current.insert(thing.key)
            switch thing.content {
            case .entity(let entity): actions += announce(entity, as: thing.key, at: thing.origin, now: now)
            case .hidden: actions += withdraw(thing.key, now: now)
            case .problem(let problem):
                guard isShown(thing.key.component) else { break }
                actions += ignored("\(thing.origin)", problem, about: thing.origin)
            case .unchanged: current.formUnion(former.filter { $0.name.hasPrefix("\(thing.key.name)_") })
            }
        }
        if isComplete {
            actions += former.subtracting(current).sorted().flatMap { withdraw($0, now: now) }
        } else {
            current.formUnion(former)
        }
        // Store only the keys of known entities, so that announcements of ignored entities don't use memory.
        let known = current.filter { announced[$0] != nil || setAside[$0] != nil }
        keys[topic] = known.isEmpty ? nil : known
        return actions
    }

    private mutating func announce(
        _ entity: MQTTEntity, as key: DiscoveryKey, at origin: AnnouncementOrigin, now: Duration
    ) -> [MQTTAction] {
        var entity = entity
        let id = id(of: entity, as: key)
        entity.description.id = id
        var actions: [MQTTAction] = []
        if let earlier = announced[key] ?? setAside[key]?.entity.description.id, earlier != id {
            actions += withdraw(key, now: now)
        }
        if key.isFromZigbee2MQTT, let member = members[id], case .announcement(let other) = member.source,
            !other.isFromZigbee2MQTT, member.description.kind != entity.description.kind,
            [.airPurifier, .valve].contains(entity.description.kind)
        {
            // Zigbee2MQTT announces air purifiers to Home Assistant as fans, and valves as switches. Its own list is
            // more precise.
            actions += release(other)
        }
        guard let member = members[id] else {
            if let warning = warnOfTooMany(entity) { return actions + warning }
            _ = parts.announced(MQTTPart(entity), now: now)
            members[id] = MQTTMember(
                description: entity.description, light: MQTTLight(entity.settings), source: .announcement(key))
            announced[key] = id
            actions.append(.added(entity.description))
            if !entity.hasOwnID {
                actions.append(.idMissing(topic: origin.description))
            }
            actions += listen(id, to: topics(of: entity))
            if let report = members[id]?.light.settings.component?.beginning { actions.append(.report(id, report)) }
            return actions + reach(id) + warn(of: entity, origin)
        }
        switch member.source {
        case .announcement(key), .moving, .withdrawn:
            setAside[key] = nil
            announced[key] = id
            return actions + update(id, with: entity, source: .announcement(key), now: now) + warn(of: entity, origin)
        case .announcement, .configuration:
            guard setAside.count < Self.maximumLights || setAside[key] != nil else { return actions }
            setAside[key] = (entity, origin)
            // Don't warn about Zigbee2MQTT, which lists its lights and also announces them to Home Assistant with the
            // same ids.
            if case .announcement(let other) = member.source, other.isFromZigbee2MQTT != key.isFromZigbee2MQTT {
                return actions
            }
            return actions
                + warnings.warn(
                    "\(origin): the id \"\(MQTTProblem.quoted(id.rawValue))\" already belongs to another light; "
                        + "give each light a different unique_id", about: .message(origin))
        }
    }

    /// Returns whether the devices of a component are shown.
    private func isShown(_ component: String) -> Bool {
        let types = MQTTComponents.all.filter { $0.names.contains(component) }
        return types.isEmpty || types.contains { kinds.contains($0.kind) }
    }

    /// Returns the topics to subscribe to for an entity.
    private func topics(of entity: MQTTEntity) -> Set<String> {
        let isShown =
            kinds.contains(entity.description.kind)
            // A remote control shows its battery, so battery readings are needed, too.
            || (kinds.contains(.button) && entity.description.capabilities.readings.contains(where: \.isBattery))
        return isShown ? entity.settings.topics : []
    }

    /// Returns the id of an entity.
    ///
    /// A `unique_id` is unique only within its component, so a light and a lock may have the same `unique_id`. In that
    /// case, the id of one entity gets its component as a prefix. This is the entity that the bridge doesn't know yet,
    /// or the second announced entity if the bridge knows neither. The ids don't depend on the order of later
    /// announcements.
    private func id(of entity: MQTTEntity, as key: DiscoveryKey) -> LightID {
        let plain = entity.description.id
        let own = LightID("\(key.component)/\(plain.rawValue)")
        guard entity.hasOwnID, let possible = Self.switchable[key.component], LightIDRule.accepts(own.rawValue),
            // Zigbee2MQTT's ids contain the component, and its list may contain the same entity as another kind.
            !plain.rawValue.hasSuffix("_zigbee2mqtt")
        else { return plain }
        if known[own] != nil || members[own] != nil { return own }
        switch members[plain]?.source {
        case .configuration?: return plain
        case .announcement(let first)?:
            return first.component == key.component || Self.switchable[first.component] == nil ? plain : own
        case .moving?, .withdrawn?, nil:
            let former = members[plain]?.description.kind ?? known[plain]
            return former.map(possible.contains) == false ? own : plain
        }
    }

    /// The components whose ids may collide, with the kinds of accessories that they announce.
    ///
    /// A light may become a switch, and keeps its accessory. Sensors and buttons aren't included, because their ids
    /// already contain the component.
    private static let switchable: [String: Set<LightKind>] = {
        let switches: Set<LightKind> = [.light, .switch, .outlet]
        var kinds = ["light": switches, "switch": switches]
        for type in MQTTComponents.all where !type.isPart {
            for name in type.names { kinds[name, default: []].insert(type.kind) }
        }
        return kinds
    }()

    /// Returns a warning if the maximum number of such entities is reached; otherwise `nil`.
    private mutating func warnOfTooMany(_ entity: MQTTEntity) -> [MQTTAction]? {
        let isPart = entity.settings.isPart
        let limit = isPart ? Self.maximumReadings : Self.maximumLights
        guard (isPart ? members.parts : members.lights) >= limit else { return nil }
        guard kinds.contains(entity.description.kind) else { return [] }
        return warnings.warn(
            "more than \(limit) \(isPart ? "readings of sensors" : "lights") are announced; the others are ignored",
            about: isPart ? .numberOfReadings : .numberOfLights)
    }

    private mutating func update(
        _ id: LightID, with entity: MQTTEntity, source: MQTTMember.Source, now: Duration
    ) -> [MQTTAction] {
        guard var member = members[id] else { return [] }
        var actions: [MQTTAction] = []
        var isNew = parts.announced(MQTTPart(entity), now: now) || member.description != entity.description
        // Add it again, because the operator may have removed the withdrawn light from the bridge.
        if case .withdrawn = member.source { isNew = true }
        let isReadOtherwise = !member.light.hasSameAvailability(as: entity.settings)
        let formerTopics = member.light.settings.topics
        member.description = entity.description
        member.source = source
        if member.light.settings != entity.settings {
            actions += warnings.warn(nil, about: .failures(id))
            member.warnedFailures = [:]
        }
        member.light.update(entity.settings)
        members[id] = member
        if isNew { actions.append(.added(entity.description)) }
        let topics = topics(of: entity)
        actions += unlisten(id, to: formerTopics.subtracting(topics))
        if isReadOtherwise {
            for topic in topics where member.light.isWaiting(for: topic) { _ = listeners.remove(id, for: topic) }
        }
        actions += listen(id, to: topics)
        return actions + reach(id)
    }

    private mutating func withdraw(_ key: DiscoveryKey, now: Duration) -> [MQTTAction] {
        if let aside = setAside.removeValue(forKey: key) { return warnings.warn(nil, about: .message(aside.origin)) }
        guard let id = announced.removeValue(forKey: key) else { return [] }
        let next = setAside.filter { $0.value.entity.description.id == id }.min { $0.key < $1.key }
        if let next {
            setAside[next.key] = nil
            announced[next.key] = id
            let (entity, origin) = next.value
            return warnings.warn(nil, about: .message(origin))
                + update(id, with: entity, source: .announcement(next.key), now: now)
                + warn(of: entity, origin)
        }
        members[id]?.source = .withdrawn(until: now + Self.grace)
        parts.withdrawn(id)
        return unlisten(id, to: members[id]?.light.settings.topics ?? []) + reach(id)
    }

    /// Forgets an announcement whose light is about to be announced on another topic, and keeps the light.
    private mutating func release(_ key: DiscoveryKey) -> [MQTTAction] {
        if let aside = setAside.removeValue(forKey: key) { return warnings.warn(nil, about: .message(aside.origin)) }
        if let id = announced.removeValue(forKey: key) { members[id]?.source = .moving }
        return []
    }

    @discardableResult
    private mutating func listen(_ id: LightID, to topics: Set<String>) -> [MQTTAction] {
        var actions: [MQTTAction] = []
        for topic in topics.sorted() {
            let others = listeners[topic]
            guard !others.contains(id) else { continue }
            listeners.insert(id, for: topic)
            for other in others {
                guard members[id]?.light.isWaiting(for: topic) == true, let light = members[other]?.light else { break }
                members[id]?.light.learnAvailability(from: light)
            }
            // If a topic already has other listeners, its messages were delivered before. Another subscription makes
            // the broker send the retained messages again (MQTT 3.1.1, 3.8.4).
            if others.isEmpty || isMissing(topic, id) { actions.append(.subscribe(topic, qos: qos(of: topic))) }
        }
        return actions
    }

    /// Returns whether a new listener needs the retained messages of a topic.
    private func isMissing(_ topic: String, _ id: LightID) -> Bool {
        guard let light = members[id]?.light else { return false }
        return light.settings.stateTopics.contains(topic) || light.isWaiting(for: topic)
    }

    private mutating func unlisten(_ id: LightID, to topics: Set<String>) -> [MQTTAction] {
        topics.sorted().filter { listeners.remove(id, for: $0) }.map { .unsubscribe($0) }
    }

    private func qos(of topic: String) -> Int {
        listeners[topic].compactMap { members[$0]?.light.settings.qos }.max() ?? 0
    }

    // MARK: Reachability

    private func isReachable(_ member: MQTTMember) -> Bool {
        if case .withdrawn = member.source { return false }
        return !isLost && member.light.isAvailable
    }

    /// Reports a light's reachability if that has changed.
    private mutating func reach(_ id: LightID) -> [MQTTAction] {
        guard let member = members[id] else { return [] }
        let reachable = isReachable(member)
        guard member.reported != reachable else { return [] }
        members[id]?.reported = reachable
        return [.report(id, LightReport(reachable: reachable))] + (reachable ? polls(of: [id]) : [])
    }

    // MARK: Warnings

    private mutating func warn(of entity: MQTTEntity, _ origin: AnnouncementOrigin) -> [MQTTAction] {
        entity.losses.isEmpty || !kinds.contains(entity.description.kind)
            ? []
            : warnings.warn(
                "\(origin): \(entity.losses.joined(separator: "; "))", about: .light(entity.description.id, origin))
    }

    // MARK: Commands

    /// Returns the gateway that forwards a light's commands, or `nil` if there is none.
    func gateway(of id: LightID) -> String? { members[parts.entity(of: id)]?.light.settings.gateway }

    /// Returns the file with the code of a lock or an alarm panel, or `nil` if the configuration names no file.
    func codeFile(of id: LightID) -> SecretFile? { members[id]?.light.settings.codeFile }

    /// Returns the messages for a command, which ends a running identification of the light.
    ///
    /// `code` is the code that was read from the device's file.
    package mutating func messages(
        for command: LightCommand, to id: LightID, code: String? = nil, now: Duration
    ) throws(LightError) -> [MQTTMessage] {
        let (others, own) = parts.divided(command, to: id)
        var messages =
            try own.map { (own) throws(LightError) in try ownMessages(for: own, to: id, code, now: now) } ?? []
        for (part, command) in others { messages += try ownMessages(for: command, to: part, nil, now: now) }
        return messages
    }

    private mutating func ownMessages(
        for command: LightCommand, to id: LightID, _ code: String?, now: Duration
    ) throws(LightError) -> [MQTTMessage] {
        var light = try reachableLight(id)
        light.commandTime = now
        light.code = code
        defer { members[id]?.light.code = nil }
        do throws(LightError) {
            let messages = light.interruptIdentification(by: command, now: now) + (try light.messages(for: command))
            members[id]?.light = light
            warnOfFailures(id)
            return messages
        } catch {
            // Nothing is sent, so keep the light's state except for the template failures.
            members[id]?.light.noteFailures(of: light)
            warnOfFailures(id)
            throw error
        }
    }

    /// A Boolean value that indicates whether ``timePassed(now:)`` has warnings about messages or commands to return.
    var mustWarn: Bool { !failureWarnings.isEmpty }

    private mutating func warnOfFailures(_ id: LightID) {
        guard let failures = members[id]?.light.failures, failures != members[id]?.warnedFailures else { return }
        members[id]?.warnedFailures = failures
        let texts = failures.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        failureWarnings += warnings.warn(
            texts.isEmpty ? nil : "\(MQTTProblem.quoted(id.rawValue)): \(texts.joined(separator: "; "))",
            about: .failures(id))
    }

    private func reachableLight(_ id: LightID) throws(LightError) -> MQTTLight {
        // The accessory of a scene that was withdrawn remains for a moment.
        guard let member = members[id] else { throw parts.isSettling(id) ? .busy : .unknownLight }
        guard isConnected, isReachable(member) else { throw .unreachable }
        return member.light
    }

    // MARK: Identification

    /// Starts an identification.
    ///
    /// Returns its number and the power states that must be sent in order.
    package mutating func beginIdentification(of id: LightID) throws(LightError) -> (number: Int, blinks: [Bool]) {
        let id = parts.entity(of: id)
        var light = try reachableLight(id)
        identifications += 1
        let blinks = light.beginIdentification(identifications)
        members[id]?.light = light
        return (identifications, blinks)
    }

    /// Returns the messages of one blink, or `nil` if the identification has ended.
    package mutating func blink(
        _ isLit: Bool, _ id: LightID, _ number: Int
    ) throws(LightError) -> [MQTTMessage]? {
        var light = try reachableLight(id)
        let messages = try light.blink(isLit, number)
        members[id]?.light = light
        return messages
    }

    package mutating func endIdentification(of id: LightID, _ number: Int, now: Duration) -> [MQTTMessage] {
        members[id]?.light.endIdentification(number, now: now) ?? []
    }

    package mutating func handedOver(_ command: LightCommand, to id: LightID) -> LightReport? {
        let (others, own) = parts.divided(command, to: id)
        var report = own.flatMap { members[id]?.light.handedOver($0) }
        for (part, command) in others {
            guard let more = members[part]?.light.handedOver(command) else { continue }
            report = report ?? LightReport()
            report?.merge(parts.handedOver(more, to: part))
        }
        return report
    }

    package mutating func restore(_ known: LightReport, of id: LightID) {
        members[id]?.light.restore(known)
    }
}

extension DiscoveryKey: Comparable {
    package static func < (left: DiscoveryKey, right: DiscoveryKey) -> Bool {
        (left.component, left.name) < (right.component, right.name)
    }
}
