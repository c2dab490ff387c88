package import BoundedJSON

/// What a discovery message says, with long keys and whole topics.
package enum DiscoveryPayload: Equatable, Sendable {
    /// The message is empty: what was announced on its topic is gone.
    case removed
    /// Forget this topic, and keep what was announced on it: it will be announced elsewhere.
    case migrated
    case single(JSONObject)
    /// All parts of a device, by the producer's names; `nil` if there is a part without anything but its platform.
    case device([Part])

    /// One part of a device-wide announcement.
    package struct Part: Equatable, Sendable {
        package var name: String
        package var platform: String
        /// Its keys, with those it inherits; `nil` if it is to be removed.
        package var keys: JSONObject?
    }

    /// What a part takes from the device if it does not say otherwise, and nothing else.
    private static let inherited = [
        "availability", "availability_mode", "availability_template", "availability_topic", "payload_available",
        "payload_not_available", "command_topic", "state_topic",
    ]
    private static let maximumParts = 256

    /// Reads a message on a topic for one thing, or for a whole device.
    ///
    /// - Throws: ``MQTTProblem`` if it is none that can be understood.
    package init(_ payload: MQTTPayload, isDevice: Bool) throws(MQTTProblem) {
        guard !payload.bytes.isEmpty else {
            self = .removed
            return
        }
        guard let value = payload.json else { throw MQTTProblem("the announcement is not valid JSON") }
        guard let object = value.object else { throw MQTTProblem("the announcement is not a JSON object") }
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
                throw MQTTProblem("the component \"\(MQTTProblem.quoted(member.name))\" is not a JSON object")
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
        // A part that names its own availability means that one, whichever of the two forms it has.
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

    /// More keys than any light has; what stands behind them is not read, so that the work stays small.
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
