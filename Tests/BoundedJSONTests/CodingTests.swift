import BoundedJSON
import Testing

/// An enum with a case for each shape of message.
private enum Event: Codable, Equatable {
    case renamed(String, name: String)
    case parts(String, [Part])
    case chosen(String?)
    case gone

    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "event"

        case renamed = "home.renamed"
        case parts, chosen, gone
    }

    enum RenamedCodingKeys: String, CodingKey { case _0 = "home", name }
    enum PartsCodingKeys: String, CodingKey { case _0 = "whole", _1 = "parts" }
    enum ChosenCodingKeys: String, CodingKey { case _0 = "home" }
}

private struct Part: Codable, Equatable {
    var id: String
    var whole: String
    var number: UInt16?

    enum CodingKeys: String, CodingKey {
        case id
        case whole = "^whole"
        case number
    }
}

private struct Whole: Codable, Equatable {
    var id: String
    var parts: [Part]
    var texts: [String: String]
}

private struct Change: Codable, Equatable {
    var event: Event
    var flag: Bool?

    enum CodingKeys: String, CodingKey {
        case event = "_0"
        case flag
    }
}

private enum Outcome: Codable, Equatable {
    case nothing
    case home(String)
    case list([String])

    enum CodingKeys: String, CodingKey {
        case nothing = "_0"
        case home, list
    }
}

private struct Numbers: Codable, Equatable {
    var small: Int8
    var large: UInt64
    var long: Int64
    var real: Double
    var short: Float
    var raw: JSONValue
}

private enum Write: MethodCall, Equatable {
    case addHome(name: String)
    case undo

    enum CodingKeys: String, MethodKey {
        case addHome = "homes.add"
        case undo
    }
}

private enum Request: MethodCall, Equatable {
    case open(Whole)
    case list
    case write(Write)

    enum CodingKeys: String, MethodKey {
        case open
        case list = "homes.list"
        case write = "_0"
    }
}

private enum Tolerant: MethodCall, Equatable {
    struct Other: Codable, Equatable { var method: String }

    case list
    case other(Other)

    enum CodingKeys: String, MethodKey {
        case list = "homes.list"
        case other = "_0"
    }
}

/// A value and its JSON form.
private struct Form: Sendable, CustomTestStringConvertible {
    let text: String
    let written: String
    let isReadBack: Bool

    init<Value: Codable & Equatable>(_ value: Value, _ text: String) {
        self.text = text
        written = JSONValue(encoding: value).text
        isReadBack = (try? JSONValue(parsing: text).decoded(as: Value.self)) == value
    }

    var testDescription: String { text }
}

private let part = Part(id: "p", whole: "w", number: 65535)
private let whole = Whole(id: "w", parts: [part], texts: ["b": "1", "_0": "2", "^a": "3"])

