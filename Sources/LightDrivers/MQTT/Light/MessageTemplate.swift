internal import DeviceKit
internal import Jinja

/// The entity that Home Assistant would create from an announcement.
///
/// Templates can use its name, its id and its state.
struct TemplateEntity: Equatable, Sendable {
    /// The entity's id, which begins with the component, such as `light.desk_lamp`.
    let id: String
    /// The entity's name, or the device's name if the entity has none.
    let name: String

    /// Derives the entity from an announcement of the given component, such as `light`.
    init(component: String, _ keys: KeyReader, device: KeyReader, fallback: String) {
        func text(_ reader: KeyReader, _ key: String) -> String? {
            guard let text = try? reader.string(key), !text.isEmpty else { return nil }
            return text
        }
        let own = text(keys, "name")
        let deviceName = text(device, "name")
        name = own ?? deviceName ?? fallback
        let whole = text(keys, "object_id") ?? [deviceName, own].compactMap { $0 }.joined(separator: " ")
        id = text(keys, "default_entity_id") ?? "\(component).\((whole.isEmpty ? fallback : whole).slug())"
    }

    /// Returns the value of the `this` variable in templates: the entity with the given state and attributes.
    func state(_ text: String, _ attributes: [(key: JinjaValue, value: JinjaValue)]) -> JinjaValue {
        let parts = id.split(separator: ".", maxSplits: 1).map(String.init)
        let name = (key: JinjaValue.string("friendly_name"), value: JinjaValue.string(name))
        return .dict(
            JinjaDictionary([
                (.string("entity_id"), .string(id)), (.string("domain"), .string(parts.first ?? "")),
                (.string("object_id"), .string(parts.last ?? "")), (.string("name"), .string(self.name)),
                (.string("state"), .string(text)),
                (.string("attributes"), .dict(JinjaDictionary(attributes + [name]))),
            ]))
    }
}

/// A template from an announcement.
///
/// It extracts a value from a message, or creates the message for a command.
package struct MessageTemplate: Equatable, Sendable {
    private let template: JinjaTemplate
    /// The template's key in the announcement; `nil` for our own templates, whose failures aren't reported.
    let key: String?
    private let entity: TemplateEntity?
    /// A Boolean value that indicates whether the template may use the entity's state.
    let readsState: Bool

    /// Parses a template.
    ///
    /// - Throws: ``MQTTProblem`` with the reason if the template is invalid.
    init(_ text: String, key: String? = nil, entity: TemplateEntity? = nil) throws(MQTTProblem) {
        do throws(JinjaError) {
            template = try JinjaTemplate(text)
        } catch {
            throw MQTTProblem(error.text)
        }
        self.key = key
        self.entity = ["this", "entity_id", "name"].contains(where: text.contains) ? entity : nil
        readsState = self.entity != nil && text.contains("this")
    }

    package static func == (a: MessageTemplate, b: MessageTemplate) -> Bool {
        a.template == b.template && a.entity == b.entity
    }

    /// Returns the value that the template extracts from a message, or `nil` if the message isn't text.
    ///
    /// - Throws: `JinjaError` if the template fails.
    func value(of payload: MQTTPayload, _ state: EntityState) throws(JinjaError) -> String? {
        guard let text = payload.text else { return nil }
        var variables: [String: JinjaValue] = ["value": .string(text)]
        if let json = payload.json { variables["value_json"] = JinjaValue(json) }
        return try render(variables, state)
    }

    /// Returns the message for a command.
    ///
    /// - Throws: `LightError.refused` with the reason if the template fails.
    func message(_ variables: [String: JinjaValue], _ state: EntityState) throws(LightError) -> String {
        do throws(JinjaError) {
            return try render(variables, state)
        } catch {
            throw .refused("the template can't create the message: \(error.text)")
        }
    }

    private func render(_ variables: [String: JinjaValue], _ state: EntityState) throws(JinjaError) -> String {
        var variables = variables
        if let entity {
            variables["entity_id"] = .string(entity.id)
            variables["name"] = .string(entity.name)
            if readsState { variables["this"] = entity.state(state.text, state.attributes) }
        }
        return try template.render(variables)
    }
}

/// The state of an entity in the format of Home Assistant.
struct EntityState {
    var text = "unknown"
    var attributes: [(key: JinjaValue, value: JinjaValue)] = []
}

/// The templates of a light that fail, with the reasons.
///
/// Many templates fail for messages that don't contain their value. Therefore a template counts as failing only if it
/// has never worked.
struct TemplateFaults: Equatable, Sendable {
    /// The reasons, by the key of the template.
    private(set) var reasons: [String: String] = [:]
    private var working: Set<String> = []

    mutating func worked(_ key: String?) {
        guard let key, !working.contains(key) else { return }
        working.insert(key)
        reasons[key] = nil
    }

    mutating func failed(_ key: String?, _ reason: String) {
        guard let key, !working.contains(key) else { return }
        reasons[key] = reason
    }
}
