import BoundedJSON
import HAPModel
import HAPTesting
import Testing

@testable import HAPProtocol

@Suite("The attribute database as JSON")
struct DatabaseJSONTests {
    private func json(_ accessory: AccessoryObject, values: Bool = true) throws -> JSONValue {
        var writer = JSONWriter()
        writer.accessory(accessory, values: values)
        return try JSONValue(parsing: writer.bytes)
    }

    private func lamp(_ metadata: CharacteristicMetadata, _ value: CharacteristicValue?) -> AccessoryObject {
        let characteristic = CharacteristicObject(
            iid: InstanceID(9), type: .brightness, metadata: metadata, value: value)
        return AccessoryObject(
            aid: AccessoryID(2),
            services: [ServiceObject(iid: InstanceID(8), type: .lightbulb, characteristics: [characteristic])])
    }

    /// Returns the JSON members of `lamp`'s only characteristic by name, because their order has no meaning.
    private func characteristic(
        _ metadata: CharacteristicMetadata, _ value: CharacteristicValue? = nil
    ) throws -> [String: JSONValue] {
        let accessory = try json(lamp(metadata, value))
        let object = try #require(accessory["services"]?.array?.first?["characteristics"]?.array?.first?.object)
        var members: [String: JSONValue] = [:]
        for member in object.members {
            #expect(members.updateValue(member.value, forKey: member.name) == nil, "a key occurs twice")
        }
        return members
    }

    private static let common: [String: JSONValue] = ["iid": 9, "type": "8"]

    @Test("encodes accessories, services and characteristics")
    func shape() throws {
        var accessory = lamp(CharacteristicMetadata(format: .bool, permissions: [.pairedRead]), .bool(true))
        accessory.services[0].isPrimary = true
        accessory.services[0].linked = [InstanceID(20), InstanceID(21)]
        accessory.services.append(
            ServiceObject(iid: InstanceID(20), type: .switch, isHidden: true, characteristics: []))
        let json = try json(accessory)
        #expect(json["aid"] == 2)
        #expect(json.object?.members.map(\.name).sorted() == ["aid", "services"])
        let services = try #require(json["services"]?.array)
        #expect(services.count == 2)
        #expect(services[0]["primary"] == true)
        #expect(services[0]["hidden"] == nil)
        #expect(services[0]["linked"] == [20, 21])
        #expect(services[0]["type"] == "43")
        #expect(services[1]["primary"] == nil)
        #expect(services[1]["hidden"] == true)
        #expect(services[1]["linked"] == nil)
        #expect(services[1]["characteristics"] == [])
    }

    @Test("writes the full UUIDs of vendor types, and exact 64-bit ids")
    func types() throws {
        var accessory = lamp(CharacteristicMetadata(format: .bool, permissions: []), nil)
        accessory.aid = AccessoryID(.max)
        let uuid = try #require(HAPType("e863f10a-079e-48ff-8f27-9c2605a29f52"))
        accessory.services[0].type = ServiceType(uuid)
        let json = try json(accessory)
        #expect(json["aid"]?.unsignedInteger == .max)
        #expect(json["services"]?.array?[0]["type"] == "E863F10A-079E-48FF-8F27-9C2605A29F52")
    }

