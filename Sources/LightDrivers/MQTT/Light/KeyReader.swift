import BoundedJSON
import Jinja

/// Reads the keys of an announced or hand-written light.
///
/// Every error names the invalid key.
///
/// An invalid template isn't an error. Instead, the light loses the feature that needs the template, and the loss is
/// added to ``losses``.
final class KeyReader {
    let keys: JSONObject
    /// The entity whose name and state are available to templates.
    var entity: TemplateEntity?
    /// The lost features with the reasons.
    private(set) var losses: [Loss] = []

    /// A feature that is lost, usually because of an invalid template.
    struct Loss: Equatable {
        let key: String
        let text: String
    }

    /// The result of reading a template.
    enum TemplateKey {
        case missing
        case known(MessageTemplate)
        case notUnderstood
    }

    init(keys: JSONObject, entity: TemplateEntity? = nil) {
        self.keys = keys
        self.entity = entity
    }

    /// Adds a loss whose reason isn't an invalid template.
    func lose(_ key: String, _ text: String) { losses.append(Loss(key: key, text: "\(key): \(text)")) }

    func string(_ name: String, maximum: Int = MQTTLimits.text) throws(MQTTProblem) -> String? {
        guard let value = keys[name], !value.isNull else { return nil }
        switch value {
        case .string(let text):
            guard text.utf8.count <= maximum else { throw .about(name, "is longer than \(maximum) bytes") }
            return text
        case .integer(let number): return String(number)
        case .unsigned(let number): return String(number)
        case .number(let number): return String(number)
        case .bool(let bool): return bool ? "True" : "False"
        case .null, .array, .object: throw .about(name, "isn't text")
        }
    }

    /// Returns a Boolean value, in any form that Home Assistant accepts.
    func bool(_ name: String) throws(MQTTProblem) -> Bool? {
        guard let value = keys[name], !value.isNull else { return nil }
        if let bool = value.bool { return bool }
        if let number = value.double { return number != 0 }
        switch value.string.map({ $0.lowercased().trimmingWhitespace }) {
        case "1", "true", "yes", "on", "enable": return true
        case "0", "false", "no", "off", "disable": return false
        default: throw .about(name, "must be true or false")
        }
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(MQTTProblem) -> Int? {
        guard let value = keys[name], !value.isNull else { return nil }
        guard let number = value.double ?? value.string?.plainNumber, number.isFinite,
            let integer = Int(exactly: number.rounded()), range.contains(integer)
        else { throw .about(name, "isn't a number from \(range.lowerBound) to \(range.upperBound)") }
        return integer
    }

    /// Returns a topic, or `nil` if it is missing or empty.
    ///
    /// Only topics for subscriptions may have wildcards.
    func topic(_ name: String, mayHaveWildcards: Bool = false) throws(MQTTProblem) -> String? {
        guard let topic = try string(name), !topic.isEmpty else { return nil }
        guard topic.utf8.count <= MQTTLimits.topic else {
            throw .about(name, "is longer than \(MQTTLimits.topic) bytes")
        }
        let isClean = topic.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isClean, mayHaveWildcards ? TopicFilter(topic) != nil : !topic.contains(where: { "+#".contains($0) })
        else {
            throw .about(name, "contains a wildcard or a control character")
        }
        return topic
    }

    /// Reads a template.
    ///
    /// If it is invalid, adds a loss with the given consequence.
    func template(_ name: String, else consequence: String) throws(MQTTProblem) -> TemplateKey {
        guard let text = try string(name, maximum: JinjaLimits.source), !text.isEmpty else { return .missing }
        do throws(MQTTProblem) {
            return .known(try MessageTemplate(text, key: name, entity: entity))
        } catch {
            losses.append(Loss(key: name, text: "\(name): \(error.text); \(consequence)"))
            return .notUnderstood
        }
    }

    /// Returns a template, or `nil` if it is missing or invalid.
    ///
    /// An invalid template adds a loss with the given consequence.
    func known(_ name: String, else consequence: String) throws(MQTTProblem) -> MessageTemplate? {
        if case .known(let template) = try template(name, else: consequence) { template } else { nil }
    }

    /// Returns the source of an attribute such as `brightness`, or `nil` if its topic is missing or its template is
    /// invalid.
    func source(_ name: String) throws(MQTTProblem) -> MQTTLightSettings.Source? {
        try source(topic: "\(name)_state_topic", template: "\(name)_value_template")
    }

    /// Returns the source with the given keys for its topic and template, or `nil` if the topic is missing or the
    /// template is invalid.
    func source(topic: String, template: String) throws(MQTTProblem) -> MQTTLightSettings.Source? {
        guard let topic = try self.topic(topic, mayHaveWildcards: true) else { return nil }
        switch try self.template(template, else: "the state isn't read") {
        case .missing: return .init(topic: topic)
        case .known(let template): return .init(topic: topic, template: template)
        case .notUnderstood: return nil
        }
    }

    /// Returns the command for an attribute such as `brightness`, or `nil` if its topic is missing or its template is
    /// invalid.
    func command(_ name: String, else loss: String) throws(MQTTProblem) -> MQTTLightSettings.Command? {
        try command(topic: "\(name)_command_topic", template: "\(name)_command_template", else: loss)
    }

    /// Returns the command with the given keys for its topic and template, or `nil` if the topic is missing or the
    /// template is invalid.
    func command(
        topic: String, template: String, else loss: String
    ) throws(MQTTProblem) -> MQTTLightSettings.Command? {
        guard let topic = try self.topic(topic) else { return nil }
        switch try self.template(template, else: loss) {
        case .missing: return .init(topic: topic)
        case .known(let template): return .init(topic: topic, template: template)
        case .notUnderstood: return nil
        }
    }

    func availability() throws(MQTTProblem) -> Availability {
        var mode = Availability.Mode.latest
        if let name = try string("availability_mode") {
            guard let known = Availability.Mode(rawValue: name) else {
                throw .about("availability_mode", "must be all, any or latest")
            }
            mode = known
        }
        let single = try topic("availability_topic", mayHaveWildcards: true)
        guard let list = keys["availability"], !list.isNull else {
            guard let single else { return Availability(mode: mode) }
            let source = try availability(on: single, template: "availability_template")
            return Availability(sources: source.map { [$0] } ?? [], mode: mode)
        }
        guard single == nil else { throw .about("availability", "and availability_topic can't be combined") }
        let entries = list.array ?? [list]
        guard entries.count <= Self.maximumSources else {
            throw .about("availability", "has more than \(Self.maximumSources) entries")
        }
        var sources: [Availability.Source] = []
        for entry in entries {
            guard let object = entry.object else { throw .about("availability", "isn't a list of objects") }
            let reader = KeyReader(keys: object, entity: entity)
            guard let topic = try reader.topic("topic", mayHaveWildcards: true) else {
                throw .about("availability", "has an entry without a topic")
            }
            if let source = try reader.availability(on: topic, template: "value_template") { sources.append(source) }
            losses += reader.losses
        }
        return Availability(sources: sources, mode: mode)
    }

    /// Returns the source of the availability on a topic, or `nil` if its template is invalid.
    private func availability(on topic: String, template: String) throws(MQTTProblem) -> Availability.Source? {
        var source = Availability.Source(
            topic: topic, available: try string("payload_available") ?? "online",
            notAvailable: try string("payload_not_available") ?? "offline")
        switch try self.template(template, else: "this topic isn't used for availability") {
        case .missing: break
        case .known(let template): source.template = template
        case .notUnderstood: return nil
        }
        return source
    }

    private static let maximumSources = 16
}
