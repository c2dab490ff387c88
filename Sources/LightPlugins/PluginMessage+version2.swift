import BoundedJSON
import DeviceKit
import HAPModel

// Version 2 of the protocol uses the names and formats of HAP's catalog for functions and values.

extension JSONValue {
    /// Returns the description of a device from its `functions`, the first of which determines the device's kind.
    func device(_ id: LightID) throws(Problem) -> LightDescription {
        guard let list = self["functions"]?.array, (1...PluginLimits.functions).contains(list.count) else {
            throw "\"functions\" must be a list of 1 to \(PluginLimits.functions) functions"
        }
        var functions: [AccessoryFunction] = []
        for json in list { functions.append(try json.function()) }
        guard let kind = functions[0].isScene ? .scene : LightKind.byService[functions[0].type] else {
            let names = LightKind.byService.keys.map(\.name).sorted().joined(separator: ", ")
            throw "the first of the \"functions\" must be one of \(names)"
        }
        guard functions.allSatisfy({ $0.has(.hue) == $0.has(.saturation) }) else {
            throw "Hue and Saturation must be used together"
        }
        for function in kind.rules.shown(functions) {
            for type in function.type.definition?.required ?? [] where !function.has(type) {
                throw "\(function.type.name) needs \(CharacteristicDefinition.of(type)?.name ?? type.description)"
            }
        }
        var device = try description(id, kind, functions)
        device.fades = try flag("transition") ?? false
        var seen: Set<Property> = []
        for (property, part) in device.properties where !seen.insert(property).inserted {
            let name = CharacteristicDefinition.of(part.type)?.name ?? part.type.description
            throw "two functions have \(name); give each an \"id\""
        }
        return device
    }

    private func function() throws(Problem) -> AccessoryFunction {
        guard let name = self["service"]?.string,
            let service = ServiceDefinition.all.first(where: { $0.name == name }), service.type != .accessoryInformation
        else {
            let given = self["service"]?.string.map { ", not \"\($0.prefix(64))\"" } ?? ""
            throw "\"service\" must be the name of a service in HAP's catalog\(given)"
        }
        guard let members = self["characteristics"]?.object?.members else {
            throw "\"characteristics\" of \(name) must be an object"
        }
        // If a kind of light has a function with this service, that function determines the order of the
        // characteristics and their initial values.
        let known = AccessoryFunction.known.first { $0.type == service.type }?.parts ?? []
        var characteristics: [(CharacteristicType, CharacteristicValue)] = []
        var limits: [(CharacteristicType, CharacteristicMetadata)] = []
        for member in members {
            guard let definition = CharacteristicDefinition.named(member.name),
                (service.required + service.optional).contains(definition.type),
                !characteristics.contains(where: { $0.0 == definition.type })
            else { throw "\(name) has no characteristic \"\(member.name.prefix(64))\", or has it twice" }
            do throws(Problem) {
                let metadata = try member.value.narrowed(definition.metadata)
                let value = try member.value.member("value", "within the limits") {
                    metadata.format.value(of: $0).flatMap(metadata.accepted)
                }
                let usual = known.first { $0.type == definition.type }?.value ?? metadata.defaultValue
                characteristics.append((definition.type, value ?? metadata.clamped(usual) ?? metadata.defaultValue))
                limits.append((definition.type, metadata))
            } catch {
                throw "\(definition.name) of \(name): \(error.text)"
            }
        }
        let order = known.map(\.type)
        let place = { (type: CharacteristicType) in order.firstIndex(of: type) ?? order.count }
        characteristics.sort { place($0.0) < place($1.0) }
        guard self["id"] == nil || identifier("id") != nil else {
            throw "\"id\" of \(name) must be 1 to 255 bytes of text without control characters"
        }
        return limits.reduce(AccessoryFunction(service.type, id: identifier("id"), characteristics)) {
            function, limit in
            function.with(limit.0) { $0 = limit.1 }
        }
    }

