package import BoundedJSON
package import DeviceKit
internal import HAPModel

/// A change of a light: an operator's command, or an event of a simulated light.
///
/// It has the new values by their names, such as `brightness`, and `reachable`.
package struct LightChange: BridgeMessage {
    /// The name of the reachability, which every light has and which can be set for simulated lights only.
    static let reachable = "reachable"
    /// All names, in the order in which listings show them.
    static let names = PropertyName.all.reduce(into: [reachable]) { names, property in
        if !names.contains(property.name) { names.append(property.name) }
    }

    private var values: [String: JSONValue] = [:]

    package init(
        on: Bool? = nil, brightness: Int? = nil, hue: Double? = nil, saturation: Double? = nil,
        temperature: Double? = nil, reachable: Bool? = nil
    ) {
        self["on"] = on.map(JSONValue.bool)
        self["brightness"] = brightness.map { .integer(Int64($0)) }
        self["hue"] = hue.map(JSONValue.number)
        self["saturation"] = saturation.map(JSONValue.number)
        self["temperature"] = temperature.map(JSONValue.number)
        self.reachable = reachable
    }

    package subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    package var reachable: Bool? {
        get { self[Self.reachable]?.bool }
        set { self[Self.reachable] = newValue.map(JSONValue.bool) }
    }

    package var isEmpty: Bool { values.isEmpty }

    /// The names and values, in the order in which listings show them.
    var members: [(name: String, value: JSONValue)] {
        Self.names.compactMap { name in values[name].map { (name, $0) } }
    }

    /// Returns the possible meanings of a name: `temperature` is a color temperature or an air temperature.
    static func meanings(of name: String) -> [PropertyName] { PropertyName.all.filter { $0.name == name } }
}

// MARK: Its JSON

extension LightChange {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: Key.self)
        reachable = try container.decodeIfPresent(Bool.self, forKey: Key(Self.reachable))
        for property in PropertyName.all {
            let key = Key(property.name)
            switch property.form {
            case .flag: self[property.name] = try container.decodeIfPresent(Bool.self, forKey: key).map(JSONValue.bool)
            case .choice:
                self[property.name] = try container.decodeIfPresent(String.self, forKey: key).map(JSONValue.string)
            case .whole where !Self.isAlsoNumber(property.name):
                self[property.name] = try container.decodeIfPresent(Int64.self, forKey: key).map(JSONValue.integer)
            case .whole, .number:
                self[property.name] = try container.decodeIfPresent(Double.self, forKey: key).map(JSONValue.number)
            }
        }
    }

    /// Returns whether a kind of light has fractions for the name.
    static func isAlsoNumber(_ name: String) -> Bool {
        meanings(of: name).contains { if case .number = $0.form { true } else { false } }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, value) in members { try container.encode(value, forKey: Key(name)) }
    }
}

// MARK: The values of a light

extension LightChange {
    /// Names the values of a light that differ from the former ones.
    package init(_ values: PropertyValues, since former: PropertyValues?, of kind: LightKind) {
        self.init()
        for (property, value) in values {
            guard let name = kind.name(of: property.type), let value, former?[property] != value else { continue }
            switch name.form {
            case .flag: self[name.name] = name.flag(value).map(JSONValue.bool)
            case .choice(let words):
                self[name.name] = value.number.flatMap { Int(exactly: $0) }.flatMap {
                    words.indices.contains($0) ? .string(words[$0]) : nil
                }
            case .whole where !Self.isAlsoNumber(name.name):
                self[name.name] = value.number.flatMap { Int64(exactly: $0.rounded()) }.map(JSONValue.integer)
            case .whole, .number: self[name.name] = value.number.map(JSONValue.number)
            }
        }
    }

    /// Returns the values for a light; unknown names are ignored.
    package func values(for kind: LightKind) -> PropertyValues {
        var found = PropertyValues()
        for (name, value) in members {
            guard let property = kind.property(named: name) else { continue }
            switch property.form {
            case .flag: found[Property(property.type)] = value.bool.map(property.value)
            case .choice(let words):
                found[Property(property.type)] = words.firstIndex { .string($0) == value }.map { .integer(Int64($0)) }
            case .whole:
                found[Property(property.type)] = value.double.flatMap { Int64(exactly: $0) }.map { .integer($0) }
            case .number: found[Property(property.type)] = value.double.map { .float($0) }
            }
        }
        return found
    }

    /// Returns the names whose values a light of a kind can't have.
    package func impossibleNames(for kind: LightKind) -> [String] {
        let possible = values(for: kind)
        return members.map(\.name).filter { name in
            name != Self.reachable && kind.property(named: name).flatMap { possible[Property($0.type)] } == nil
        }
    }

    /// Returns the values as phrases, in listing order.
    package func phrases(of kind: LightKind?) -> [String] {
        members.compactMap { name, value in
            if name == Self.reachable { return value == true ? "reachable" : "unreachable" }
            let meanings = Self.meanings(of: name)
            let form = kind?.property(named: name)?.form ?? meanings.first?.form
            switch form {
            case .flag(let yes, let no)?: return value.bool.map { $0 ? yes : no }
            case .choice?: return value.string
            case .whole?: return "\(name) \(value.text)"
            case .number(_, _, let symbol)?: return "\(name) \(value.text)\(symbol)"
            case nil: return nil
            }
        }
    }
}