private let forms: [Form] = [
    Form(Event.renamed("h", name: "n"), #"{"event":"home.renamed","home":"h","name":"n"}"#),
    Form(Event.parts("w", [part]), #"{"event":"parts","whole":"w","parts":[{"id":"p","number":65535}]}"#),
    Form(Event.chosen(nil), #"{"event":"chosen"}"#),
    Form(Event.gone, #"{"event":"gone"}"#),
    Form(whole, #"{"id":"w","parts":[{"id":"p","number":65535}],"texts":{"^a":"3","_0":"2","b":"1"}}"#),
    Form(Whole(id: "w", parts: [], texts: [:]), #"{"id":"w","parts":[],"texts":{}}"#),
    Form(Change(event: .chosen("h"), flag: true), #"{"event":"chosen","home":"h","flag":true}"#),
    Form(Change(event: .gone, flag: nil), #"{"event":"gone"}"#),
    Form(Outcome.nothing, "{}"),
    Form(Outcome.home("h"), #"{"home":"h"}"#),
    Form(Outcome.list([]), #"{"list":[]}"#),
    Form(
        Numbers(small: -128, large: .max, long: .min, real: 0.5, short: 2, raw: ["a": [.null, true]]),
        #"{"small":-128,"large":18446744073709551615,"long":-9223372036854775808,"real":0.5,"short":2,"#
            + #""raw":{"a":[null,true]}}"#),
    Form([[1], [], [2, 3]], "[[1],[],[2,3]]"),
    Form(Request.open(whole), #"{"method":"open","params":\#(JSONValue(encoding: whole).text)}"#),
    Form(Request.list, #"{"method":"homes.list","params":{}}"#),
    Form(Request.write(.addHome(name: "n")), #"{"method":"homes.add","params":{"name":"n"}}"#),
    Form(Request.write(.undo), #"{"method":"undo","params":{}}"#),
]

@Suite("JSON coding") struct CodingTests {
    @Test("encodes values in the order of their keys and decodes them", arguments: forms)
    fileprivate func form(form: Form) {
        #expect(form.written == form.text)
        #expect(form.isReadBack)
    }

    private func error<Value: Decodable>(_ text: String, _ type: Value.Type) throws -> JSONDecodingError? {
        let json = try JSONValue(parsing: text)
        return #expect(throws: JSONDecodingError.self) { try json.decoded(as: type) }
    }

    @Test("reports the path of a missing member or a value of the wrong type")
    func errors() throws {
        #expect(try error("5", Whole.self) == JSONDecodingError(.wrongType))
        #expect(try error("{}", Whole.self) == JSONDecodingError(.missing, at: "id"))
        #expect(try error(#"{"id":null}"#, Whole.self) == JSONDecodingError(.missing, at: "id"))
        #expect(
            try error(#"{"id":"w","parts":[{"id":"p"},{}],"texts":{}}"#, Whole.self)
                == JSONDecodingError(.missing, at: "parts[1].id"))
        #expect(
            try error(#"{"id":"w","parts":[{"id":"p","number":65536}],"texts":{}}"#, Whole.self)
                == JSONDecodingError(.wrongType, at: "parts[0].number"))
        #expect(
            try error(#"{"id":"w","parts":[],"texts":{"a":1}}"#, Whole.self)
                == JSONDecodingError(.wrongType, at: "texts"))
        #expect(try error(#"{"home":5}"#, Outcome.self) == JSONDecodingError(.wrongType, at: "home"))
        #expect(try error(#"{"event":"home.renamed","home":"h"}"#, Event.self) == .init(.missing, at: "name"))
        #expect(try error("[1,true]", [Int].self) == JSONDecodingError(.wrongType, at: "[1]"))
        #expect(try error("[-1]", [UInt64].self) == JSONDecodingError(.wrongType, at: "[0]"))
        #expect(try error("[1.0]", [UInt64].self) == JSONDecodingError(.wrongType, at: "[0]"))
        #expect(try error("[300]", [UInt8].self) == JSONDecodingError(.wrongType, at: "[0]"))
    }

    @Test("reports an unknown tag, and rejects the key of the catch-all case")
    func kinds() throws {
        #expect(try error(#"{"event":"new"}"#, Event.self) == .init(.unknownKind("new"), at: "event"))
        #expect(try error("{}", Event.self) == .init(.missing, at: "event"))
        #expect(try error(#"{"event":5}"#, Event.self) == .init(.wrongType, at: "event"))
        #expect(try error(#"{"method":"_0","params":{}}"#, Request.self) == .init(.unknownKind("_0"), at: "method"))
        // An enum with a catch-all case rejects its key, too.
        #expect(try JSONValue(parsing: #"{"method":"x"}"#).decoded(as: Tolerant.self) == .other(.init(method: "x")))
        #expect(try error(#"{"method":"_0"}"#, Tolerant.self) == .init(.unknownKind("_0"), at: "method"))
        let long = String(repeating: "x", count: 1000)
        let expected = JSONDecodingError(.unknownKind(String(long.prefix(64))), at: "event")
        #expect(try error(#"{"event":"\#(long)"}"#, Event.self) == expected)
    }

    @Test("never includes a value in an error")
    func secrets() throws {
        enum Word: String, Codable { case known }
        for text in [#"{"code":"031-45-154"}"#, #"{"code":["031-45-154"]}"#] {
            let error = try error(text, [String: Word].self)
            #expect(error?.description == "\"code\" has a value of the wrong type")
        }
    }

    @Test("decodes a call from method and parameters, and returns nil for an unknown method")
    func calls() throws {
        #expect(try Request.decoded(method: "homes.add", params: ["name": "n"]) == .write(.addHome(name: "n")))
        #expect(try Request.decoded(method: "homes.list", params: []) == .list)
        #expect(try Request.decoded(method: "homes.list", params: ["more": 5]) == .list)
        #expect(try Request.decoded(method: "explode", params: [:]) == nil)
        #expect(throws: JSONDecodingError(.missing, at: "name")) {
            try Request.decoded(method: "homes.add", params: [])
        }
        #expect(Request.write(.addHome(name: "n")).method == "homes.add")
        #expect(Request.open(whole).method == "open")
        #expect(Request.list.params == [:])
    }

    @Test("ignores unknown members, and accepts whole numbers with a decimal point")
    func tolerant() throws {
        let json = try JSONValue(parsing: #"{"home":null,"list":["a"],"other":[{}]}"#)
        #expect(try json.decoded(as: Outcome.self) == .list(["a"]))
        #expect(try JSONValue.number(3).decoded(as: Int.self) == 3)
        #expect(try JSONValue.integer(3).decoded(as: Double.self) == 3)
    }
}
