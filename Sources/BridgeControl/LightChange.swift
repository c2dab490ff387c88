package import BoundedJSON
package import DeviceKit
internal import HAPModel

/// A change of a light: an operator's command, a change of a simulated light, or new values that a light reports.
///
/// It contains the new values by their names, such as `brightness` or `reachable`.
package struct LightChange: BridgeMessage {
    /// The name of the value that indicates whether a light is reachable.
    ///
    /// Every light has this value, but it can be changed only for simulated lights.
    static let reachable = "reachable"
    /// All names, in listing order.
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

    /// The names and values, in listing order.
    var members: [(name: String, value: JSONValue)] {
        values.map { ($0.key, $0.value) }.sorted { Self.order(of: $0.0) < Self.order(of: $1.0) }
    }

    private static func order(of name: String) -> (place: Int, name: String) {
        (names.firstIndex(of: parts(of: name).name) ?? names.count, name)
    }

    /// Splits a name at `#` into the name of a value and the ID of a function, if there is one.
    private static func parts(of name: String) -> (name: String, function: String?) {
        guard let end = name.firstIndex(of: "#") else { return (name, nil) }
        return (String(name[..<end]), String(name[end...].dropFirst()))
    }
}

// MARK: Meanings of names

extension LightChange {
    /// Returns the possible meanings of a name.
    ///
    /// For example, `temperature` can be a color temperature or an air temperature. A name from HAP, such as
    /// `CurrentTemperature`, has a single meaning.
    static func meanings(of name: String) -> [PropertyName] {
        let name = parts(of: name).name
        let known = PropertyName.all.filter {
            $0.name == name || CharacteristicDefinition.of($0.type)?.name == name
        }
        guard known.isEmpty else { return known }
        return CharacteristicDefinition.all.filter { $0.name == name }.compactMap(PropertyName.init)
    }

    /// Returns the meaning of a name for a kind of device: a value that devices of this kind can have or, failing that,
    /// a value of an additional function.
    private static func meaning(of name: String, for kind: LightKind) -> PropertyName? {
        kind.property(named: parts(of: name).name) ?? meanings(of: name).last
    }

    /// Returns the name of a property and its meaning.
    ///
    /// It returns `nil` for properties without a name: strings, binary values, and values that are derived from named
    /// properties, such as a cover's target.
    private static func name(of property: Property, for kind: LightKind) -> (name: String, meaning: PropertyName)? {
        let definition = CharacteristicDefinition.of(property.type)
        let known = kind.name(of: property.type) ?? PropertyName.all.first { $0.type == property.type }
        guard let meaning = known ?? definition.flatMap(PropertyName.init),
            known != nil || !kind.possibleFunctions.contains(where: { $0.has(property.type) })
        else { return nil }
        let isOwn = Self.meaning(of: meaning.name, for: kind)?.type == property.type
        let name = isOwn ? meaning.name : definition?.name ?? meaning.name
        return (property.function.map { "\(name)#\($0)" } ?? name, meaning)
    }
}

extension PropertyName {
    /// Creates the name of a characteristic from HAP's catalog, or returns `nil` if its values are strings or binary
    /// data.
    fileprivate init?(_ definition: CharacteristicDefinition) {
        let (metadata, words) = (definition.metadata, definition.type.valueNames)
        let choices = (0..<Int64(words.count)).compactMap { words[$0] }
        let limits = metadata.range ?? -1e9...1e9
        let unit = metadata.unit?.rawValue ?? "number"
        switch metadata.format {
        case .bool:
            self.init(
                definition.name, definition.type, .flag(yes: "\(definition.name) true", no: "\(definition.name) false"))
        case .string, .tlv8, .data: return nil
        case _ where !choices.isEmpty && choices.count == words.count:
            self.init(definition.name, definition.type, .choice(choices))
        case .float: self.init(definition.name, definition.type, .number(limits, unit: unit))
        default: self.init(definition.name, definition.type, .whole(limits, unit: unit))
        }
    }
}

