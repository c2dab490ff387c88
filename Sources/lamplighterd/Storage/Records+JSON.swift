internal import BoundedJSON
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol

// The properties of lights are stored as JSON, because they differ between kinds of lights. Properties that are
// searched or must be unique have separate columns.

extension LightDescription {
    /// All properties other than the ID.
    fileprivate struct Stored: Codable {
        var name: String
        var kind: String
        /// The functions, or `nil` if the light was stored before version 0.2.
        var functions: [Function]?
        var transition: Bool
        var manufacturer: String?
        var model: String?
        var serialNumber: String?
        var firmware: String?
        var suggestedRoom: String?
        var optimistic: Bool?

        struct Function: Codable {
            var type: String
            var id: String?
            /// The IDs of the linked functions.
            var linked: [String]?
            var parts: [Part]
        }

        /// A characteristic, with the metadata that differs from the catalog.
        struct Part: Codable {
            var type: String
            var value: JSONValue?
            var minimum: Double?
            var maximum: Double?
            var step: Double?
            var validValues: [Int64]?
            var permissions: [String]?
            /// The format, if the type isn't in the catalog.
            var format: String?
            var unit: String?
            var description: String?
        }
    }

    /// The capabilities of a light that was stored before version 0.2.
    fileprivate struct EarlierCapabilities: Decodable {
        var brightness: Bool
        var color: Bool
        var transition: Bool
        /// The lowest and the highest color temperature, in mired.
        var temperature: [Int]?
        var speed: Bool?
        var direction: Bool?
        var oscillation: Bool?
        var readings: [String]?
    }

    init?(id: LightID, json: String) {
        guard let json = try? JSONValue(parsing: json), let stored = try? json.decoded(as: Stored.self),
            let kind = LightKind(rawValue: stored.kind)
        else { return nil }
        self.init(
            id: id, name: stored.name, kind: kind, functions: [], manufacturer: stored.manufacturer,
            model: stored.model, serialNumber: stored.serialNumber, firmware: stored.firmware,
            suggestedRoom: stored.suggestedRoom)
        if let functions = stored.functions {
            for function in functions {
                guard let function = AccessoryFunction(function) else { return nil }
                self.functions.append(function)
            }
        } else {
            guard let earlier = try? json.decoded(as: EarlierCapabilities.self),
                let capabilities = LightCapabilities(earlier)
            else { return nil }
            self.capabilities = capabilities
        }
        fades = stored.transition
        isOptimistic = stored.optimistic ?? false
    }

    var json: String {
        var stored = Stored(
            name: name, kind: kind.rawValue, functions: functions.map { Stored.Function($0) }, transition: fades,
            manufacturer: manufacturer, model: model, serialNumber: serialNumber, firmware: firmware,
            suggestedRoom: suggestedRoom)
        if isOptimistic { stored.optimistic = true }
        return JSONValue(encoding: stored).text
    }
}

extension LightCapabilities {
    fileprivate init?(_ stored: LightDescription.EarlierCapabilities) {
        self.init(brightness: stored.brightness, color: stored.color, transition: stored.transition)
        if let range = stored.temperature {
            guard range.count == 2, range[0] <= range[1] else { return nil }
            temperature = range[0]...range[1]
        }
        speed = stored.speed ?? false
        direction = stored.direction ?? false
        oscillation = stored.oscillation ?? false
        readings = Set((stored.readings ?? []).compactMap(SensorReading.init))
    }
}

extension LightDescription.Stored.Function {
    fileprivate init(_ function: AccessoryFunction) {
        type = function.type.description
        id = function.id
        linked = function.linked.isEmpty ? nil : function.linked
        parts = function.parts.map { LightDescription.Stored.Part($0) }
    }
}

extension LightDescription.Stored.Part {
    fileprivate init(_ part: AccessoryFunction.Part) {
        type = part.type.description
        value = part.value.json
        guard let metadata = part.metadata else { return }
        let definition = CharacteristicDefinition.of(part.type)?.metadata
        if definition == nil {
            format = metadata.format.rawValue
            unit = metadata.unit?.rawValue
            description = part.manufacturerDescription
        }
        let usual = definition ?? CharacteristicMetadata(format: metadata.format, permissions: [])
        if metadata.minimum != usual.minimum { minimum = metadata.minimum }
        if metadata.maximum != usual.maximum { maximum = metadata.maximum }
        if metadata.step != usual.step { step = metadata.step }
        if metadata.validValues != usual.validValues { validValues = metadata.validValues }
        if metadata.permissions != usual.permissions { permissions = metadata.permissions.names }
    }
}

