import BoundedJSON
import Testing

@Suite("JSONValue")
struct JSONTests {
    @Test(
        "parses JSON",
        arguments: [
            ("null", JSONValue.null), (" true ", true), ("[]", []), ("{}", [:]),
            ("18446744073709551615", .unsigned(.max)), ("-9223372036854775807", .integer(-.max)),
            ("9007199254740993", 9_007_199_254_740_993), ("1.0", 1.0), ("-0", 0), ("1e3", 1000.0),
            (#""a\n\u00e9\ud83d\ude00\/""#, "a\né😀/"),
            (#"{"a":1,"a":[2,{"b":null}]}"#, ["a": 1, "a": [2, ["b": .null]]]),
        ] as [(String, JSONValue)])
    func reads(text: String, expected: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == expected)
    }

    @Test(
        "rejects text that isn't JSON",
        arguments: [
            "", " ", "nul", "tru", "01", "1.", ".5", "-", "+1", "1e", "1e999", "NaN", "Infinity", "[1,]", "[1 2]",
            "{1:2}",
            #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "\"", "\"\u{1}\"", #""\x""#, #""\u12""#, #""\ud800""#, #""\udc00""#,
            #""\ud800\u0041""#, "\"\\n\u{1}\"", "\"\\n\u{1F}\"", "1 2", "[1]]", "'a'", "{\"a\":1", "[", "\u{FEFF}1",
        ])
    func refuses(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test(
        "rejects a string that isn't UTF-8",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0xED, 0xA0, 0x80, 0x22]]
            as [[UInt8]])
    func refusesBadUTF8(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }

    @Test("limits the nesting and the length of text")
    func limits() throws {
        let deepest = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(throws: Never.self) { try JSONValue(parsing: deepest) }
        #expect(throws: JSONError.tooDeep) { try JSONValue(parsing: "[" + deepest + "]") }
        #expect(throws: JSONError.tooDeep) { try JSONValue(parsing: String(repeating: "[", count: 1_000_000)) }
        #expect(throws: JSONError.tooLong) { try JSONValue(parsing: "123", maximumLength: 2) }
    }

    @Test("accepts a comma before a closing bracket only on request, and only after an element")
    func trailingCommas() throws {
        let text = Array(#"{"a":[1,2 , ],"b":{},}"#.utf8)
        #expect(try JSONValue(parsing: text, allowsTrailingCommas: true) == ["a": [1, 2], "b": [:]])
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        for text in ["[,]", "{,}", "[1,,]", "[1],", #"{"a":1,,}"#, "[1,", "[1,}"] {
            #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8), allowsTrailingCommas: true) }
        }
    }

    @Test("counts only nesting as depth", arguments: ["[]", "{}", #"{"a":[{}]}"#])
    func flat(element: String) throws {
        let text = "[" + repeatElement(element, count: 100).joined(separator: ",") + "]"
        #expect(try JSONValue(parsing: text).array?.count == 100)
    }

    @Test("uses the last of two members with the same name")
    func lastMemberWins() throws {
        #expect(try JSONValue(parsing: #"{"a":1,"a":2}"#)["a"] == 2)
    }

    @Test(
        "writes numbers as plain decimals",
        arguments: [
            (0.0, "0"), (-0.0, "0"), (1.5, "1.5"), (-2.25, "-2.25"), (0.1 + 0.2, "0.3"), (1e-9, "0"), (-1e-9, "0"),
            (0.9999999, "1"), (-0.9999999, "-1"), (1e17, "100000000000000000"), (1e21, "1000000000000000000000"),
            (1.5e300, "15" + String(repeating: "0", count: 299)), (.nan, "0"), (.infinity, "0"), (0.000001, "0.000001"),
            (-0.5, "-0.5"), (123456.789, "123456.789"),
        ])
    func writesNumbers(value: Double, expected: String) {
        var writer = JSONWriter()
        writer.number(value)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test("parses its own encoding")
    func roundTrip() throws {
        let value: JSONValue = [
            "text": "q\"\\\u{1}\n\u{7F}é😀", "list": [1, -2, 3.5, true, .null, .unsigned(.max)], "o": [:],
        ]
        #expect(try JSONValue(parsing: value.encoded) == value)
    }
}