    @Test("writes only the metadata that applies to the format")
    func metadata() throws {
        let rows: [(CharacteristicMetadata, [String: JSONValue])] = [
            (.init(format: .bool, permissions: [.pairedWrite]), ["format": "bool", "perms": ["pw"]]),
            (
                .init(
                    format: .bool, permissions: [.pairedWrite], minimum: 0, maximum: 1, step: 1, maximumLength: 3,
                    maximumDataLength: 4, validValues: [0, 1]), ["format": "bool", "perms": ["pw"]]
            ),
            (
                .init(
                    format: .int, permissions: [.pairedWrite, .notify], unit: .percentage, minimum: 0, maximum: 100,
                    step: 1),
                [
                    "format": "int", "perms": ["pw", "ev"], "unit": "percentage", "minValue": 0, "maxValue": 100,
                    "minStep": 1,
                ]
            ),
            (
                .init(format: .uint64, permissions: [.pairedWrite], minimum: 0x1p63, maximum: 0x1p64),
                ["format": "uint64", "perms": ["pw"], "minValue": .unsigned(1 << 63), "maxValue": .unsigned(.max)]
            ),
            (
                .init(format: .float, permissions: [.pairedWrite], minimum: -10, maximum: 38.5, step: 0.1),
                ["format": "float", "perms": ["pw"], "minValue": -10, "maxValue": 38.5, "minStep": 0.1]
            ),
            (
                .init(format: .uint8, permissions: [.pairedWrite], maximum: 3, validValues: [0, 1, 3]),
                ["format": "uint8", "perms": ["pw"], "maxValue": 3, "valid-values": [0, 1, 3]]
            ),
            (
                .init(format: .int, permissions: [.pairedWrite], validValues: [0, 1]),
                ["format": "int", "perms": ["pw"]]
            ),
            (
                .init(format: .string, permissions: [.pairedWrite], maximumLength: 64),
                ["format": "string", "perms": ["pw"]]
            ),
            (
                .init(
                    format: .string, permissions: [.pairedWrite], minimum: 1, maximumLength: 65, maximumDataLength: 5),
                ["format": "string", "perms": ["pw"], "maxLen": 65]
            ),
            (
                .init(format: .data, permissions: [.pairedWrite], maximumDataLength: 2_097_152),
                ["format": "data", "perms": ["pw"]]
            ),
            (
                .init(format: .tlv8, permissions: [.pairedWrite], maximumLength: 5, maximumDataLength: 100),
                ["format": "tlv8", "perms": ["pw"], "maxDataLen": 100]
            ),
            (
                .init(format: .uint32, permissions: CharacteristicPermissions(rawValue: 0x7E)),
                ["format": "uint32", "perms": ["pw", "ev", "aa", "tw", "wr", "hd"]]
            ),
        ]
        for (metadata, members) in rows {
            #expect(try characteristic(metadata) == members.merging(Self.common) { $1 })
        }
    }

    @Test("writes a readable value in the form that its format requires")
    func values() throws {
        let rows: [(CharacteristicFormat, CharacteristicValue, JSONValue)] = [
            (.bool, .bool(true), true), (.bool, .bool(false), false), (.int, .integer(-5), -5),
            (.uint64, .integer(.max), .integer(.max)), (.uint64, .unsigned(.max), .unsigned(.max)),
            (.float, .float(360), 360), (.float, .float(0.1), 0.1),
            (.float, .float(21.300000000000001), 21.3), (.float, .float(-0.5), -0.5), (.string, .string(""), ""),
            (.string, .string("a\"b\\c\nd\u{1}ü💡"), "a\"b\\c\nd\u{1}ü💡"), (.data, .data([]), ""),
            (.tlv8, .data([1, 2, 255]), "AQL/"),
        ]
        for (format, value, json) in rows {
            let metadata = CharacteristicMetadata(format: format, permissions: [.pairedRead])
            #expect(try characteristic(metadata, value)["value"] == json, "\(value)")
        }
    }

    @Test("omits only the values from the JSON that determines c#")
    func withoutValues() throws {
        let metadata = CharacteristicMetadata(format: .int, permissions: [.pairedRead], maximum: 100)
        let accessory = lamp(metadata, .integer(5))
        #expect(try json(accessory, values: false) == json(lamp(metadata, nil)))
        #expect(try json(accessory, values: false) == json(lamp(metadata, .integer(6)), values: false))
        #expect(try json(accessory) != json(lamp(metadata, nil)))
        var narrowed = metadata
        narrowed.maximum = 99
        #expect(try json(accessory, values: false) != json(lamp(narrowed, nil), values: false))
    }

