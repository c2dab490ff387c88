import BoundedJSON

/// Reads the keys of an announced or hand-written light; every error names the key.
struct KeyReader {
    let keys: JSONObject

    func string(_ name: String) throws(MQTTProblem) -> String? {
        guard let value = keys[name], !value.isNull else { return nil }
        switch value {
        case .string(let text):
            guard text.utf8.count <= MQTTLimits.text else {
                throw MQTTProblem("\(name) is longer than \(MQTTLimits.text) bytes")
            }
            return text
        case .integer(let number): return String(number)
        case .unsigned(let number): return String(number)
        case .number(let number): return String(number)
        case .bool(let bool): return bool ? "True" : "False"
        case .null, .array, .object: throw MQTTProblem("\(name) is not text")
        }
    }

    func bool(_ name: String) throws(MQTTProblem) -> Bool? {
        guard let value = keys[name], !value.isNull else { return nil }
        if let bool = value.bool { return bool }
        switch value.string?.lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw MQTTProblem("\(name) is neither true nor false")
        }
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(MQTTProblem) -> Int? {
        guard let value = keys[name], !value.isNull else { return nil }
        guard let number = value.double ?? value.string.flatMap(Double.init), number.isFinite,
            let integer = Int(exactly: number.rounded()), range.contains(integer)
        else { throw MQTTProblem("\(name) is not a number from \(range.lowerBound) to \(range.upperBound)") }
        return integer
    }

    /// A topic without wildcards.
    func topic(_ name: String) throws(MQTTProblem) -> String? {
        guard let topic = try string(name), !topic.isEmpty else { return nil }
        guard topic.utf8.count <= MQTTLimits.topic else {
            throw MQTTProblem("\(name) is longer than \(MQTTLimits.topic) bytes")
        }
        guard topic.unicodeScalars.allSatisfy({ $0 != "+" && $0 != "#" && $0.properties.generalCategory != .control })
        else { throw MQTTProblem("\(name) has a wildcard or a control character") }
        return topic
    }

    func template(_ name: String) throws(MQTTProblem) -> ValueTemplate? {
        guard let text = try string(name), !text.isEmpty else { return nil }
        guard let template = ValueTemplate(text) else {
            throw MQTTProblem("the template in \(name) is not one that can be evaluated here")
        }
        return template
    }

    /// Refuses templates for commands, but for the one that changes nothing.
    func refuseTemplate(_ name: String) throws(MQTTProblem) {
        guard let text = try string(name), !text.isEmpty else { return }
        guard text.filter({ !$0.isWhitespace }) == "{{value}}" else {
            throw MQTTProblem("the template in \(name) is not one that can be evaluated here")
        }
    }

    func availability() throws(MQTTProblem) -> Availability {
        var mode = Availability.Mode.latest
        if let name = try string("availability_mode") {
            guard let known = Availability.Mode(rawValue: name) else {
                throw MQTTProblem("availability_mode is none of all, any, latest")
            }
            mode = known
        }
        let single = try topic("availability_topic")
        guard let list = keys["availability"], !list.isNull else {
            guard let single else { return Availability(mode: mode) }
            let source = Availability.Source(
                topic: single, template: try template("availability_template"),
                available: try string("payload_available") ?? "online",
                notAvailable: try string("payload_not_available") ?? "offline")
            return Availability(sources: [source], mode: mode)
        }
        guard single == nil else { throw MQTTProblem("availability and availability_topic exclude each other") }
        let entries = list.array ?? [list]
        guard entries.count <= Self.maximumSources else {
            throw MQTTProblem("availability has more than \(Self.maximumSources) entries")
        }
        var sources: [Availability.Source] = []
        for entry in entries {
            guard let object = entry.object else { throw MQTTProblem("availability is not a list of objects") }
            let reader = KeyReader(keys: object)
            guard let topic = try reader.topic("topic") else {
                throw MQTTProblem("an entry of availability has no topic")
            }
            sources.append(
                Availability.Source(
                    topic: topic, template: try reader.template("value_template"),
                    available: try reader.string("payload_available") ?? "online",
                    notAvailable: try reader.string("payload_not_available") ?? "offline"))
        }
        return Availability(sources: sources, mode: mode)
    }

    private static let maximumSources = 16
}
