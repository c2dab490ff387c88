import BoundedJSON
import HAPModel
import HAPTesting
import TestTimeouts
import Testing

@testable import HAPProtocol

private func id(_ aid: UInt64, _ iid: UInt64) -> CharacteristicID {
    CharacteristicID(AccessoryID(aid), InstanceID(iid))
}

@Suite("ReadRequest")
struct ReadRequestTests {
    @Test(
        "parses queries with characteristic ids",
        arguments: [
            ("id=1.2", [id(1, 2)]), ("id=1.2,2.9,2.10", [id(1, 2), id(2, 9), id(2, 10)]),
            ("id=1.2&id=3.4", [id(1, 2), id(3, 4)]), ("id=1.2,1.2", [id(1, 2), id(1, 2)]),
            ("id=1%2E2%2C3%2e4", [id(1, 2), id(3, 4)]), ("id=1.2%2c3.4", [id(1, 2), id(3, 4)]),
            ("id=18446744073709551615.18446744073709551615", [id(.max, .max)]), ("id=0.0", [id(0, 0)]),
            ("id=01.002", [id(1, 2)]), ("id=1.2&unknown=x&&=&a", [id(1, 2)]), ("x=1.9&id=1.2", [id(1, 2)]),
        ])
    func ids(query: String, ids: [CharacteristicID]) {
        #expect(ReadRequest(query: query) == ReadRequest(ids: ids))
    }

    @Test(
        "rejects malformed queries",
        arguments: [
            nil, "", "id", "id=", "meta=1", "id=1", "id=1.", "id=.2", "id=.", "id=1.2,", "id=,1.2", "id=1.2,,3.4",
            "id=1.2.3", "id=1..2", "id=-1.2", "id=1.-2", "id=+1.2", "id= 1.2", "id=1.2 ", "id=0x1.2", "id=a.b",
            "id=1.a", "id=1;2", "id=1.2;3.4", "id=18446744073709551616.1", "id=1.18446744073709551616",
            "id=99999999999999999999999999.1", "id=1%2", "id=1%2E", "id=1%", "id=1%20.2", "id=1%3A2", "id=1%zz2",
            "id=1.2&id=", "id=1.2&id=3", "ID=1.2", "id=1.2&meta=2", "id=1.2&meta=", "id=1.2&perms=yes",
            "id=1.2&type=TRUE", "id=1.2&ev=01", "id=1.2&ev=1 ", "id=１.2", "id=1.٢", "id=1。2",
        ] as [String?])
    func refused(query: String?) {
        #expect(ReadRequest(query: query) == nil)
    }

    @Test("parses flags of 0, 1, true and false", arguments: 0..<16)
    func flags(bits: Int) throws {
        var expected = ReadRequest(ids: [id(1, 2)])
        expected.metadata = bits & 1 != 0
        expected.permissions = bits & 2 != 0
        expected.type = bits & 4 != 0
        expected.events = bits & 8 != 0
        for words in [("0", "1"), ("false", "true")] {
            let values = (0..<4).map { bits & 1 << $0 != 0 ? words.1 : words.0 }
            let query = "meta=\(values[0])&perms=\(values[1])&id=1.2&type=\(values[2])&ev=\(values[3])"
            #expect(ReadRequest(query: query) == expected)
        }
        #expect(ReadRequest(query: expected.query) == expected)
    }

    @Test("parses a query with thousands of ids")
    func many() {
        let ids = (0..<4000).map { id(UInt64($0), UInt64($0 % 100)) }
        let request = ReadRequest(ids: ids)
        #expect(ReadRequest(query: request.query) == request)
    }
}

@Suite("WriteRequest")
struct WriteRequestTests {
    private func parse(_ text: String) -> WriteRequest? { WriteRequest(parsing: Array(text.utf8)) }