    @Test("encodes every characteristic of the catalog with valid metadata and a valid default")
    func catalogue() throws {
        let numbers: Set<CharacteristicFormat> = [.uint8, .uint16, .uint32, .uint64, .int, .float]
        for definition in CharacteristicDefinition.all {
            let metadata = definition.metadata
            let value = metadata.permissions.contains(.pairedRead) ? metadata.defaultValue : nil
            let members = try characteristic(metadata, value)
            #expect(members["format"]?.string == metadata.format.rawValue)
            #expect((members["value"] != nil) == metadata.permissions.contains(.pairedRead))
            #expect(members["value"]?.isNull != true)
            for key in ["minValue", "maxValue", "minStep"] where members[key] != nil {
                #expect(numbers.contains(metadata.format), "\(definition.name)")
            }
            #expect(members["valid-values"] == nil || metadata.format == .uint8, "\(definition.name)")
            if let json = members["value"] {
                let read = try #require(metadata.value(from: json))
                #expect(metadata.accepted(read) == value, "\(definition.name)")
            }
        }
    }

    // MARK: Values from requests

    @Test("accepts the JSON types of HAP 9.4 for each format")
    func kinds() {
        func value(_ format: CharacteristicFormat, _ json: JSONValue) -> CharacteristicValue? {
            CharacteristicMetadata(format: format, permissions: []).value(from: json)
        }
        for format in [CharacteristicFormat.bool, .uint8, .uint16, .uint32, .uint64, .int, .float] {
            #expect(value(format, true) == .bool(true))
            #expect(value(format, 5) == .integer(5))
            #expect(value(format, 1.5) == .float(1.5))
            #expect(value(format, .unsigned(.max)) == .unsigned(.max))
            for json in [.null, "1", [], [:]] as [JSONValue] { #expect(value(format, json) == nil) }
        }
        #expect(value(.string, "x") == .string("x"))
        for json in [.null, true, 1, 1.5, [], [:]] as [JSONValue] {
            #expect(value(.string, json) == nil)
            #expect(value(.data, json) == nil)
            #expect(value(.tlv8, json) == nil)
        }
        #expect(value(.data, "AQI=") == .data([1, 2]))
        #expect(value(.tlv8, "") == .data([]))
        for text in ["A", "AQI", "AQI= ", "AQ\nI=", "A_I="] { #expect(value(.tlv8, .string(text)) == nil) }
    }
}

@Suite("CharacteristicsBody")
struct CharacteristicsBodyTests {
    private let id = CharacteristicID(AccessoryID(2), InstanceID(9))

    private func text(_ body: consuming CharacteristicsBody) -> String {
        String(decoding: body.finished(), as: UTF8.self)
    }

    @Test("encodes the examples of HAP 8.2 byte for byte")
    func examples() {
        var read = CharacteristicsBody()
        read.append(id, value: .bool(true))
        #expect(text(read) == "{\"characteristics\":[{\"aid\":2,\"iid\":9,\"value\":true}]}")
        var mixed = CharacteristicsBody()
        mixed.append(id, status: .success, value: .bool(true))
        mixed.append(CharacteristicID(AccessoryID(2), InstanceID(99)), status: .doesNotExist)
        #expect(
            text(mixed)
                == "{\"characteristics\":[{\"aid\":2,\"iid\":9,\"status\":0,\"value\":true},"
                + "{\"aid\":2,\"iid\":99,\"status\":-70409}]}")
        var response = CharacteristicsBody(reserving: 0)
        response.append(CharacteristicID(AccessoryID(2), InstanceID(13)), status: .success, value: .data([2, 0]))
        #expect(text(response) == "{\"characteristics\":[{\"aid\":2,\"iid\":13,\"status\":0,\"value\":\"AgA=\"}]}")
        #expect(text(CharacteristicsBody()) == "{\"characteristics\":[]}")
    }

    @Test("appends additional members after the value")
    func more() {
        var body = CharacteristicsBody()
        body.append(id, value: .integer(1)) { json in
            json.raw(",\"ev\":")
            json.bool(true)
        }
        #expect(text(body) == "{\"characteristics\":[{\"aid\":2,\"iid\":9,\"value\":1,\"ev\":true}]}")
    }

    @Test("encodes the event of HAP 10.1 byte for byte")
    func event() throws {
        var body = CharacteristicsBody()
        body.append(CharacteristicID(AccessoryID(1), InstanceID(10)), value: .bool(true))
        let json = body.finished()
        #expect(json.count == 53)
        let message = String(decoding: HTTPSerializer.bytes(of: .event(body: json)), as: UTF8.self)
        #expect(
            message
                == "EVENT/1.0 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 53\r\n\r\n"
                + "{\"characteristics\":[{\"aid\":1,\"iid\":10,\"value\":true}]}")
    }