// MARK: JSON

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
        for key in container.allKeys {
            guard let meaning = Self.meanings(of: key.stringValue).first else { continue }
            self[key.stringValue] =
                switch meaning.form {
                case .flag: try container.decodeIfPresent(Bool.self, forKey: key).map(JSONValue.bool)
                case .choice: try container.decodeIfPresent(String.self, forKey: key).map(JSONValue.string)
                case .whole where !Self.isAlsoNumber(key.stringValue):
                    try container.decodeIfPresent(Int64.self, forKey: key).map(JSONValue.integer)
                case .whole, .number: try container.decodeIfPresent(Double.self, forKey: key).map(JSONValue.number)
                }
        }
    }

    /// Returns whether values with this name can have fractions for any kind of light.
    static func isAlsoNumber(_ name: String) -> Bool {
        meanings(of: name).contains { if case .number = $0.form { true } else { false } }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, value) in members { try container.encode(value, forKey: Key(name)) }
    }
}

// MARK: Values of lights

extension LightChange {
    /// Creates a change with the values that differ from the former values, or with all values if `former` is `nil`.
    package init(_ values: PropertyValues, since former: PropertyValues?, of kind: LightKind) {
        self.init()
        for (property, value) in values {
            guard let (name, meaning) = Self.name(of: property, for: kind), let value, former?[property] != value
            else { continue }
            self[name] =
                switch meaning.form {
                case .flag: meaning.flag(value).map(JSONValue.bool)
                case .choice(let words):
                    value.number.flatMap { Int(exactly: $0) }.flatMap {
                        words.indices.contains($0) ? .string(words[$0]) : nil
                    }
                case .whole where !Self.isAlsoNumber(name):
                    value.number.flatMap { Int64(exactly: $0.rounded()) }.map(JSONValue.integer)
                case .whole, .number: value.number.map(JSONValue.number)
                }
        }
    }

    /// Returns the values of the change for a light of this kind.
    ///
    /// Values that this kind of light can't have are omitted.
    package func values(for kind: LightKind) -> PropertyValues {
        var found = PropertyValues()
        for (name, value) in members {
            guard let (property, value) = Self.property(name, value, for: kind) else { continue }
            found[property] = value
        }
        return found
    }

    /// Returns the names of the values that a light of this kind can't have.
    package func impossibleNames(for kind: LightKind) -> [String] {
        members.filter { $0.name != Self.reachable && Self.property($0.name, $0.value, for: kind) == nil }.map(\.name)
    }

    private static func property(
        _ name: String, _ value: JSONValue, for kind: LightKind
    ) -> (property: Property, value: CharacteristicValue)? {
        guard let meaning = meaning(of: name, for: kind) else { return nil }
        let form: CharacteristicValue? =
            switch meaning.form {
            case .flag: value.bool.map(meaning.value)
            case .choice(let words): words.firstIndex { .string($0) == value }.map { .integer(Int64($0)) }
            case .whole: value.double.flatMap { Int64(exactly: $0) }.map { .integer($0) }
            case .number: value.double.map { .float($0) }
            }
        return form.map { (Property(meaning.type, of: parts(of: name).function), $0) }
    }

    /// The symbols of units, which follow a number in text.
    private static let symbols = ["percent": " %", "degrees": "°", "mired": " mired"]

    /// Returns a number as text, rounded to two decimal places.
    private static func rounded(_ value: JSONValue) -> String {
        guard let number = value.double, number.magnitude < 1e12 else { return value.text }
        return JSONValue.number((number * 100).rounded() / 100).text
    }

    /// Returns a phrase for each value, in listing order, such as `speed 40 %` and `temperature 21.5 °C (inside)`.
    package func phrases(of kind: LightKind?) -> [String] {
        members.compactMap { name, value in
            if name == Self.reachable { return value == true ? "reachable" : "unreachable" }
            let (word, function) = Self.parts(of: name)
            let meaning = kind.flatMap { Self.meaning(of: name, for: $0) } ?? Self.meanings(of: name).first
            let text: String? =
                switch meaning?.form {
                case .flag(let yes, let no)?: value.bool.map { $0 ? yes : no }
                case .choice?: value.string.map { Self.names.contains(word) ? $0 : "\(word) \($0)" }
                case .whole(_, let unit)?: "\(word) \(Self.rounded(value))\(Self.symbols[unit] ?? "")"
                case .number(_, let unit, let symbol)?:
                    "\(word) \(Self.rounded(value))\(symbol.isEmpty ? Self.symbols[unit] ?? "" : symbol)"
                case nil: nil
                }
            return text.map { $0 + (function.map { " (\($0))" } ?? "") }
        }
    }
}
