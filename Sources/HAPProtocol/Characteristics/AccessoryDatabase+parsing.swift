internal import BoundedJSON
package import HAPModel

extension AccessoryDatabase {
    /// Parses the response to `GET /accessories` (HAP 9).
    ///
    /// Parsing is strict about the ids of accessories and the numbers of their services and characteristics. It is
    /// lenient about the errors of real accessories:
    /// - A service or characteristic without a type, permissions or a unique id is omitted and recorded in
    ///   ``omissions``.
    /// - A value that is out of range or has the wrong type counts as unknown.
    /// - A missing format, unit or limit is taken from the catalog.
    /// - Characteristics in unknown formats and links to missing services are omitted.
    ///
    /// - Throws: ``ComplianceError`` for the first error. Its text contains no data from the accessory except numbers.
    package init(parsing body: [UInt8]) throws(ComplianceError) {
        guard let json = try? JSONValue(parsing: body, maximumLength: Self.maximumLength, allowsTrailingCommas: true),
            let list = json["accessories"]?.array
        else { throw ComplianceError("the attribute database isn't JSON in HAP's format") }
        guard !list.isEmpty else { throw ComplianceError("the attribute database is empty") }
        guard list.count <= Self.maximumAccessories else {
            throw ComplianceError("there are more than \(Self.maximumAccessories) accessories")
        }
        var accessories: [AccessoryObject] = []
        var remarks = Remarks()
        var seen: Set<AccessoryID> = []
        for element in list {
            let accessory = try AccessoryObject(parsing: element, &remarks)
            guard seen.insert(accessory.aid).inserted else {
                throw ComplianceError("two accessories have the id \(accessory.aid)")
            }
            accessories.append(accessory)
        }
        self.init(accessories, descriptions: remarks.descriptions, omissions: remarks.omissions)
    }
}

/// Descriptions and omissions of services and characteristics, collected during parsing.
private struct Remarks {
    var descriptions: [CharacteristicID: String] = [:]
    private(set) var omissions: [String] = []

    mutating func leftOut(_ text: String) {
        if omissions.count < AccessoryDatabase.maximumOmissions { omissions.append(text) }
    }
}

extension AccessoryObject {
    fileprivate init(parsing json: JSONValue, _ remarks: inout Remarks) throws(ComplianceError) {
        guard let number = json["aid"]?.unsignedInteger, number > 0, let list = json["services"]?.array else {
            throw ComplianceError("an accessory has no valid id or no services")
        }
        let aid = AccessoryID(number)
        guard list.count <= Self.maximumParts else {
            throw ComplianceError("accessory \(aid) has more than \(Self.maximumParts) services")
        }
        var services: [ServiceObject] = []
        var seen: Set<InstanceID> = []
        for element in list {
            let service = try ServiceObject(parsing: element, of: aid, seen: &seen, &remarks)
            if let service { services.append(service) }
        }
        guard services.contains(where: { $0.type == .accessoryInformation }) else {
            throw ComplianceError("accessory \(aid) has no Accessory Information")
        }
        let iids = Set(services.map(\.iid))
        for index in services.indices { services[index].linked.removeAll { !iids.contains($0) } }
        self.init(aid: aid, services: services)
    }
}

