import AccessoryRole
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("PUT /prepare and timed writes", .timeout)
struct TimedWriteTests {
    private static let entry = #"{"aid":100,"iid":11,"value":1}"#
    private static let refused = #"{"characteristics":[{"aid":100,"iid":11,"status":-70410}]}"#

    private func house() async throws -> (House, ScriptedAccessorySource) {
        let house = try await House()
        let source = ScriptedAccessorySource()
        try await house.bridge.server.set(.gadget, source: source, isReachable: true)
        return (house, source)
    }

    private func write(_ session: TestController, pid: UInt64, _ entries: String = entry) async throws -> HTTPResponse {
        try await session.put("/characteristics", #"{"characteristics":[\#(entries)],"pid":\#(pid)}"#)
    }

    @Test(
        "an announcement that cannot be read is 400",
        arguments: [
            "", "{}", "[]", #"{"ttl":2500}"#, #"{"pid":1}"#, #"{"ttl":"2500","pid":1}"#, #"{"ttl":2500,"pid":-1}"#,
            #"{"ttl":2500.5,"pid":1}"#, #"{"ttl":9007199254740992,"pid":1}"#, #"{"ttl":1,"ttl":2,"pid":1}"#,
            #"{"ttl":1,"pid":1,"pid":1}"#, #"{"ttl":2500,"pid":18446744073709551616}"#,
        ])
    func malformed(body: String) async throws {
        #expect(try await House().session().put("/prepare", body) == HTTPResponse(400))
    }

    @Test("announced in time, a timed write is executed, once")
    func executed() async throws {
        let (house, source) = try await house()
        let session = try await house.session()
        let prepared = try await session.put("/prepare", #"{"ttl":2500,"pid":18446744073709551615}"#)
        #expect(prepared == HTTPResponse(200, .hapJSON, body: Array(#"{"status":0}"#.utf8)))
        await house.advance(.milliseconds(2500))
        #expect(try await write(session, pid: .max).status == 204)
        #expect(source.written.map(\.value) == [.integer(1)])
        #expect(try await write(session, pid: .max).text == Self.refused)
    }

    @Test("expired, never announced, announced on another connection, or of another number: nothing is executed")
    func notExecuted() async throws {
        let (house, source) = try await house()
        let session = try await house.session()
        let other = try await house.session()
        #expect(try await write(session, pid: 1).text == Self.refused)
        _ = try await other.put("/prepare", #"{"ttl":2500,"pid":1}"#)
        #expect(try await write(session, pid: 1).text == Self.refused)
        _ = try await session.put("/prepare", #"{"ttl":2500,"pid":1}"#)
        #expect(try await write(session, pid: 2).text == Self.refused)
        // The attempt has used the announcement up.
        #expect(try await write(session, pid: 1).text == Self.refused)
        _ = try await session.put("/prepare", #"{"ttl":2500,"pid":1}"#)
        await house.advance(.milliseconds(2501))
        #expect(try await write(session, pid: 1).text == Self.refused)
        #expect(source.written.isEmpty)
    }

    @Test("of a write that was not announced no entry is executed, subscriptions neither")
    func whole() async throws {
        let (house, source) = try await house()
        let session = try await house.session()
        let response = try await write(
            session, pid: 5, #"{"aid":2,"iid":9,"value":true,"ev":true},{"aid":2,"iid":10,"ev":true},\#(Self.entry)"#)
        #expect(response.status == 207)
        #expect(
            response.text == #"{"characteristics":[{"aid":2,"iid":9,"status":-70410},"#
                + #"{"aid":2,"iid":10,"status":-70410},{"aid":100,"iid":11,"status":-70410}]}"#)
        #expect(try await session.read("id=2.9,2.10&ev=1").text.contains("true") == false)
        #expect(source.written.isEmpty)
        #expect(house.devices.written.isEmpty)
    }

    @Test("a new announcement replaces the old one, number and time")
    func replaced() async throws {
        let (house, _) = try await house()
        let session = try await house.session()
        _ = try await session.put("/prepare", #"{"ttl":9000,"pid":1}"#)
        _ = try await session.put("/prepare", #"{"ttl":1000,"pid":2}"#)
        await house.advance(.milliseconds(1001))
        #expect(try await write(session, pid: 2).text == Self.refused)
    }

    @Test("a plain write in between is executed, but for `tw`, and uses nothing up")
    func between() async throws {
        let (house, source) = try await house()
        let session = try await house.session()
        _ = try await session.put("/prepare", #"{"ttl":2500,"pid":1}"#)
        let response = try await session.write(#"{"aid":2,"iid":9,"value":true},\#(Self.entry)"#)
        #expect(
            response.text
                == #"{"characteristics":[{"aid":2,"iid":9,"status":0},{"aid":100,"iid":11,"status":-70410}]}"#)
        #expect(source.written.isEmpty)
        #expect(try await write(session, pid: 1).status == 204)
    }

    @Test("a timed write of characteristics that need none is executed")
    func needless() async throws {
        let (house, _) = try await house()
        let session = try await house.session()
        _ = try await session.put("/prepare", #"{"ttl":2500,"pid":0}"#)
        #expect(try await write(session, pid: 0, #"{"aid":2,"iid":9,"value":true}"#).status == 204)
        #expect(house.devices.written.count == 1)
    }
}
