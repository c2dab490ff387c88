import BoundedJSON
import HAPModel
import HAPTesting
import Testing

/// Compares the generated tables with their source, `Scripts/catalog/catalog.json`.
@Suite("The generated catalog")
struct CatalogTests {
    private let catalog: JSONValue

    init() throws { catalog = try Vectors.repositoryFile("Scripts/catalog/catalog.json") }

    private func entries(_ kind: String) throws -> [JSONObject] {
        let array = try #require(catalog[kind]?.array)
        return array.compactMap(\.object)
    }

    private func texts(_ json: JSONValue?) throws -> [String] {
        let array = try #require(json?.array)
        return array.compactMap(\.string)
    }

    /// Returns the characteristic and service types by name.
    private func typesByName() throws -> [String: HAPType] {
        var types: [String: HAPType] = [:]
        for entry in try entries("characteristics") {
            let name = try #require(entry["name"]?.string)
            types[name] = try #require(entry["type"]?.string.flatMap { HAPType($0) })
        }
        return types
    }

    @Test("has every characteristic of its source, in order, with its metadata")
    func characteristics() throws {
        let entries = try entries("characteristics")
        #expect(entries.count > 200)
        #expect(CharacteristicDefinition.all.map(\.name) == entries.compactMap { $0["name"]?.string })
        for (definition, entry) in zip(CharacteristicDefinition.all, entries) {
            #expect(definition.type.type == entry["type"]?.string.flatMap { HAPType($0) }, "\(definition.name)")
            #expect(definition.type.description == entry["type"]?.string, "\(definition.name)")
            let metadata = definition.metadata
            let permissions = try texts(entry["perms"])
            let valid = entry["validValues"]?.object?.members.compactMap { Int64($0.name) }.sorted()
            let expected = CharacteristicMetadata(
                format: try #require(entry["format"]?.string.flatMap(CharacteristicFormat.init(rawValue:))),
                permissions: try #require(CharacteristicPermissions(names: permissions)),
                unit: try entry["unit"].map { try #require($0.string.flatMap(CharacteristicUnit.init(rawValue:))) },
                minimum: entry["min"]?.double, maximum: entry["max"]?.double, step: entry["step"]?.double,
                maximumLength: entry["maxLen"]?.int, maximumDataLength: entry["maxDataLen"]?.int, validValues: valid)
            #expect(metadata == expected, "\(definition.name)")
            #expect(valid?.count == entry["validValues"]?.object?.members.count, "\(definition.name)")
            #expect(CharacteristicDefinition.of(definition.type)?.name == definition.name)
        }
    }

    @Test("has every service of its source, in order, with its characteristics")
    func services() throws {
        let entries = try entries("services")
        let types = try typesByName()
        #expect(entries.count > 50)
        #expect(ServiceDefinition.all.map(\.name) == entries.compactMap { $0["name"]?.string })
        for (definition, entry) in zip(ServiceDefinition.all, entries) {
            #expect(definition.type.description == entry["type"]?.string, "\(definition.name)")
            for (listed, key) in [(definition.required, "required"), (definition.optional, "optional")] {
                let names = try texts(entry[key])
                #expect(listed.map(\.type) == names.map { types[$0] }, "\(definition.name) \(key)")
            }
        }
    }

    @Test("has the formats, permissions and units of its source")
    func words() throws {
        let formats = try #require(catalog["formats"]?.object).members
        #expect(Set(formats.map(\.name)) == Set(CharacteristicFormat.allCases.map(\.rawValue)))
        let permissions = try #require(catalog["permissions"]?.object).members.compactMap(\.value.string)
        let all = CharacteristicPermissions(rawValue: 0x7F)
        #expect(Set(permissions) == Set(all.names))
        #expect(all.names == ["pr", "pw", "ev", "aa", "tw", "wr", "hd"])
        #expect(CharacteristicPermissions(names: permissions) == all)
        #expect(CharacteristicPermissions(names: ["pr", "px"]) == nil)
        for unit in try texts(catalog["units"]) {
            #expect(CharacteristicUnit(rawValue: unit) != nil, "\(unit)")
        }
    }

    @Test("has a valid default for every characteristic")
    func defaults() {
        for definition in CharacteristicDefinition.all {
            let value = definition.metadata.defaultValue
            #expect(definition.metadata.accepted(value) == value, "\(definition.name)")
            #expect(definition.metadata.clamped(value) == value, "\(definition.name)")
        }
    }
}
