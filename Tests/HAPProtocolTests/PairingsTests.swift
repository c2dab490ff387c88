import HAPCrypto
import HAPTesting
import Testing

@testable import HAPProtocol

@Suite("The pairing list and its messages")
struct PairingsTests {
    private let golden: Golden
    private let vectors: Vectors
    private let other: Pairing

    init() throws {
        golden = try Golden.shared.get()
        vectors = try Vectors.load()["pairings_messages"]
        other = Pairing(
            controller: try #require(ControllerID(Array(try vectors["other_controller_id_text"].text.utf8))),
            publicKey: try vectors["other_controller_ltpk"].bytes, isAdmin: false)
    }

    // MARK: Golden

    @Test("encodes and parses the golden requests")
    func requests() throws {
        var regular = other
        regular.isAdmin = try PairingTLV(parsing: try vectors["add_request"].bytes).byte(.permissions) == 1
        let rows: [(String, PairingsRequest)] = [
            ("add_request", .add(regular)), ("remove_request", .remove(other.controller)), ("list_request", .list),
        ]
        for (name, request) in rows {
            #expect(request.encoded == (try vectors[name].bytes), "\(name)")
            #expect(try PairingsRequest(parsing: try vectors[name].bytes) == request, "\(name)")
        }
    }

    @Test("encodes and parses the golden responses")
    func responses() throws {
        let rows: [(String, PairingsResponse)] = [
            ("ok_response", .done), ("not_admin_response", .failed(.authentication)),
            ("add_full_response", .failed(.maxPeers)), ("add_other_key_response", .failed(.unknown)),
        ]
        for (name, response) in rows {
            #expect(response.encoded == (try vectors[name].bytes), "\(name)")
            #expect(try PairingsResponse(parsing: try vectors[name].bytes, list: false) == response, "\(name)")
        }
        let listed = try PairingsResponse(parsing: try vectors["list_response_two"].bytes, list: true)
        guard case .list(let pairings) = listed else {
            Issue.record("no list")
            return
        }
        #expect(pairings.map(\.controller) == [golden.controller.controller, other.controller])
        #expect(pairings.map(\.publicKey) == [golden.controller.longTermKey.publicKey, other.publicKey])
        #expect(pairings[0].isAdmin)
        #expect(listed.encoded == (try vectors["list_response_two"].bytes))
    }

    // MARK: Rejected requests (HAP 6.4)

    @Test("rejects requests with missing, wrong or extra items")
    func badRequests() throws {
        let id = other.controller.bytes
        let key = other.publicKey
        let items: [[(PairingItem, [UInt8])]] = [
            [], [(.method, [])], [(.method, [0])], [(.method, [1])], [(.method, [2])], [(.method, [6])],
            [(.method, [7])], [(.method, [3, 0])],
            [(.method, [3])], [(.method, [4])], [(.method, [4]), (.identifier, [])],
            [(.method, [4]), (.identifier, [UInt8](repeating: 65, count: 37))],
            [(.method, [3]), (.identifier, id), (.publicKey, key)],
            [(.method, [3]), (.identifier, id), (.permissions, [1])],
            [(.method, [3]), (.publicKey, key), (.permissions, [1])],
            [(.method, [3]), (.identifier, []), (.publicKey, key), (.permissions, [1])],
            [(.method, [3]), (.identifier, [UInt8](repeating: 65, count: 37)), (.publicKey, key), (.permissions, [1])],
            [(.method, [3]), (.identifier, id), (.publicKey, Array(key.dropLast())), (.permissions, [1])],
            [(.method, [3]), (.identifier, id), (.publicKey, key + [0]), (.permissions, [1])],
            [(.method, [3]), (.identifier, id), (.publicKey, key), (.permissions, [2])],
            [(.method, [3]), (.identifier, id), (.publicKey, key), (.permissions, [])],
            [(.method, [3]), (.identifier, id), (.publicKey, key), (.permissions, [1, 0])],
        ]
        for items in items {
            var message = PairingTLV.message(1)
            for (item, value) in items { message[item] = value }
            #expect(throws: ProtocolViolation.self, "\(items)") { try PairingsRequest(parsing: message.encoded) }
        }
    }

    @Test("rejects a request with any state other than 1", arguments: [0, 2, 3, 255] as [UInt8])
    func states(state: UInt8) throws {
        var message = try PairingTLV(parsing: PairingsRequest.list.encoded)
        message[.state] = [state]
        #expect(throws: ProtocolViolation.unexpectedState) { try PairingsRequest(parsing: message.encoded) }
        message[.state] = nil
        #expect(throws: ProtocolViolation.badItem(.state)) { try PairingsRequest(parsing: message.encoded) }
    }

    @Test("rejects malformed responses")
    func badResponses() {
        let bodies: [[UInt8]] = [[], [6, 1, 1], [6, 1, 2, 7, 0], [6, 1, 2, 1, 1, 65], [6, 1, 2, 1, 0, 3, 1, 1]]
        for body in bodies {
            #expect(throws: ProtocolViolation.self, "\(body)") { try PairingsResponse(parsing: body, list: true) }
        }
    }

    @Test("encodes and parses lists of up to the maximum number of pairings", arguments: [0, 1, 2, 64])
    func lists(count: Int) throws {
        let pairings = try (0..<count).map { number in
            Pairing(
                controller: try #require(ControllerID(Array("controller \(number)".utf8))),
                publicKey: [UInt8](repeating: UInt8(number), count: 32), isAdmin: number.isMultiple(of: 3))
        }
        let body = PairingsResponse.list(pairings).encoded
        #expect(try PairingsResponse(parsing: body, list: true) == .list(pairings))
        #expect(!body.suffix(2).elementsEqual([0xFF, 0]))
        #expect(body.count <= HTTPLimits.pairingBody)
    }

    // MARK: The list

    @Test("keeps the order of pairings, and replaces a pairing in place")
    func order() {
        var list = PairingList([golden.pairing])
        list.set(other)
        var demoted = golden.pairing
        demoted.isAdmin = false
        var promoted = other
        promoted.isAdmin = true
        list.set(promoted)
        list.set(demoted)
        #expect(list.pairings == [demoted, promoted])
        #expect(list[other.controller] == promoted)
        #expect(list.hasAdmin && !list.isEmpty && !list.isFull)
    }

    @Test("removes all other pairings together with the last admin")
    func lastAdmin() {
        var list = PairingList([golden.pairing, other])
        list.remove(other.controller)
        #expect(list.pairings == [golden.pairing])
        list.set(other)
        list.remove(golden.controller.controller)
        #expect(list.isEmpty && !list.hasAdmin)
        list = PairingList([other])
        list.purgeWithoutAdmin()
        #expect(list.isEmpty)
    }

    @Test("accepts identifiers of 1 to 36 bytes, compares them exactly and sanitizes them for printing")
    func identifiers() throws {
        #expect(ControllerID([]) == nil)
        #expect(ControllerID([UInt8](repeating: 65, count: 37)) == nil)
        let text = "A1B2C3D4-0000-4E5F-8A6B-7C8D9E0F1A2B"
        #expect(ControllerID(Array(text.utf8))?.description == text)
        #expect(ControllerID(Array(text.utf8)) != ControllerID(Array(text.lowercased().utf8)))
        #expect(ControllerID([0x1B, 0x5B, 0x0A])?.description == "0x1b5b0a")
        #expect(ControllerID([0xC3, 0xBC])?.description == "0xc3bc")
        #expect(ControllerID(Array("a b".utf8))?.description == "0x612062")
    }
}
