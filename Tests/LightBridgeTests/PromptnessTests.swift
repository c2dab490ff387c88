import AccessoryRole
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import LightBridge
import LightKit
import NIOCore
import TestTimeouts
import Testing

@Suite("What is answered within the call that brought it", .timeout)
struct PromptnessTests {
    /// Hands bytes to a connection on its event loop, and counts what has come back when that call returns.
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

    @Test("reads, and writes to lights that answer at once, also to several, never leave the event loop")
    func prompt() async throws {
        let house = try await House()
        let requests = [
            HTTPRequest(.get, "/characteristics", query: "id=2.9,3.9"), HTTPRequest(.get, "/accessories"),
            write(#"{"aid":2,"iid":9,"ev":true}"#), write(#"{"aid":2,"iid":9,"value":true}"#),
            write(#"{"aid":2,"iid":10,"value":5},{"aid":3,"iid":9,"value":true}"#),
            HTTPRequest(.post, "/pairings", body: PairingsRequest.list.encoded),
            // Nothing to store: the guest is not there.
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

    @Test("a write whose light takes its time is not answered within the call")
    func slow() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        #expect(try await answers(house, write(#"{"aid":2,"iid":9,"value":true}"#)) == 0)
    }
}
