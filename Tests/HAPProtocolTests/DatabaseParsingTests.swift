import BoundedJSON
import HAPCrypto
import HAPModel
import HAPProtocol
import Testing

private func parse(_ text: String) throws -> AccessoryDatabase { try AccessoryDatabase(parsing: Array(text.utf8)) }

/// Parses an accessory with a single characteristic, and returns the characteristic.
private func one(_ members: String) throws -> CharacteristicObject? {
    let database = try parse(
        #"""
        {"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[]},
        {"iid":2,"type":"43","characteristics":[{"iid":3,\#(members)}]}]}]}
        """#)
    return database[CharacteristicID(AccessoryID(1), InstanceID(3))]
}

private func server(_ accessories: [String]) -> String { #"{"accessories":[\#(accessories.joined(separator: ","))]}"# }

private func accessory(_ aid: String, _ services: String = #"{"iid":1,"type":"3E","characteristics":[]}"#) -> String {
    #"{"aid":\#(aid),"services":[\#(services)]}"#
}

@Suite("AccessoryDatabase")
struct DatabaseParsingTests {
    @Test("parses an encoded database of the accessory role")
    func roundTrip() throws {
        let lamp = AccessoryObject(
            aid: AccessoryID(1),
            services: [
                ServiceObject(iid: InstanceID(1), type: .accessoryInformation, characteristics: []),
                ServiceObject(
                    iid: InstanceID(2), type: .lightbulb, isPrimary: true, linked: [InstanceID(1)],
                    characteristics: CharacteristicDefinition.all.enumerated().map { index, definition in
                        CharacteristicObject(
                            iid: InstanceID(UInt64(index) + 3), type: definition.type, metadata: definition.metadata,
                            value: definition.metadata.permissions.contains(.pairedRead)
                                ? definition.metadata.defaultValue : nil)
                    }.prefix(100).map { $0 }),
            ])
        var json = JSONWriter()
        json.raw("{\"accessories\":[")
        json.accessory(lamp)
        json.raw("]}")
        let read = try AccessoryDatabase(parsing: json.bytes)
        #expect(read.accessories.map(\.aid) == [lamp.aid])
        for (old, new) in zip(lamp.services[1].characteristics, read.accessories[0].services[1].characteristics) {
            #expect(old.iid == new.iid && old.type == new.type)
            // The press of a button isn't a state, so it has no value.
            #expect(new.value == (old.type.isMomentary ? nil : old.value))
            #expect(old.metadata.format == new.metadata.format && old.metadata.permissions == new.metadata.permissions)
            #expect(old.metadata.minimum == new.metadata.minimum && old.metadata.step == new.metadata.step)
        }
        #expect(read.accessories[0].services[1].isPrimary)
        #expect(read.accessories[0].services[1].linked == [InstanceID(1)])
    }

    @Test(
        "rejects a database with ambiguous or missing ids",
        arguments: [
            ("", "JSON"), ("{}", "JSON"), (server([]), "empty"), (server(["1"]), "no valid id"),
            (server([accessory("0")]), "no valid id"), (server([accessory("-1")]), "no valid id"),
            (server([accessory("1.5")]), "no valid id"),
            (server([accessory("1"), accessory("1")]), "two accessories"),
            (server((1...151).map { accessory("\($0)") }), "more than 150"),
            (server([accessory("1", #"{"iid":1,"type":"43","characteristics":[]}"#)]), "no Accessory Information"),
            (
                server([
                    accessory(
                        "1",
                        (1...101).map { #"{"iid":\#($0),"type":"3E","characteristics":[]}"# }.joined(separator: ","))
                ]),
                "more than 100"
            ),
        ])
    func faults(_ text: String, _ word: String) throws {
        let error = #expect(throws: ComplianceError.self) { try parse(text) }
        #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
    }

    @Test(
        "omits only services and characteristics without a type, permissions or a unique iid",
        arguments: [
            (#"{"iid":0,"type":"43","characteristics":[]}"#, "a service of accessory 1 has no unique iid"),
            (#"{"iid":1,"type":"43","characteristics":[]}"#, "a service of accessory 1 has no unique iid"),
            (
                #"{"iid":7,"type":"xyz","characteristics":[]}"#,
                "service 7 of accessory 1 has no type or no characteristics"
            ),
            (#"{"iid":7,"type":"43"}"#, "service 7 of accessory 1 has no type or no characteristics"),
            (
                on(#""iid":1,"type":"25","format":"bool","perms":["pr"]"#),
                "a characteristic of accessory 1 has no unique iid"
            ),
            (
                on(#""type":"25","format":"bool","perms":["pr"]"#),
                "a characteristic of accessory 1 has no unique iid"
            ),
            (on(#""iid":8,"format":"bool","perms":["pr"]"#), "characteristic 1.8 has no type or no permissions"),
            (on(#""iid":8,"type":"25","format":"bool""#), "characteristic 1.8 has no type or no permissions"),
        ])
    func omissions(_ part: String, _ words: String) throws {
        let lamp = Self.on(#""iid":30,"type":"25","format":"bool","perms":["pr"]"#, 20)
        let sound = #"{"iid":1,"type":"3E","characteristics":[]},\#(lamp)"#
        let database = try parse(server([accessory("1", "\(sound),\(part)")]))
        #expect(database.omissions == [words])
        #expect(database[CharacteristicID(AccessoryID(1), InstanceID(30))] != nil)
    }

    /// Returns a lamp's service with one characteristic.
    private static func on(_ members: String, _ iid: Int = 7) -> String {
        #"{"iid":\#(iid),"type":"43","characteristics":[{\#(members)}]}"#
    }

    @Test("limits the list of omissions")
    func manyOmissions() throws {
        let parts = (1...99).map { #"{"iid":\#($0 + 1),"type":"x","characteristics":[]}"# }
        let database = try parse(
            server([accessory("1", ([#"{"iid":1,"type":"3E","characteristics":[]}"#] + parts).joined(separator: ","))]))
        #expect(database.omissions.count == 16)
    }

    @Test(
        "accepts values in the forms that accessories use",
        arguments: [
            ("bool", "1", .bool(true)), ("bool", "false", .bool(false)), ("bool", "2", nil), ("bool", "null", nil),
            ("int", "-7", .integer(-7)), ("uint8", "7.0", .integer(7)), ("uint8", "7.5", nil),
            ("uint8", "true", .integer(1)),
            ("uint64", "18446744073709551615", .unsigned(.max)),
            ("uint64", "9223372036854775808.0", .unsigned(1 << 63)), ("uint64", "18446744073709551616", nil),
            ("uint32", "18446744073709551615", nil), ("uint8", "1e300", nil), ("float", "7", .float(7)),
            ("float", "true", nil), ("float", "1e308", .float(1e308)), ("string", #""x""#, .string("x")),
            ("string", "7", nil),
            ("tlv8", #""AgA=""#, .data([2, 0])), ("data", #""*""#, nil),
        ] as [(String, String, CharacteristicValue?)])
    func values(_ format: String, _ json: String, _ value: CharacteristicValue?) throws {
        let read = try one(#""type":"25","format":"\#(format)","perms":["pr"],"value":\#(json)"#)
        #expect(read?.value == value)
    }

    @Test("drops the value of a characteristic that can't be read", arguments: [#"["pw"]"#, #"["pw","ev"]"#, "[]"])
    func unreadable(_ permissions: String) throws {
        let read = try one(#""type":"25","format":"int","perms":\#(permissions),"value":7"#)
        #expect(read != nil && read?.value == nil)
    }

    @Test("truncates very long strings")
    func longText() throws {
        let text = String(repeating: "x", count: 100_000)
        let read = try one(#""type":"23","format":"string","perms":["pr"],"value":"\#(text)""#)
        #expect(read?.value == .string(String(repeating: "x", count: 4096)))
    }

    @Test("keeps valid descriptions of characteristics, up to 256 bytes")
    func descriptions() throws {
        let place = CharacteristicID(AccessoryID(1), InstanceID(3))
        func description(_ json: String) throws -> [CharacteristicID: String] {
            try parse(
                #"""
                {"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[
                {"iid":3,"type":"23","format":"string","perms":["pr"],"description":\#(json)}]}]}]}
                """#
            ).descriptions
        }
        #expect(try description(#""Wattage""#) == [place: "Wattage"])
        let long = String(repeating: "\u{e9}", count: 1000)
        #expect(try description("\"\(long)\"") == [place: String(repeating: "\u{e9}", count: 128)])
        for json in [#""""#, "7", "null", "[]"] { #expect(try description(json) == [:]) }
    }

    @Test("fills in missing metadata of known characteristics from the catalog")
    func filled() throws {
        let on = try one(#""type":"25","perms":["pr","pw"],"value":1"#)
        #expect(on?.metadata.format == .bool && on?.value == .bool(true))
        let brightness = try one(#""type":"8","perms":["pr"],"value":7"#)?.metadata
        #expect(
            brightness
                == CharacteristicMetadata(
                    format: .int, permissions: .pairedRead, unit: .percentage, minimum: 0, maximum: 100, step: 1))
        // The accessory's metadata takes precedence, and defaults that contradict it are dropped.
        let narrow = try one(#""type":"8","format":"int","perms":[],"minValue":10,"maxValue":20,"minStep":5"#)?.metadata
        #expect(narrow?.minimum == 10 && narrow?.maximum == 20 && narrow?.step == 5)
        let beyond = try one(#""type":"8","perms":[],"minValue":200"#)?.metadata
        #expect(beyond?.minimum == 200 && beyond?.maximum == nil)
        let other = try one(#""type":"8","format":"float","perms":[]"#)?.metadata
        #expect(other?.format == .float && other?.maximum == nil && other?.unit == nil)
        // All integer formats are equivalent.
        let sized = try one(#""type":"CE","format":"int","perms":[]"#)?.metadata
        #expect(sized?.format == .int && sized?.minimum == 50 && sized?.step == 1)
        // The catalog has no format for a manufacturer's own type.
        #expect(try one(#""type":"00000001-0000-1000-8000-0123456789AB","perms":["pr"]"#) == nil)
    }

    @Test("accepts a comma before a closing bracket")
    func trailingCommas() throws {
        #expect(try one(#""type":"25","format":"bool","perms":["pr",],"value":true,"#)?.value == .bool(true))
        let text = #"{"characteristics":[{"aid":1,"iid":2,"value":1,},],}"#
        #expect(CharacteristicAnswer.list(parsing: Array(text.utf8))?.count == 1)
    }

    @Test("drops valid values beyond the limits")
    func validValuesWithinLimits() throws {
        let text = #""type":"33","format":"uint8","perms":["pw"],"minValue":0,"maxValue":1,"valid-values":"#
        #expect(try one(text + "[0,1,2,3]")?.metadata.validValues == [0, 1])
        #expect(try one(text + "[7,8]")?.metadata.validValues == nil)
        let large = #""type":"33","format":"uint64","perms":["pw"],"valid-values":[1,18446744073709551615]"#
        #expect(try one(large)?.metadata.validValues == nil)
    }

    @Test("ignores unknown and invalid metadata, and keeps valid metadata")
    func lenient() throws {
        #expect(try one(#""type":"25","format":"array","perms":["pr"]"#) == nil)
        let metadata = try #require(
            try one(
                #""type":"25","format":"int","perms":["pr","xx",7,"ev"],"unit":"furlongs","minValue":9,"maxValue":1,"minStep":0,"maxLen":-1,"valid-values":[3,"x",1]"#
            )?.metadata)
        #expect(metadata.permissions == [.pairedRead, .notify])
        #expect(metadata.unit == nil && metadata.minimum == nil && metadata.maximum == nil && metadata.step == nil)
        #expect(metadata.maximumLength == nil && metadata.validValues == [1, 3])
        let range = try one(#""type":"25","format":"uint8","perms":[],"valid-values-range":[2,4]"#)
        #expect(range?.metadata.validValues == [2, 3, 4])
        for range in ["[4,2]", "[-9223372036854775808,9223372036854775807]", "[1]", "7"] {
            #expect(
                try one(#""type":"25","format":"uint8","perms":[],"valid-values-range":\#(range)"#)?.metadata
                    .validValues == nil)
        }
    }
}

@Suite("CharacteristicAnswer")
struct CharacteristicAnswerTests {
    @Test("parses entries with status and value")
    func entries() throws {
        let id = CharacteristicID(AccessoryID(2), InstanceID(9))
        let text =
            #"{"characteristics":[{"aid":2,"iid":9,"status":0,"value":true},{"aid":2,"iid":9,"status":-70402},{"aid":2,"iid":9,"status":-1}]}"#
        #expect(
            CharacteristicAnswer.list(parsing: Array(text.utf8)) == [
                CharacteristicAnswer(id: id, status: .success, value: true),
                CharacteristicAnswer(id: id, status: .unableToCommunicate, value: nil),
                CharacteristicAnswer(id: id, status: .unableToCommunicate, value: nil),
            ])
    }

    @Test(
        "rejects a body that isn't in HAP's format",
        arguments: [
            "", "7", "{}", #"{"characteristics":7}"#, #"{"characteristics":[7]}"#, #"{"characteristics":[{"aid":1}]}"#,
        ])
    func none(_ text: String) { #expect(CharacteristicAnswer.list(parsing: Array(text.utf8)) == nil) }

    @Test("parses the encoding of a prepare request", arguments: [1, 2500, 1 << 52] as [Int64])
    func prepare(_ milliseconds: Int64) {
        let request = PrepareRequest(timeToLive: .milliseconds(milliseconds), preparedID: .max)
        #expect(PrepareRequest(parsing: request.encoded) == request)
    }

    @Test("never ends a controller's message with a frame of one byte", arguments: [1024, 1025, 2048, 2049])
    func lastFrame(_ length: Int) throws {
        let keys = SessionKeys(
            read: .init(Array(repeating: 1, count: 32)), write: .init(Array(repeating: 2, count: 32)))
        var controller = MessageStream(role: .controller)
        var accessory = MessageStream(role: .accessory)
        controller.secure(with: keys)
        accessory.secure(with: keys)
        let empty = HTTPSerializer.bytes(of: .request(HTTPRequest(.put, "/x"))).count
        // The length's own digits are part of the message.
        let request = HTTPRequest(
            .put, "/x", body: Array(repeating: 65, count: length - empty - (length - empty < 1000 ? 2 : 3)),
            contentType: .hapJSON)
        let plain = HTTPSerializer.bytes(of: .request(request))
        #expect(plain.count == length)
        let sealed = try controller.encode(.request(request))
        accessory.received(sealed)
        #expect(try accessory.next() == .request(request))
        var lengths: [Int] = []
        var start = 0
        while start < sealed.count {
            lengths.append(Int(sealed[start]) | Int(sealed[start + 1]) << 8)
            start += 2 + (lengths.last ?? 0) + 16
        }
        #expect(lengths.reduce(0, +) == length && lengths.last != 1)
    }
}