    @Test(
        "rejects malformed bodies",
        arguments: [
            "", "{", "[]", "1", "null", "\"x\"", "{}", "{\"x\":1}", "{\"characteristics\":[]}",
            "{\"characteristics\":{}}", "{\"characteristics\":null}", "{\"characteristics\":[1]}",
            "{\"characteristics\":[[]]}", "{\"characteristics\":[null]}", "{\"characteristics\":[{}]}",
            "{\"characteristics\":[{\"aid\":1}]}", "{\"characteristics\":[{\"iid\":1}]}",
            "{\"characteristics\":[{\"aid\":\"1\",\"iid\":1}]}", "{\"characteristics\":[{\"aid\":1.0,\"iid\":1}]}",
            "{\"characteristics\":[{\"aid\":-1,\"iid\":1}]}", "{\"characteristics\":[{\"aid\":1,\"iid\":1e0}]}",
            "{\"characteristics\":[{\"aid\":18446744073709551616,\"iid\":1}]}",
            "{\"characteristics\":[{\"aid\":true,\"iid\":1}]}", "{\"characteristics\":[{\"aid\":null,\"iid\":1}]}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1},2]}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1}]} x", "{\"characteristics\":[{\"aid\":1,\"iid\":1}]}{}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1},]}", "{\"characteristics\":[{\"aid\":1,\"iid\":01}]}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1,\"value\":NaN}]}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1,\"value\":1e999}]}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1}],\"pid\":\"1\"}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1}],\"pid\":-1}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1}],\"pid\":1.5}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1}],\"pid\":null}",
            "{\"characteristics\":[{\"aid\":1,\"iid\":1,\"value\":" + String(repeating: "[", count: 30) + "}]}",
        ])
    func refused(text: String) {
        #expect(parse(text) == nil)
    }

    @Test("rejects a body that is not UTF-8")
    func notUTF8() {
        let text = Array("{\"characteristics\":[{\"aid\":1,\"iid\":1,\"value\":\"".utf8)
        for bad in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]] {
            #expect(WriteRequest(parsing: text + bad + Array("\"}]}".utf8)) == nil)
        }
    }

    typealias Entry = WriteRequest.Entry

    @Test(
        "parses each member of an entry",
        arguments: [
            ("", Entry(id: id(1, 2))),
            (",\"value\":true", Entry(id: id(1, 2), value: true)),
            (",\"value\":50", Entry(id: id(1, 2), value: 50)),
            (",\"value\":1.5e1", Entry(id: id(1, 2), value: .number(15))),
            (",\"value\":18446744073709551615", Entry(id: id(1, 2), value: .unsigned(.max))),
            (",\"value\":\"a\\u0000b\"", Entry(id: id(1, 2), value: "a\u{0}b")),
            (",\"ev\":true", Entry(id: id(1, 2), events: true)), (",\"ev\":0", Entry(id: id(1, 2), events: false)),
            (",\"ev\":1", Entry(id: id(1, 2), events: true)),
            (",\"value\":1,\"ev\":false", Entry(id: id(1, 2), value: 1, events: false)),
            (",\"value\":null,\"ev\":true", Entry(id: id(1, 2), events: true)),
            (",\"ev\":null,\"value\":1", Entry(id: id(1, 2), value: 1)),
            (",\"value\":1,\"r\":true", Entry(id: id(1, 2), value: 1, wantsResponse: true)),
            (",\"value\":1,\"r\":1", Entry(id: id(1, 2), value: 1, wantsResponse: true)),
            (",\"value\":1,\"r\":0", Entry(id: id(1, 2), value: 1)),
            (",\"value\":1,\"r\":\"x\"", Entry(id: id(1, 2), value: 1)),
            (
                ",\"value\":1,\"remote\":true,\"authData\":\"AQI=\"",
                Entry(id: id(1, 2), value: 1, authorizationData: [1, 2])
            ),
            (",\"value\":1,\"unknown\":{\"a\":[]}", Entry(id: id(1, 2), value: 1)),
            (",\"value\":1,\"value\":2", Entry(id: id(1, 2), value: 2)),
        ])
    func entry(members: String, entry: WriteRequest.Entry) {
        let request = parse("{\"characteristics\":[{\"aid\":1,\"iid\":2\(members)}]}")
        #expect(request == WriteRequest(entries: [entry]))
    }

    @Test(
        "marks only entries with a member of the wrong type as malformed",
        arguments: [
            "\"value\":null", "\"value\":[]", "\"value\":{}", "\"value\":[1]", "\"ev\":2", "\"ev\":\"true\"",
            "\"ev\":1.0", "\"ev\":[]", "\"value\":null,\"ev\":null", "\"value\":1,\"authData\":\"A\"",
            "\"value\":1,\"authData\":1", "\"value\":1,\"authData\":\"A B=\"",
        ])
    func malformed(members: String) throws {
        let request = try #require(
            parse("{\"characteristics\":[{\"aid\":1,\"iid\":2,\(members)},{\"aid\":1,\"iid\":3,\"value\":1}]}"))
        #expect(request.entries.map(\.isMalformed) == [true, false])
    }

    @Test("keeps the order of entries, including repeated ids")
    func order() {
        let request = parse(
            "{\"pid\":7,\"characteristics\":[{\"iid\":9,\"aid\":2,\"value\":true},{\"aid\":1,\"iid\":1,\"value\":1},"
                + "{\"aid\":2,\"iid\":9,\"ev\":true}]}")
        let entries = [
            Entry(id: id(2, 9), value: true), Entry(id: id(1, 1), value: 1), Entry(id: id(2, 9), events: true),
        ]
        #expect(request == WriteRequest(entries: entries, preparedID: 7))
    }

    @Test("parses its own encoding")
    func roundTrip() {
        let request = WriteRequest(
            entries: [
                Entry(id: id(2, 9), value: true, events: false, wantsResponse: true, authorizationData: [0, 255]),
                Entry(id: id(.max, .max), value: .number(0.5)), Entry(id: id(3, 1), value: "\"\\\n"),
                Entry(id: id(3, 2), events: true),
            ], preparedID: .max)
        #expect(WriteRequest(parsing: request.encoded) == request)
        #expect(WriteRequest(parsing: request.encoded + [0]) == nil)
    }

    @Test("parses a body of a megabyte and rejects a longer one", .timeout)
    func large() {
        let entry = "{\"aid\":1,\"iid\":2,\"value\":1},"
        let count = (HTTPLimits.body - 100) / entry.utf8.count
        let text = "{\"characteristics\":[" + String(repeating: entry, count: count) + "{\"aid\":1,\"iid\":3}]}"
        #expect(parse(text)?.entries.count == count + 1)
        #expect(parse(text + String(repeating: " ", count: 200)) == nil)
        // A single entry with the maximum number of members is parsed in one pass.
        let members = String(repeating: "\"value\":1,", count: 100_000)
        #expect(parse("{\"characteristics\":[{\(members)\"aid\":1,\"iid\":2}]}")?.entries.count == 1)
    }
}

