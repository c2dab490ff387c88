package import BoundedJSON

/// The content of a discovery message, with long keys and complete topics.
package enum DiscoveryPayload: Equatable, Sendable {
    /// The message is empty: the announced entities were removed.
    case removed
    /// The announced entities will move to another topic. The entities must be kept, but this topic can be forgotten.
    case migrated
    case single(JSONObject)
    /// The parts of a device, with the names that its announcement gives them.
    case device([Part])

    /// A part of an announcement for a whole device.
    package struct Part: Equatable, Sendable {
        package var name: String
        package var platform: String
        /// The part's keys, including inherited keys.
        ///
        /// It is `nil` if the part has no key except its platform, which means that it must be removed.
        package var keys: JSONObject?
    }

    /// The keys that a part inherits from the device if it doesn't have them itself.
    private static let inherited = [
        "availability", "availability_mode", "availability_template", "availability_topic", "payload_available",
        "payload_not_available", "command_topic", "state_topic",
    ]
    private static let maximumParts = 256

    /// Parses a message on the topic of one entity or, if `isDevice` is `true`, of a whole device.
    ///
    /// - Throws: ``MQTTProblem`` if it is invalid.
    package init(_ payload: MQTTPayload, isDevice: Bool) throws(MQTTProblem) {
        guard !payload.bytes.isEmpty else {
            self = .removed
            return
        }
        guard let value = payload.json else { throw MQTTProblem("the announcement isn't valid JSON") }
        guard let object = value.object else { throw MQTTProblem("the announcement isn't a JSON object") }
        var keys = Self.expanded(object)
        if keys["migrate_discovery"]?.bool == true {
            self = .migrated
            return
        }
        let base = Self.takeBase(of: &keys)
        if let base { Self.complete(&keys, with: base) }
        guard isDevice else {
            self = .single(keys)
            return
        }
        guard let device = keys["device"], device.object != nil, keys["origin"]?.object != nil,
            let components = keys["components"]?.object
        else { throw MQTTProblem("an announcement of a device needs device, origin and components") }
        guard components.members.count <= Self.maximumParts else {
            throw MQTTProblem("the device has more than \(Self.maximumParts) components")
        }
        var parts: [Part] = []
        for member in components.members {
            guard let object = member.value.object else {
                throw MQTTProblem("the component \"\(MQTTProblem.quoted(member.name))\" isn't a JSON object")
            }
            var part = Self.expanded(object)
            guard let platform = part["platform"]?.string else {
                throw MQTTProblem("the component \"\(MQTTProblem.quoted(member.name))\" has no platform")
            }
            guard part.members.count > 1 else {
                parts.append(Part(name: member.name, platform: platform, keys: nil))
                continue
            }
            if let base = Self.takeBase(of: &part) ?? base { Self.complete(&part, with: base) }
            Self.inherit(from: keys, into: &part)
            part["device"] = device
            parts.append(Part(name: member.name, platform: platform, keys: part))
        }
        self = .device(parts)
    }

    private static func inherit(from device: JSONObject, into part: inout JSONObject) {
        // If a part has its own availability, in either form, it doesn't inherit the device's availability.
        let hasOwn = part["availability"] != nil || part["availability_topic"] != nil
        for key in inherited where part[key] == nil {
            if hasOwn, key == "availability" || key == "availability_topic" { continue }
            if let value = device[key] { part[key] = value }
        }
    }

    // MARK: Abbreviations and the base topic

    private static func expanded(_ object: JSONObject) -> JSONObject {
        var keys = renamed(object, DiscoveryAbbreviations.keys)
        if let device = keys["device"]?.object {
            keys["device"] = .object(renamed(device, DiscoveryAbbreviations.deviceKeys))
        }
        if let availability = keys["availability"], !availability.isNull {
            let entries = availability.array ?? [availability]
            keys["availability"] = .array(
                entries.map { entry in
                    entry.object.map { .object(renamed($0, DiscoveryAbbreviations.availabilityKeys)) } ?? entry
                })
        }
        return keys
    }

    private static func renamed(_ object: JSONObject, _ names: [String: String]) -> JSONObject {
        var result = JSONObject()
        for member in object.members.prefix(maximumKeys) { result[names[member.name] ?? member.name] = member.value }
        return result
    }

    /// The maximum number of keys that are read, to limit the work.
    ///
    /// It is more than any light has.
    private static let maximumKeys = 1000

    private static func takeBase(of keys: inout JSONObject) -> String? {
        defer { keys["~"] = nil }
        return keys["~"]?.string
    }

    private static func complete(_ keys: inout JSONObject, with base: String) {
        for member in keys.members {
            if member.name.hasSuffix("topic"), let topic = member.value.string {
                keys[member.name] = .string(completed(topic, base))
            } else if member.name == "availability", let entries = member.value.array {
                keys[member.name] = .array(
                    entries.map { entry in
                        guard var object = entry.object, let topic = object["topic"]?.string else { return entry }
                        object["topic"] = .string(completed(topic, base))
                        return .object(object)
                    })
            }
        }
    }

    private static func completed(_ topic: String, _ base: String) -> String {
        var topic = topic
        if topic.hasSuffix("~") { topic = topic.dropLast() + base }
        if topic.hasPrefix("~") { topic = base + topic.dropFirst() }
        return topic
    }
}