extension AccessoryFunction {
    fileprivate init?(_ stored: LightDescription.Stored.Function) {
        guard let type = HAPType(stored.type).map(ServiceType.init) else { return nil }
        var parts: [Part] = []
        for part in stored.parts {
            guard let type = HAPType(part.type).map(CharacteristicType.init),
                var metadata = CharacteristicDefinition.of(type)?.metadata
                    ?? part.format.flatMap(CharacteristicFormat.init).map({ format in
                        CharacteristicMetadata(
                            format: format, permissions: [], unit: part.unit.flatMap(CharacteristicUnit.init))
                    }),
                let value = part.value.flatMap({ metadata.value(stored: $0) })
            else { return nil }
            metadata.minimum = part.minimum ?? metadata.minimum
            metadata.maximum = part.maximum ?? metadata.maximum
            if metadata.minimum != nil, metadata.maximum != nil, metadata.range == nil { return nil }
            metadata.step = part.step ?? metadata.step
            metadata.validValues = part.validValues ?? metadata.validValues
            if let names = part.permissions {
                guard let permissions = CharacteristicPermissions(names: names) else { return nil }
                metadata.permissions = permissions
            }
            parts.append(Part(type, metadata, value, part.description))
        }
        self.init(type, id: stored.id, linked: stored.linked ?? [], parts: parts)
    }
}

extension CharacteristicMetadata {
    /// The metadata for parsing values of types that aren't in the catalog.
    ///
    /// The bridge later converts these values to their actual format.
    fileprivate static let any = CharacteristicMetadata(format: .float, permissions: [])

    /// Parses a stored value, in the characteristic's format if possible.
    fileprivate func value(stored json: JSONValue) -> CharacteristicValue? { reported(json) ?? value(from: json) }
}

extension LightReport {
    /// A state that was stored before version 0.2.
    private struct Earlier: Decodable {
        var on: Bool?
        var brightness: Int?
        var hue: Double?
        var saturation: Double?
        var mired: Int?
        var speed: Int?
        var direction: String?
        var oscillates: Bool?
        var flags: [String: Bool]?
        var numbers: [String: Double]?
    }

    /// Parses a state: an object whose members are the values of characteristics.
    ///
    /// The name of a member is the type of the characteristic, followed by `#` and the ID of its function if the
    /// function has one.
    init?(json: String) {
        guard let json = try? JSONValue(parsing: json), let object = json.object else { return nil }
        self.init()
        for member in object.members {
            let parts = member.name.split(separator: "#", maxSplits: 1).map(String.init)
            guard let type = parts.first.flatMap(HAPType.init).map(CharacteristicType.init),
                let value = (CharacteristicDefinition.of(type)?.metadata ?? .any).value(stored: member.value)
            else {
                guard let earlier = try? JSONValue.object(object).decoded(as: Earlier.self),
                    let report = LightReport(earlier)
                else { return nil }
                self = report
                return
            }
            values[Property(type, of: parts.count > 1 ? parts[1] : nil)] = value
        }
    }

    private init?(_ stored: Earlier) {
        guard (stored.hue == nil) == (stored.saturation == nil) else { return nil }
        self.init(on: stored.on, brightness: stored.brightness)
        if let hue = stored.hue, let saturation = stored.saturation {
            color = .hueSaturation(hue: hue, saturation: saturation)
        } else if let mired = stored.mired {
            color = .temperature(mired: mired)
        }
        speed = stored.speed
        direction = stored.direction.flatMap(FanDirection.init)
        oscillates = stored.oscillates
        var readings: [SensorReading: SensorValue] = [:]
        for (name, flag) in stored.flags ?? [:] { SensorReading(rawValue: name).map { readings[$0] = .flag(flag) } }
        for (name, number) in stored.numbers ?? [:] {
            SensorReading(rawValue: name).map { readings[$0] = .number(number) }
        }
        for (property, value) in LightReport(readings: readings).values { values[property] = value }
    }

    var json: String {
        var object = JSONObject()
        for (property, value) in values {
            guard let value else { continue }
            object[property.function.map { "\(property.type)#\($0)" } ?? property.type.description] = value.json
        }
        return JSONValue.object(object).text
    }
}
