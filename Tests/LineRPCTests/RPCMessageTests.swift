import BoundedJSON
import LineRPC
import Testing

@Suite("RPCMessage")
struct RPCMessageTests {
    @Test(
        "encodes and parses every kind of message",
        arguments: [
            RPCMessage.request(id: .integer(1), method: "a", params: ["x": [1, true]]),
            .request(id: .string("é"), method: "a", params: []),
            .notification(method: "a", params: [:]),
            .response(id: .integer(.max), result: .null),
            .failure(id: .integer(2), RPCFailure(code: 78, message: "no\n", data: 5)),
            .failure(id: nil, .internalError),
        ])
    func roundTrip(message: RPCMessage) throws {
        let line = message.line
        #expect(line.last == UInt8(ascii: "\n"))
        #expect(line.dropLast().contains(UInt8(ascii: "\n")) == false)
        #expect(try RPCMessage(parsing: Array(line.dropLast())) == message)
    }

    @Test(
        "rejects malformed lines with JSON-RPC's code and their id",
        arguments: [
            ("", -32700, nil), ("{", -32700, nil), ("\u{0}", -32700, nil),
            (String(repeating: "[", count: 1000), -32700, nil),
            ("1", -32600, nil), ("[]", -32600, nil), ("{}", -32600, nil),
            (#"{"jsonrpc":"2.0"}"#, -32600, nil),
            (#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32600, 1),
            (#"{"jsonrpc":"2.0","id":1,"method":2}"#, -32600, 1),
            (#"{"jsonrpc":"2.0","id":1,"method":"a","params":3}"#, -32600, 1),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, -32600, nil),
            (#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, -32600, nil),
            (#"{"jsonrpc":"2.0","id":[],"method":"a"}"#, -32600, nil),
            (#"{"jsonrpc":"2.0","id":4}"#, -32600, 4),
        ] as [(String, Int, Int64?)])
    func refuses(text: String, code: Int, id: Int64?) {
        let refusal = #expect(throws: RPCMessage.Refusal.self) { try RPCMessage(parsing: Array(text.utf8)) }
        #expect(refusal?.failure.code == code)
        #expect(refusal?.id == id.map(RPCMessage.ID.integer))
    }
}