extension ServiceObject {
    /// Parses a service, or returns `nil` if it must be omitted.
    fileprivate init?(
        parsing json: JSONValue, of aid: AccessoryID, seen: inout Set<InstanceID>, _ remarks: inout Remarks
    ) throws(ComplianceError) {
        guard let iid = json["iid"]?.unsignedInteger.map({ InstanceID($0) }), iid.rawValue > 0,
            seen.insert(iid).inserted
        else {
            remarks.leftOut("a service of accessory \(aid) has no unique iid")
            return nil
        }
        guard let type = json["type"]?.string.flatMap({ HAPType($0) }),
            let list = json["characteristics"]?.array
        else {
            remarks.leftOut("service \(iid) of accessory \(aid) has no type or no characteristics")
            return nil
        }
        guard list.count <= AccessoryObject.maximumParts else {
            throw ComplianceError("service \(iid) of accessory \(aid) has too many characteristics")
        }
        var characteristics: [CharacteristicObject] = []
        for element in list {
            guard let number = element["iid"]?.unsignedInteger, number > 0, seen.insert(InstanceID(number)).inserted
            else {
                remarks.leftOut("a characteristic of accessory \(aid) has no unique iid")
                continue
            }
            guard let type = element["type"]?.string.flatMap({ HAPType($0) }), let permissions = element["perms"]?.array
            else {
                remarks.leftOut("characteristic \(aid).\(number) has no type or no permissions")
                continue
            }
            let usual = CharacteristicDefinition.of(CharacteristicType(type))?.metadata
            let told = element["format"]
            guard
                let format = told == nil ? usual?.format : told?.string.flatMap({ CharacteristicFormat(rawValue: $0) })
            else { continue }
            if let description = element["description"]?.string, !description.isEmpty {
                remarks.descriptions[CharacteristicID(aid, InstanceID(number))] = description.prefix(
                    bytes: AccessoryDatabase.maximumDescriptionLength)
            }
            let metadata = CharacteristicMetadata(
                format: format, permissions: permissions, parsing: element, usual: usual)
            characteristics.append(
                CharacteristicObject(
                    iid: InstanceID(number), type: CharacteristicType(type), metadata: metadata,
                    value: metadata.permissions.contains(.pairedRead)
                        ? element["value"].flatMap { metadata.reported($0) } : nil))
        }
        let linked = json["linked"]?.array?.prefix(AccessoryObject.maximumParts).compactMap(\.unsignedInteger) ?? []
        self.init(
            iid: iid, type: ServiceType(type), isPrimary: json["primary"]?.bool ?? false,
            isHidden: json["hidden"]?.bool ?? false,
            linked: linked.map { InstanceID($0) }.filter { $0 != iid }, characteristics: characteristics)
    }
}

extension CharacteristicMetadata {
    fileprivate init(format: CharacteristicFormat, permissions: [JSONValue], parsing json: JSONValue, usual: Self?) {
        var known: CharacteristicPermissions = []
        // A permission that a later edition of HAP adds doesn't affect the known ones.
        for name in permissions.prefix(16).compactMap(\.string) {
            known.formUnion(CharacteristicPermissions(names: [name]) ?? [])
        }
        self.init(
            format: format, permissions: known, unit: json["unit"]?.string.flatMap { CharacteristicUnit(rawValue: $0) })
        if format.isNumeric {
            minimum = json["minValue"]?.double
            maximum = json["maxValue"]?.double
            if let low = minimum, let high = maximum, low > high { (minimum, maximum) = (nil, nil) }
            step = json["minStep"]?.double.flatMap { $0 > 0 ? $0 : nil }
            // The catalog's limits apply only to the catalog's format; all integer formats count as the same format.
            if let usual, usual.format == format || (usual.format.integerRange != nil && format.integerRange != nil) {
                fill(from: usual, where: json)
            }
        }
        maximumLength = json["maxLen"]?.int.flatMap { $0 >= 0 ? $0 : nil }
        maximumDataLength = json["maxDataLen"]?.int.flatMap { $0 >= 0 ? $0 : nil }
        if format.integerRange != nil { validValues = Self.validValues(json)?.filter { isWithinLimits($0) } }
        if validValues?.isEmpty == true { validValues = nil }
    }

    /// Fills in missing properties from the catalog, unless they contradict the accessory's own.
    private mutating func fill(from usual: Self, where json: JSONValue) {
        if json["unit"] == nil { unit = usual.unit }
        if json["minStep"] == nil { step = usual.step }
        if json["minValue"] == nil, let low = usual.minimum, low <= maximum ?? low { minimum = low }
        if json["maxValue"] == nil, let high = usual.maximum, high >= minimum ?? high { maximum = high }
    }

    private func isWithinLimits(_ integer: Int64) -> Bool {
        let number = Double(integer)
        return number >= minimum ?? number && number <= maximum ?? number
    }

    private static func validValues(_ json: JSONValue) -> [Int64]? {
        if let list = json["valid-values"]?.array {
            // `validValues` can't hold numbers above `Int64.max`. Omitting only these numbers would reject valid
            // values, so ignore the whole list.
            guard !list.contains(where: { if case .unsigned = $0 { true } else { false } }) else { return nil }
            let values = Set(list.prefix(256).compactMap { $0.int.map(Int64.init) })
            return values.isEmpty ? nil : values.sorted()
        }
        guard let range = json["valid-values-range"]?.array, range.count == 2, let low = range[0].int,
            let high = range[1].int, (0...255).contains(low), (low...255).contains(high)
        else { return nil }
        return (low...high).map(Int64.init)
    }
}