    @Test("encodes a status for the whole request")
    func status() {
        #expect(HAPStatus.insufficientPrivileges.body == Array("{\"status\":-70401}".utf8))
        #expect(HAPStatus.success.body == Array("{\"status\":0}".utf8))
    }
}

@Suite("Advertisement")
struct AdvertisementTests {
    private func advertisement(_ id: String, _ setupID: String, isPaired: Bool = false) throws -> Advertisement {
        Advertisement(
            deviceID: try #require(DeviceID(id)), configurationNumber: 65535, isPaired: isPaired, category: .bridge,
            model: "Lamplighter", setupID: try #require(SetupID(setupID)))
    }

    @Test("computes the golden setup hashes")
    func hashes() throws {
        let hashes = try Vectors.load()["setup"]["hashes"].list
        #expect(hashes.count == 4)
        for vector in hashes {
            let made = try advertisement(try vector["device_id_text"].text, try vector["setup_id_text"].text)
            #expect(made.setupHash == (try vector["sh_base64_text"].text))
            let hash = try vector["hash"].bytes
            #expect(hash.count == 4 && made.setupHash.count == 8 && made.setupHash.hasSuffix("=="))
        }
    }

    @Test("lists each key of HAP 1.2 once in the TXT record")
    func txt() throws {
        let record = try advertisement("1a:2b:3c:4d:5e:ff", "1QJ8").txt
        let expected: [String: String] = [
            "c#": "65535", "ff": "0", "id": "1A:2B:3C:4D:5E:FF", "md": "Lamplighter", "pv": "1.1", "s#": "1",
            "sf": "1", "ci": "2", "sh": "IoZq9w==",
        ]
        #expect(Dictionary(uniqueKeysWithValues: record.map { ($0.key, $0.value) }) == expected)
        #expect(record.allSatisfy { ($0.key + "=" + $0.value).utf8.count <= 255 })
    }

    @Test("changes only the status flag when the bridge is paired")
    func paired() throws {
        let unpaired = try advertisement("1A:2B:3C:4D:5E:FF", "1QJ8").txt
        let paired = try advertisement("1A:2B:3C:4D:5E:FF", "1QJ8", isPaired: true).txt
        for (before, after) in zip(unpaired, paired) {
            #expect(before.key == after.key)
            #expect(after.value == (before.key == "sf" ? "0" : before.value))
        }
    }

    @Test("advertises the vendor only while an unpaired bridge requires a token")
    func vendor() throws {
        var unpaired = try advertisement("1A:2B:3C:4D:5E:FF", "1QJ8")
        let before = unpaired.txt
        unpaired.vendor = "org.example.lamps"
        #expect(unpaired.txt.map(\.key) == before.map(\.key) + ["lv"])
        #expect(unpaired.txt.last?.value == "org.example.lamps")
        var paired = unpaired
        paired.isPaired = true
        #expect(paired.txt.map(\.key) == before.map(\.key))
    }

    @Test("truncates a long model to 64 bytes without splitting a character")
    func longModel() throws {
        var made = try advertisement("1A:2B:3C:4D:5E:FF", "1QJ8")
        made.model = "x" + String(repeating: "ü", count: 40)
        let model = try #require(made.txt.first { $0.key == "md" }?.value)
        #expect(model == "x" + String(repeating: "ü", count: 31))
    }
}
