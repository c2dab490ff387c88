import AccessoryRole
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("Routing", .timeout)
struct RoutesTests {
    private let m1: [UInt8] = [0x06, 1, 1, 0x00, 1, 0]

    struct Row: CustomTestStringConvertible, Sendable {
        let method: HTTPRequest.Method
        let path: String
        /// The expected statuses without encryption and in a session.
        let clear: Int
        let session: Int
        var body: String?
        var testDescription: String { "\(method) \(path)" }
    }

    @Test(
        "follows each rule of HAP 8.1 and 8.2, unencrypted and in a session",
        arguments: [
            Row(method: .get, path: "/accessories", clear: 470, session: 200, body: #"{"status":-70411}"#),
            Row(method: .put, path: "/accessories", clear: 470, session: 405, body: #"{"status":-70411}"#),
            Row(method: .get, path: "/characteristics", clear: 470, session: 400, body: #"{"status":-70411}"#),
            Row(method: .put, path: "/characteristics", clear: 470, session: 400, body: #"{"status":-70411}"#),
            Row(method: .post, path: "/characteristics", clear: 470, session: 405, body: #"{"status":-70411}"#),
            Row(method: .put, path: "/prepare", clear: 470, session: 400, body: #"{"status":-70411}"#),
            Row(method: .get, path: "/prepare", clear: 470, session: 405, body: #"{"status":-70411}"#),
            Row(method: .post, path: "/pairings", clear: 470, session: 400, body: ""),
            Row(method: .get, path: "/pairings", clear: 470, session: 405, body: ""),
            Row(method: .post, path: "/resource", clear: 470, session: 404, body: #"{"status":-70411}"#),
            Row(method: .post, path: "/secure-message", clear: 470, session: 404, body: ""),
            Row(method: .get, path: "/", clear: 470, session: 404, body: ""),
            Row(method: .get, path: "/Accessories", clear: 470, session: 404, body: ""),
            Row(method: .get, path: "/accessories/", clear: 470, session: 404, body: ""),
            Row(method: .other, path: "/accessories", clear: 470, session: 405, body: #"{"status":-70411}"#),
            Row(method: .other, path: "/nothing", clear: 470, session: 404, body: ""),
            Row(method: .post, path: "/pair-setup", clear: 400, session: 400, body: ""),
            Row(method: .get, path: "/pair-setup", clear: 405, session: 405, body: ""),
            Row(method: .post, path: "/pair-verify", clear: 400, session: 400, body: ""),
            Row(method: .put, path: "/pair-verify", clear: 405, session: 405, body: ""),
            Row(method: .get, path: "/identify", clear: 405, session: 405, body: ""),
            Row(method: .post, path: "/identify", clear: 400, session: 400, body: #"{"status":-70401}"#),
        ])
    func row(_ row: Row) async throws {
        let house = try await House()
        let (unknownPeer, _) = await house.bridge.connect()
        let refused = try await unknownPeer.request(HTTPRequest(row.method, row.path))
        #expect(refused.status == row.clear)
        #expect(refused.text == row.body)
        #expect(refused.contentType == (refused.body.isEmpty ? nil : .hapJSON))
        let session = try await house.session()
        let answer = try await session.request(HTTPRequest(row.method, row.path))
        #expect(answer.status == row.session)
        if row.session >= 400, row.path != "/identify" { #expect(answer.body.isEmpty) }
        // The connection stays open.
        #expect(try await session.get("/accessories").status == 200)
    }

    @Test("rejects pair setup and pair verify messages in a session with 400")
    func pairingInSession() async throws {
        let house = try await House()
        let session = try await house.session()
        #expect(try await session.post("/pair-setup", m1) == HTTPResponse(400))
        let verify: [UInt8] = [0x06, 1, 1, 0x03, 32] + Array(repeating: 9, count: 32)
        #expect(try await session.post("/pair-verify", verify) == HTTPResponse(400))
        #expect(try await session.get("/accessories").status == 200)
    }

    @Test(
        "rejects a browser's request to any path with 403, and closes the connection",
        arguments: ["Origin: null", "Sec-Fetch-Mode: no-cors"], ["/pair-setup", "/identify", "/accessories"])
    func browser(header: String, path: String) async throws {
        let bridge = try await House(InMemoryAccessoryServerStore(), admin: .random()).bridge
        let (browser, _) = await bridge.connect()
        let head =
            "POST \(path) HTTP/1.1\r\nContent-Type: application/pairing+tlv8\r\n\(header)\r\nContent-Length: 6\r\n\r\n"
        await browser.send(bytes: Array(head.utf8) + m1)
        await browser.waitForClose()
        #expect(await browser.arrivals == [.response(HTTPResponse(403))])
        // The connection hasn't started pair setup.
        let (controller, _) = await bridge.connect()
        #expect(try await controller.post("/pair-setup", m1).status == 200)
    }

    @Test("accepts only TLV8 for pair setup and pair verify", arguments: ["/pair-setup", "/pair-verify"])
    func bodyType(path: String) async throws {
        let bridge = try await House(InMemoryAccessoryServerStore(), admin: .random()).bridge
        let (peer, _) = await bridge.connect()
        let body = path == "/pair-setup" ? m1 : [0x06, 1, 1, 0x03, 32] + Array(repeating: 9, count: 32)
        #expect(try await peer.request(HTTPRequest(.post, path, body: body, contentType: .hapJSON)).status == 400)
        let head = "POST \(path) HTTP/1.1\r\nContent-Length: \(body.count)\r\n\r\n"
        await peer.send(bytes: Array(head.utf8) + body)
        await peer.wait { $0.count == 2 }
        #expect(await peer.arrivals.last == .response(HTTPResponse(400)))
        #expect(try await peer.post(path, body).status == 200)
    }

    @Test("accepts any content type for `/pairings`, because homekit_python before 0.17 sends JSON")
    func pairingsType() async throws {
        let house = try await House()
        let session = try await house.session()
        let request = HTTPRequest(.post, "/pairings", body: PairingsRequest.list.encoded, contentType: .hapJSON)
        #expect(try await session.request(request).status == 200)
    }

    @Test("closes the connection after a request with Connection: close")
    func wantsClose() async throws {
        let house = try await House()
        let session = try await house.session()
        let request = Array("GET /characteristics?id=2.9 HTTP/1.1\r\nConnection: close\r\n\r\n".utf8)
        try await session.send(bytes: session.sealed(request))
        await session.waitForClose()
        let statuses = await session.arrivals.compactMap { if case .response(let r) = $0 { r.status } else { nil } }
        #expect(statuses.last == 200)
        #expect(await house.bridge.server.controllerCount == 0)
    }

    @Test("doesn't execute a request that follows Connection: close")
    func nothingBehindTheEnd() async throws {
        let house = try await House()
        house.devices.setWaits()
        let session = try await house.session()
        func write(_ aid: Int, _ more: String) -> [UInt8] {
            let body = #"{"characteristics":[{"aid":\#(aid),"iid":9,"value":1}]}"#
            return Array(
                "PUT /characteristics HTTP/1.1\r\n\(more)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        }
        try await session.send(bytes: session.sealed(write(2, "Connection: close\r\n") + write(3, "")))
        await house.drain()
        await house.answer()
        await session.waitForClose()
        #expect(house.devices.written.map(\.type) == [.on])
    }

    @Test("answers pending requests when it stops, then closes all connections and refuses new ones")
    func stop() async throws {
        let house = try await House()
        house.devices.setWaits()
        let idle = try await house.session()
        let busy = try await house.session()
        async let answer = busy.write(#"{"aid":2,"iid":9,"value":true}"#)
        try await house.drain(until: { house.devices.waitingCount > 0 })
        async let stopping: Void = house.bridge.server.stop()
        await idle.waitForClose()
        #expect(await !busy.isClosed)
        await house.answer()
        #expect(try await answer.status == 204)
        await busy.waitForClose()
        await stopping
        let (late, _) = await house.bridge.connect()
        #expect(await late.isClosed)
    }
}
