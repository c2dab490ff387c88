import HAPCrypto
import HAPModel
import HAPTesting
import TestTimeouts
import Testing

@testable import HAPProtocol

/// Bytes that mean nothing, and bytes that nearly mean something: whatever comes must only not crash, hang or grow.
@Suite("Random bytes do no harm", .timeout)
struct RandomBytesTests {
    /// A valid input with a few bytes changed, cut out, put in or repeated.
    private func mutated(_ bytes: [UInt8], _ random: inout SeededNumbers) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 0...9, using: &random)))
            case 3: bytes.insert(contentsOf: random.bytes(count: Int.random(in: 0...5, using: &random)), at: index)
            default: bytes += bytes.prefix(index)
            }
        }
        return bytes
    }

    private func input(_ valid: [String], _ random: inout SeededNumbers) -> [UInt8] {
        if Int.random(in: 0..<4, using: &random) == 0 {
            return random.bytes(count: Int.random(in: 0...200, using: &random))
        }
        return mutated(Array((valid.randomElement(using: &random) ?? "").utf8), &random)
    }

    @Test("TLV8", arguments: 0..<4)
    func tlv8(seed: Int) {
        var random = SeededNumbers(seed: UInt64(seed))
        let valid = PairingTLV.message(
            3, (.publicKey, [UInt8](repeating: 7, count: 384)), (.proof, [UInt8](repeating: 9, count: 64))
        ).encoded
        for _ in 0..<3000 {
            let bytes =
                Bool.random(using: &random)
                ? mutated(valid, &random) : random.bytes(count: Int.random(in: 0...600, using: &random))
            if let message = try? PairingTLV(parsing: bytes) {
                #expect(message.encoded.count <= bytes.count)
                // What was read is written so that it is read again.
                #expect((try? PairingTLV(parsing: message.encoded)) == message)
            }
            _ = try? PairingsRequest(parsing: bytes)
            _ = try? PairingsResponse(parsing: bytes, list: true)
        }
    }

    @Test("HTTP of both roles, in pieces", arguments: 0..<4)
    func http(seed: Int) {
        var random = SeededNumbers(seed: UInt64(seed))
        let valid = [
            "GET /accessories HTTP/1.1\r\nHost: x\r\n\r\n",
            "PUT /characteristics HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "EVENT/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        ]
        for _ in 0..<3000 {
            var bytes = input(valid, &random)
            bytes += input(valid, &random)
            for requests in [true, false] {
                var parser = HTTPParser(requests: requests)
                var whole: [HTTPMessage] = []
                let wholeEnd = feed([bytes], &parser, &whole)
                // The same bytes in pieces say the same.
                parser = HTTPParser(requests: requests)
                var pieces: [HTTPMessage] = []
                let split = Int.random(in: 0...bytes.count, using: &random)
                let end = feed([Array(bytes[..<split]), Array(bytes[split...])], &parser, &pieces)
                #expect(pieces == whole)
                #expect(end == wholeEnd)
            }
        }
    }

    private func feed(
        _ pieces: [[UInt8]], _ parser: inout HTTPParser, _ messages: inout [HTTPMessage]
    ) -> ProtocolViolation? {
        do throws(ProtocolViolation) {
            for piece in pieces {
                parser.append(piece)
                while let message = try parser.next() { messages.append(message) }
            }
            return nil
        } catch {
            return error
        }
    }

    @Test("a stream that became a session", arguments: 0..<4)
    func session(seed: Int) throws {
        var random = SeededNumbers(seed: UInt64(seed))
        let keys = try Golden.shared.get().sessionKeys
        for _ in 0..<1000 {
            var stream = MessageStream(role: .accessory)
            var sender = MessageStream(role: .controller)
            stream.secure(with: keys)
            sender.secure(with: keys)
            let valid = try sender.encode(.request(HTTPRequest(.get, "/accessories")))
            stream.received(
                Bool.random(using: &random)
                    ? mutated(valid, &random) : random.bytes(count: Int.random(in: 0...100, using: &random)))
            var taken = 0
            while (try? stream.next()) != nil { taken += 1 }
            // Only the frame itself may come through, and that once.
            #expect(taken <= 1)
        }
    }

    @Test("read requests", arguments: 0..<4)
    func readRequests(seed: Int) {
        var random = SeededNumbers(seed: UInt64(seed))
        let valid = ["id=1.2,3.4&meta=1&perms=1&type=1&ev=1", "id=1%2E2%2C18446744073709551615.9&id=5.6"]
        for _ in 0..<5000 {
            let query = String(decoding: input(valid, &random), as: UTF8.self)
            if let request = ReadRequest(query: query) {
                #expect(ReadRequest(query: request.query) == request)
            }
        }
    }

    @Test("write and prepare requests", arguments: 0..<4)
    func writeRequests(seed: Int) {
        var random = SeededNumbers(seed: UInt64(seed))
        let valid = [
            "{\"characteristics\":[{\"aid\":2,\"iid\":9,\"value\":true,\"ev\":1},{\"aid\":2,\"iid\":10,\"value\":1.5e3}]}",
            "{\"pid\":5,\"characteristics\":[{\"aid\":2,\"iid\":9,\"value\":\"\\u00e4\\ud83d\\udca1\",\"r\":true}]}",
            "{\"ttl\":2500,\"pid\":11122333}",
        ]
        for _ in 0..<4000 {
            let body = input(valid, &random)
            _ = PrepareRequest(parsing: body)
            guard let request = WriteRequest(parsing: body) else { continue }
            #expect(!request.entries.isEmpty)
            for entry in request.entries {
                guard let json = entry.value else { continue }
                for format in CharacteristicFormat.allCases {
                    let metadata = CharacteristicMetadata(format: format, permissions: [.pairedWrite])
                    if let value = metadata.value(from: json) { _ = metadata.accepted(value) }
                }
            }
        }
    }

    @Test("pairing machines in every state", arguments: 0..<4)
    func machines(seed: Int) throws {
        var random = SeededNumbers(seed: UInt64(seed))
        let golden = try Golden.shared.get()
        let bodies = try ["M1", "M2", "M3", "M4", "M5", "M6"].map { try golden.setup[$0].bytes }
        let verify = try ["M1", "M2", "M3", "M4"].map { try golden.verify[$0].bytes }
        var accessory = PairSetupAccessory(identity: golden.accessory)
        var verifier = PairVerifyAccessory(identity: golden.accessory)
        let pairings = PairingList([golden.pairing])
        for _ in 0..<2000 {
            let isIntact = Int.random(in: 0..<3, using: &random) == 0
            let body = (bodies.randomElement(using: &random) ?? [])
            let action = accessory.received(
                isIntact ? body : mutated(body, &random), conditions: .init(isPaired: false))
            switch action {
            case .start: _ = accessory.started(golden.server)
            case .check(_, let key, let proof):
                let isRight = key == golden.client.publicKey && proof == golden.client.proof
                _ = accessory.checked(isRight ? .success(golden.agreement) : .failure(.authenticationFailed))
            case .store(let pairing):
                #expect(pairing == golden.pairing)
                _ = accessory.stored(.success(()))
            case .reply, .refuse, .countFailure, .clearFailures, .refuseOwnership, .finish: break
            }
            let other = verify.randomElement(using: &random) ?? []
            let answer = verifier.received(
                isIntact ? other : mutated(other, &random), ephemeral: golden.accessoryEphemeral, pairings: pairings)
            if case .finish(_, let controller, let keys) = answer {
                #expect(controller == golden.controller.controller)
                #expect(try keys == golden.sessionKeys)
            }
            var controller = PairSetupController(identity: golden.controller, setupCode: golden.setupCode)
            _ = controller.start()
            _ = controller.received(mutated(bodies[1], &random))
        }
    }
}
