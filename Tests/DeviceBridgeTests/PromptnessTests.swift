import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import NIOCore
import TestTimeouts
import Testing

@Suite("Promptness", .timeout)
struct PromptnessTests {
    /// Passes a request to a connection on its event loop, and returns the number of responses that were sent before
    /// that call returned.
    private func answers(_ house: House, _ request: HTTPRequest, isSession: Bool = true) async throws -> Int {
        let (controller, link) = await house.bridge.connect(house.admin)
        if isSession { #expect(try await controller.pairVerify(house.bridge.identity) == nil) }
        await controller.forgetArrivals()
        let bytes = try await controller.bytes(of: request)
        return try await house.bridge.loop.submit {
            link.send(bytes)
            return controller.assumeIsolated { $0.arrivals.count }
        }.get()
    }

    private func write(_ entries: String) -> HTTPRequest {
        HTTPRequest(.put, "/characteristics", body: Array(#"{"characteristics":[\#(entries)]}"#.utf8))
    }

    @Test("answers requests for prompt lights before the call returns")
    func prompt() async throws {
        let house = try await House()
        let requests = [
            HTTPRequest(.get, "/characteristics", query: "id=2.9,3.9"), HTTPRequest(.get, "/accessories"),
            write(#"{"aid":2,"iid":9,"ev":true}"#), write(#"{"aid":2,"iid":9,"value":true}"#),
            write(#"{"aid":2,"iid":10,"value":5},{"aid":3,"iid":9,"value":true}"#),
            HTTPRequest(.post, "/pairings", body: PairingsRequest.list.encoded),
            // The pairing doesn't exist, so nothing must be stored.
            HTTPRequest(
                .post, "/pairings", body: PairingsRequest.remove(ControllerIdentity.random().controller).encoded),
        ]
        for request in requests {
            #expect(
                try await answers(house, request) == 1,
                "\(request.path) \(String(decoding: request.body, as: UTF8.self))")
        }
        #expect(house.bridge.driver.orders.count == 3)
        #expect(try await answers(house, HTTPRequest(.post, "/identify"), isSession: false) == 1)
    }

    @Test("answers a write to a slow light later")
    func slow() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        #expect(try await answers(house, write(#"{"aid":2,"iid":9,"value":true}"#)) == 0)
    }
}