@Suite("PrepareRequest")
struct PrepareRequestTests {
    private func parse(_ text: String) -> PrepareRequest? { PrepareRequest(parsing: Array(text.utf8)) }

    @Test("parses the time to live and the id")
    func read() {
        let request = parse("{\"ttl\":2500,\"pid\":11122333}")
        #expect(request?.timeToLive == .milliseconds(2500))
        #expect(request?.preparedID == 11_122_333)
        let extremes = parse("{\"pid\":18446744073709551615,\"ttl\":9007199254740991,\"x\":[]}")
        #expect(extremes?.timeToLive == .milliseconds(9_007_199_254_740_991))
        #expect(extremes?.preparedID == .max)
        #expect(parse("{\"pid\":0,\"ttl\":0}")?.timeToLive == .zero)
    }

    @Test(
        "rejects malformed announcements",
        arguments: [
            "", "[]", "{}", "{\"ttl\":1}", "{\"pid\":1}", "{\"ttl\":\"1\",\"pid\":1}", "{\"ttl\":1,\"pid\":\"1\"}",
            "{\"ttl\":1.0,\"pid\":1}", "{\"ttl\":-1,\"pid\":1}", "{\"ttl\":1,\"pid\":-1}", "{\"ttl\":null,\"pid\":1}",
            "{\"ttl\":9007199254740992,\"pid\":1}", "{\"ttl\":18446744073709551615,\"pid\":1}",
            "{\"ttl\":1,\"pid\":18446744073709551616}", "{\"ttl\":1,\"ttl\":1,\"pid\":1}",
            "{\"ttl\":1,\"pid\":1,\"pid\":1}", "{\"ttl\":1,\"pid\":1} x", "{\"TTL\":1,\"pid\":1}",
            "{\"ttl\":true,\"pid\":1}",
        ])
    func refused(text: String) {
        #expect(parse(text) == nil)
    }
}
