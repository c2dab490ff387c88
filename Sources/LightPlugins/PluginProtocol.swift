import BoundedJSON
import DeviceKit
import HAPModel
import TerminalKit

/// A version of the protocol, chosen by the plugin in its answer to `hello`.
///
/// Version 1 describes lights, fans and sensors by `caps`. Version 2 describes all devices by HAP's services and
/// characteristics.
enum PluginProtocol: Int, CaseIterable {
    case version1 = 1
    case version2

    /// The versions, as part of a sentence.
    static let supported = allCases.map { "\($0.rawValue)" }.joined(separator: " or ")

    /// Returns the version that an answer to `hello` chooses, or `nil` if it's unknown.
    init?(answer: JSONValue) {
        guard let version = answer["protocol"]?.int.flatMap(Self.init) else { return nil }
        self = version
    }

    /// Returns the parameters of `hello`.
    ///
    /// `protocol` is always 1, because plugins of version 1 expect it.
    static func hello(config: JSONValue, stateDirectory: String?) -> JSONValue {
        var hello: JSONObject = ["protocol": 1, "host": .string(Version.current), "config": config]
        hello["state_dir"] = stateDirectory.map(JSONValue.string)
        hello["protocols"] = .array(allCases.map { .integer(Int64($0.rawValue)) })
        return .object(hello)
    }

    /// The first part of the version's method names.
    var namespace: String { self == .version1 ? "lights" : "devices" }

    /// Returns a method's name, such as `lights/set`.
    func method(_ name: String) -> String { "\(namespace)/\(name)" }

    /// Returns the parameters of `set`.
    func params(of command: LightCommand, to device: LightDescription, cause: Int64) -> JSONValue {
        var object: JSONObject = ["id": .string(device.id.rawValue)]
        switch self {
        case .version1: object.setLightValues(of: command)
        case .version2: object["values"] = device.json(of: command.values)
        }
        object["transition"] = command.transition.map { .number($0 / .seconds(1)) }
        object["cause"] = .integer(cause)
        return .object(object)
    }
}

extension JSONObject {
    /// Adds the values of a command in the format of version 1.
    fileprivate mutating func setLightValues(of command: LightCommand) {
        self["on"] = command.on.map(JSONValue.bool)
        self["brightness"] = command.brightness.map { .integer(Int64($0)) }
        switch command.color {
        case nil: break
        case .hueSaturation(let hue, let saturation): self["color"] = ["hs": [.number(hue), .number(saturation)]]
        case .temperature(let mired): self["color"] = ["ct": .integer(Int64(mired))]
        }
        self["speed"] = command.speed.map { .integer(Int64($0)) }
        self["direction"] = command.direction.map { .string($0.rawValue) }
        self["oscillates"] = command.oscillates.map(JSONValue.bool)
    }
}

extension LightDescription {
    /// Returns the values of the light's properties as JSON, with the names and formats of version 2.
    fileprivate func json(of values: PropertyValues) -> JSONValue {
        var object = JSONObject()
        for (property, part) in properties {
            guard let value = values[property] else { continue }
            object[part.type.pluginName(in: property.function)] = JSONValue(part.metadata?.clamped(value) ?? value)
        }
        return .object(object)
    }

    /// Returns the values that the device can have, and the names of the values that it can't have.
    func possible(_ values: PropertyValues) -> (values: PropertyValues, others: [String]) {
        let parts = properties
        var possible = PropertyValues()
        var others: [String] = []
        for (reported, value) in values {
            let property = kind.property(reported.type, of: reported.function)
            guard let part = parts.first(where: { $0.property == property })?.part, part.canHave(value) else {
                others.append(reported.type.pluginName(in: reported.function))
                continue
            }
            if let value { possible[property] = value } else { possible.setUnknown(property) }
        }
        return (possible, others)
    }

    /// Returns the warning about values that a device can't have.
    static func impossible(_ names: [String]) -> String {
        "it sent values that its description doesn't allow: \(names.prefix(10).joined(separator: ", "))"
    }
}

extension AccessoryFunction.Part {
    /// Returns whether a report may contain a value.
    ///
    /// Most values outside their range are allowed, and clamped later.
    fileprivate func canHave(_ value: CharacteristicValue?) -> Bool {
        guard let value, let metadata else { return true }
        if type.isMomentary { return metadata.accepted(value) != nil }
        guard type == .colorTemperature, let range = metadata.range else { return true }
        return value.number.map(range.contains) == true
    }
}

extension CharacteristicType {
    /// Returns the catalog's name, followed by `#` and the id of the function if the function has an id.
    fileprivate func pluginName(in function: String?) -> String {
        let name = CharacteristicDefinition.of(self)?.name ?? description
        return function.map { "\(name)#\($0)" } ?? name
    }
}

extension JSONValue {
    fileprivate init(_ value: CharacteristicValue) {
        self =
            switch value {
            case .bool(let value): .bool(value)
            case .integer(let value): .integer(value)
            case .unsigned(let value): .unsigned(value)
            case .float(let value): .number(value)
            case .string(let value): .string(value)
            case .data: .null
            }
    }
}