    /// Returns the metadata of a characteristic with the device's limits, which must be within the catalog's limits.
    private func narrowed(_ usual: CharacteristicMetadata) throws(Problem) -> CharacteristicMetadata {
        guard object != nil else { throw "it must be an object, such as {}" }
        guard usual.format.isNumeric else { return usual }
        var metadata = usual
        let range = usual.possibleRange
        let words = "from \(JSONValue.number(range.lowerBound).text) to \(JSONValue.number(range.upperBound).text)"
        let number = { (json: JSONValue) in json.double.flatMap { range.contains($0) ? $0 : nil } }
        metadata.minimum = try member("minimum", words, number) ?? usual.minimum
        metadata.maximum = try member("maximum", words, number) ?? usual.maximum
        metadata.step =
            try member("step", "a number above 0") { $0.double.flatMap { $0 > 0 ? $0 : nil } } ?? usual.step
        if let low = metadata.minimum, let high = metadata.maximum, low > high {
            throw "\"minimum\" is above the maximum"
        }
        let limits = metadata.possibleRange
        metadata.validValues =
            try member("values", "a list of values within the limits") { json -> [Int64]? in
                guard let list = json.array, 1...PluginLimits.values ~= list.count else { return nil }
                let values = Set(list.compactMap(\.int).map(Int64.init)).filter {
                    limits.contains(Double($0)) && usual.validValues?.contains($0) != false
                }
                return values.count == list.count ? values.sorted() : nil
            } ?? usual.validValues
        return metadata
    }

    /// Returns the values of momentary events or of a state.
    ///
    /// In a state, `null` means that a value is unknown.
    func values(areEvents: Bool) throws(Problem) -> PropertyValues {
        let members = try member("values", "an object") { $0.object?.members } ?? []
        guard members.count <= PluginLimits.values, !areEvents || !members.isEmpty else {
            throw "\"values\" must have at most \(PluginLimits.values) members, and an event at least one"
        }
        var values = PropertyValues()
        for member in members {
            let name = member.name.split(separator: "#", maxSplits: 1).map(String.init)
            guard let definition = name.first.flatMap(CharacteristicDefinition.named) else {
                let name = member.name.prefix(64)
                throw "\"\(name)\" isn't the name of a characteristic in HAP's catalog, or its values are binary"
            }
            guard definition.type.isMomentary == areEvents else {
                throw "\"\(definition.name)\" belongs in devices/\(areEvents ? "state" : "event")"
            }
            let property = Property(definition.type, of: name.count > 1 ? name[1] : nil)
            if member.value.isNull, !areEvents {
                values.setUnknown(property)
            } else if let value = definition.metadata.format.value(of: member.value) {
                values[property] = value
            } else {
                throw "\"\(definition.name)\" must be \(definition.metadata.format.words)"
            }
        }
        return values
    }
}

extension LightKind {
    /// The kinds, by the services that their devices can have.
    fileprivate static let byService = Dictionary(
        allCases.flatMap { kind in kind.possibleFunctions.map { ($0.type, kind) } },
        uniquingKeysWith: { first, _ in first })
}

extension AccessoryFunction {
    /// The functions that devices of all kinds can have.
    fileprivate static let known = LightKind.allCases.flatMap(\.possibleFunctions)
}

extension ServiceType {
    fileprivate var definition: ServiceDefinition? { ServiceDefinition.all.first { $0.type == self } }
    fileprivate var name: String { definition?.name ?? description }
}

extension CharacteristicDefinition {
    /// The characteristics whose values JSON can represent, by name.
    private static let byName = Dictionary(
        uniqueKeysWithValues: all.filter { $0.metadata.format != .tlv8 && $0.metadata.format != .data }.map {
            ($0.name, $0)
        })

    fileprivate static func named(_ name: String) -> CharacteristicDefinition? { byName[name] }
}

extension CharacteristicMetadata {
    /// The range of the allowed numbers: the characteristic's range, or the format's range if it has no limits.
    fileprivate var possibleRange: ClosedRange<Double> {
        let whole = format.integerRange.map { Double($0.lowerBound)...Double($0.upperBound) }
        return range ?? whole ?? -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
    }
}

extension CharacteristicFormat {
    fileprivate func value(of json: JSONValue) -> CharacteristicValue? {
        switch self {
        case .bool: json.bool.map(CharacteristicValue.bool)
        case .string: json.string.map { .string(String($0.prefix(PluginLimits.text))) }
        case .uint8, .uint16, .uint32, .uint64, .int, .float:
            json.int.map { .integer(Int64($0)) } ?? json.double.map(CharacteristicValue.float)
        case .tlv8, .data: nil
        }
    }

    fileprivate var words: String {
        switch self {
        case .bool: "true or false"
        case .string: "a string"
        default: "a number"
        }
    }
}
