package import BoundedJSON
package import HAPModel

/// Something that travels between an app and the daemon, as JSON.
///
/// Unknown members are ignored, so that a newer side may say more; what is missing or of the wrong type is an error
/// that names it.
package protocol HomeMessage: Sendable, Hashable {
    /// Reads the message.
    ///
    /// - Throws: 27 if a member is missing, 3 if one is of the wrong type.
    init(json: JSONValue) throws(HomeError)

    /// The message; what is `nil` is left out.
    var json: JSONValue { get }
}

extension Array: HomeMessage where Element: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        guard case .array(let elements) = json else {
            throw HomeError(.invalidParameter, detail: "the request is malformed: a list is expected")
        }
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for element in elements { result.append(try Element(json: element)) }
        self = result
    }

    package var json: JSONValue { .array(map(\.json)) }
}

extension JSONValue {
    /// A member that must be there.
    func value<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(HomeError) -> Value {
        guard let value = try optional(name, read) else { throw Self.missing(name) }
        return value
    }

    /// A member that may be left out or `null`.
    func optional<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(HomeError) -> Value? {
        guard let json = self[name], !json.isNull else { return nil }
        guard let value = read(json) else {
            throw HomeError(
                .invalidParameter, detail: "the request is malformed: \"\(name)\" has a value of the wrong type")
        }
        return value
    }

    /// A message within that must be there.
    func message<Message: HomeMessage>(_ name: String) throws(HomeError) -> Message {
        guard let json = self[name] else { throw Self.missing(name) }
        return try Message(json: json)
    }

    /// Messages within; none if they are left out.
    func messages<Message: HomeMessage>(_ name: String) throws(HomeError) -> [Message] {
        guard let json = self[name] else { return [] }
        return try [Message](json: json)
    }

    /// The identity that a member says.
    func id<Entity>(_ name: String) throws(HomeError) -> Identifier<Entity> {
        try value(name) { $0.identifier() }
    }

    func identifier<Entity>() -> Identifier<Entity>? { string.flatMap { Identifier($0) } }

    /// All elements, if this is an array of nothing else.
    func elements<Value>(_ read: (JSONValue) -> Value?) -> [Value]? {
        guard let array else { return nil }
        let values = array.compactMap(read)
        return values.count == array.count ? values : nil
    }

    private static func missing(_ name: String) -> HomeError {
        HomeError(.missingParameter, detail: "the request is malformed: \"\(name)\" is missing")
    }

    static func unsignedInteger(_ number: UInt64) -> JSONValue {
        Int64(exactly: number).map(JSONValue.integer) ?? .unsigned(number)
    }
}

extension Identifier {
    var json: JSONValue { .string(description) }
}

extension JSONObject {
    /// An object of the members that are not `nil`.
    init(present members: KeyValuePairs<String, JSONValue?>) {
        self.init()
        for (name, value) in members { if let value { self[name] = value } }
    }
}

// MARK: Values of HAP

extension CharacteristicValue: HomeMessage {
    /// Floats and bytes are marked, because JSON has neither: `{"float":"0.1"}`, `{"data":"00FF"}`.
    package init(json: JSONValue) throws(HomeError) {
        let value: CharacteristicValue? =
            switch json {
            case .bool(let flag): .bool(flag)
            case .integer(let integer): .integer(integer)
            // A whole number written with a point, by a client of another make.
            case .number(let number): .float(number)
            case .unsigned(let integer): .float(Double(integer))
            case .string(let text): .string(text)
            case .object(let object):
                if let text = object["float"]?.string, let number = Double(text), number.isFinite {
                    .float(number)
                } else if let text = object["data"]?.string, let bytes = Hex.decode(text) {
                    .data(bytes)
                } else {
                    nil
                }
            case .null, .array: nil
            }
        guard let value else { throw HomeError(.invalidValueType) }
        self = value
    }

    package var json: JSONValue {
        switch self {
        case .bool(let flag): .bool(flag)
        case .integer(let integer): .integer(integer)
        case .float(let number): ["float": .string(String(number))]
        case .string(let text): .string(text)
        case .data(let bytes): ["data": .string(Hex.encode(bytes))]
        }
    }
}

extension CharacteristicMetadata: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        self.init(
            format: try json.value("format") { $0.string.flatMap(CharacteristicFormat.init) },
            permissions: try json.value("perms") { $0.elements(\.string).flatMap(CharacteristicPermissions.init) },
            unit: try json.optional("unit") { $0.string.flatMap(CharacteristicUnit.init) },
            minimum: try json.optional("min", \.exactDouble), maximum: try json.optional("max", \.exactDouble),
            step: try json.optional("step", \.exactDouble), maximumLength: try json.optional("maxLength", \.int),
            maximumDataLength: try json.optional("maxDataLength", \.int),
            validValues: try json.optional("validValues") { $0.elements { $0.int.map(Int64.init) } })
    }

    package var json: JSONValue {
        .object(
            JSONObject(present: [
                "format": .string(format.rawValue), "perms": .array(permissions.names.map(JSONValue.string)),
                "unit": unit.map { .string($0.rawValue) }, "min": minimum.map(JSONValue.exact),
                "max": maximum.map(JSONValue.exact), "step": step.map(JSONValue.exact),
                "maxLength": maximumLength.map { .integer(Int64($0)) },
                "maxDataLength": maximumDataLength.map { .integer(Int64($0)) },
                "validValues": validValues.map { .array($0.map(JSONValue.integer)) },
            ]))
    }
}

extension JSONValue {
    /// A limit: a number if the writer can write it to the last digit, else its text.
    fileprivate static func exact(_ number: Double) -> JSONValue {
        if let integer = Int64(exactly: number) { return .integer(integer) }
        return .string(String(number))
    }

    fileprivate var exactDouble: Double? {
        let number = string.map { Double($0) } ?? double
        guard let number, number.isFinite else { return nil }
        return number
    }

    var hapType: HAPType? { string.flatMap { HAPType($0) } }

    var serviceType: ServiceType? { hapType.map { ServiceType($0) } }
}

enum Hex {
    static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
