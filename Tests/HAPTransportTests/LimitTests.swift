import AccessoryRole
import HAPCrypto
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import HAPTransport

/// The limits of a request, through a real connection to the whole server; `LimitIndexTests` says where the others are
/// reached.
@Suite("The limits of a request", .timeout)
struct LimitTests {
    /// What becomes of a request and its connection.
    enum Outcome: Equatable, Sendable {
        /// It is answered with this status, and the next one is, too.
        case answered(Int)
        /// The connection ends, behind this status or without an answer.
        case ended(Int?)
    }

    /// A limit, a request of any size, and what becomes of the largest one and the next larger one.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let inSession: Bool
        let limit: Int
        let within: Outcome
        let beyond: Outcome
        let request: @Sendable (Int) -> [UInt8]

        init(
            _ name: String, inSession: Bool = true, _ limit: Int, _ within: Outcome, _ beyond: Outcome,
            _ request: @escaping @Sendable (Int) -> [UInt8]
        ) {
            testDescription = name
            self.inSession = inSession
            self.limit = limit
            self.within = within
            self.beyond = beyond
            self.request = request
        }
    }

    private static let rows = [
        Row("start line", 65536, .answered(200), .ended(400), startLine),
        Row("start line in clear", inSession: false, 65536, .answered(470), .ended(400), startLine),
        Row("header lines", 100, .answered(200), .ended(400)) {
            head(String(repeating: "X: y\r\n", count: $0))
        },
        Row("headers", 32768, .answered(200), .ended(400)) {
            head("X: \(String(repeating: "y", count: $0 - 3))\r\n")
        },
        Row("body", 1 << 20, .answered(204), .ended(413)) {
            let json = #"{"characteristics":[{"aid":2,"iid":9,"ev":true}]"#
            return put("/characteristics", json + String(repeating: " ", count: $0 - json.utf8.count - 1) + "}")
        },
        Row("body in clear", inSession: false, 65536, .answered(470), .ended(413)) {
            put("/characteristics", String(repeating: " ", count: $0))
        },
        Row("body of the pairing endpoints", 65536, .answered(400), .ended(413)) {
            HTTPSerializer.bytes(
                of: .request(HTTPRequest(.post, "/pairings", body: Array(repeating: 0, count: $0))))
        },
        Row("depth of JSON", 16, .answered(207), .answered(400)) {
            let arrays = $0 - 3
            let value = String(repeating: "[", count: arrays) + String(repeating: "]", count: arrays)
            return put("/characteristics", #"{"characteristics":[{"aid":2,"iid":9,"value":\#(value)}]}"#)
        },
        Row("numbers", 5, .answered(207), .answered(400)) {
            // From ...610 on.
            put("/characteristics", #"{"characteristics":[{"aid":1844674407370955161\#($0),"iid":9,"ev":true}]}"#)
        },
        Row("numbers in a query", 5, .answered(207), .answered(400)) {
            Array("GET /characteristics?id=1844674407370955161\($0).9 HTTP/1.1\r\n\r\n".utf8)
        },
        Row("identifier of a controller", 36, .answered(200), .answered(400)) {
            let pairing = PairingTLV.message(
                1, (.method, [3]), (.identifier, Array(repeating: 65, count: $0)),
                (.publicKey, ControllerIdentity.random().longTermKey.publicKey), (.permissions, [0]))
            return HTTPSerializer.bytes(of: .request(HTTPRequest(.post, "/pairings", body: pairing.encoded)))
        },
        Row("time to live of a prepared write", 9_007_199_254_740_991, .answered(200), .answered(400)) {
            put("/prepare", #"{"ttl":\#($0),"pid":1}"#)
        },
    ]

    @Sendable
    private static func startLine(_ length: Int) -> [UInt8] {
        let (begin, end) = ("GET /characteristics?id=2.9&x=", " HTTP/1.1")
        let filler = String(repeating: "a", count: length - begin.utf8.count - end.utf8.count)
        return Array((begin + filler + end + "\r\n\r\n").utf8)
    }

    private static func head(_ headers: String) -> [UInt8] {
        Array("GET /characteristics?id=2.9 HTTP/1.1\r\n\(headers)\r\n".utf8)
    }

    private static func put(_ path: String, _ body: String) -> [UInt8] {
        HTTPSerializer.bytes(of: .request(HTTPRequest(.put, path, body: Array(body.utf8))))
    }

    @Test("what is at its limit is served, one more has its documented end", arguments: rows)
    func row(row: Row) async throws {
        let admin = ControllerIdentity.random()
        let house = try await TCPHouse(pairedWith: [admin])
        for (size, expected) in [(row.limit, row.within), (row.limit + 1, row.beyond)] {
            let (controller, _) = try await house.connect(admin)
            if row.inSession { #expect(try await controller.pairVerify(house.bridge.identity) == nil) }
            await controller.forgetArrivals()
            await controller.send(bytes: try controller.sealed(row.request(size)))
            await controller.wait { !$0.isEmpty }
            var status: Int?
            if case .response(let response)? = await controller.arrivals.first { status = response.status }
            let next = try? await controller.get("/characteristics", query: "id=2.9")
            let outcome = next == nil ? Outcome.ended(status) : status.map(Outcome.answered)
            #expect(outcome == expected, "\(size)")
            await controller.close()
        }
        await house.listener.close()
    }
}
