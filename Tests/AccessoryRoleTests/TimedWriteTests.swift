import AccessoryRole
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("Handling timed writes through the server", .timeout)
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

    @Test("executes an announced write only once")
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

    @Test("rejects a write that is late, unannounced, or announced on another connection or with another id")
    func notExecuted() async throws {
        let (house, source) = try await house()
        let session = try await house.session()
        let other = try await house.session()
        #expect(try await write(session, pid: 1).text == Self.refused)
        _ = try await other.put("/prepare", #"{"ttl":2500,"pid":1}"#)
        #expect(try await write(session, pid: 1).text == Self.refused)
        _ = try await session.put("/prepare", #"{"ttl":2500,"pid":1}"#)
        #expect(try await write(session, pid: 2).text == Self.refused)
        // The attempt has consumed the announcement.
        #expect(try await write(session, pid: 1).text == Self.refused)
        _ = try await session.put("/prepare", #"{"ttl":2500,"pid":1}"#)
        await house.advance(.milliseconds(2501))
        #expect(try await write(session, pid: 1).text == Self.refused)
        #expect(source.written.isEmpty)
    }

    @Test("executes neither the writes nor the subscriptions of an unannounced timed write")
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

    @Test("replaces an announcement with a new one")
    func replaced() async throws {
        let (house, _) = try await house()
        let session = try await house.session()
        _ = try await session.put("/prepare", #"{"ttl":9000,"pid":1}"#)
        _ = try await session.put("/prepare", #"{"ttl":1000,"pid":2}"#)
        await house.advance(.milliseconds(1001))
        #expect(try await write(session, pid: 2).text == Self.refused)
    }

    @Test("executes a plain write between an announcement and its timed write, unless `tw` requires timed writes")
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

    @Test("executes a timed write of characteristics that don't require one")
    func needless() async throws {
        let (house, _) = try await house()
        let session = try await house.session()
        _ = try await session.put("/prepare", #"{"ttl":2500,"pid":0}"#)
        #expect(try await write(session, pid: 0, #"{"aid":2,"iid":9,"value":true}"#).status == 204)
        #expect(house.devices.written.count == 1)
    }
}
