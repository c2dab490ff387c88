import HAPTesting
import Testing

@testable import HAPCrypto
@testable import HAPProtocol

@Suite("SecureFramer")
struct SecureFramerTests {
    private let vectors: Vectors
    private let golden: Golden

    init() throws {
        golden = try Golden.shared.get()
        vectors = try Vectors.load()["session_framing"]
    }

    private func framer(_ key: String, counter: UInt64 = 0) throws -> SecureFramer {
        let key = SecretBytes(try golden.verify[key].bytes)
        return SecureFramer(sealingKey: key, openingKey: key, sealed: counter, opened: counter)
    }

    /// Decrypts the frames in the given pieces of input.
    private func open(
        _ pieces: [[UInt8]], _ framer: inout SecureFramer
    ) throws(ProtocolViolation) -> (content: [UInt8], frames: Int, left: Int) {
        var input = ByteQueue()
        var content: [UInt8] = []
        var frames = 0
        for piece in pieces {
            input.append(piece)
            while try framer.openFrame(from: &input, to: &content) { frames += 1 }
        }
        return (content, frames, input.count)
    }

    @Test("seals every golden message to the expected bytes, and opens it from pieces of any size")
    func everyGoldenMessage() throws {
        let entries = try vectors["vectors"].list
        #expect(entries.count == 13)
        for entry in entries {
            let key = try entry["key_text"].text
            let counter = UInt64(try entry["counter_int"].int)
            let plaintext = try entry["plaintext"].bytes
            let sealed = try entry["ciphertext"].bytes
            var framer = try framer(key, counter: counter)
            var output: [UInt8] = []
            try framer.seal(plaintext, to: &output)
            #expect(output == sealed, "\(entry.path)")

            let splits = sealed.count > 300 ? Array(stride(from: 0, to: sealed.count, by: 97)) : Array(sealed.indices)
            var cuts = splits.map { [Array(sealed[..<$0]), Array(sealed[$0...])] }
            cuts.append(sealed.map { [$0] })
            cuts.append([sealed])
            for pieces in cuts {
                var framer = try self.framer(key, counter: counter)
                let opened = try open(pieces, &framer)
                #expect(opened == (plaintext, try entry["frames_int"].int, 0), "\(entry.path)")
                let after = try self.framer(key, counter: UInt64(try entry["counter_after_int"].int))
                var expected = after
                var first: [UInt8] = []
                var second: [UInt8] = []
                // Both counters are correct if the next frame is the same.
                try expected.seal([7], to: &first)
                var next = try self.framer(key, counter: counter)
                try next.seal(plaintext, to: &second)
                second = []
                try next.seal([7], to: &second)
                #expect(first == second)
                #expect(try open([first], &framer).content == [7])
            }
        }
    }

    @Test("opens two sealed requests in a row")
    func backToBack() throws {
        let vector = try vectors["two_requests_back_to_back"]
        let sealed = try vector["ciphertext"].bytes
        for split in sealed.indices {
            var framer = try framer("controller_to_accessory_key")
            let opened = try open([Array(sealed[..<split]), Array(sealed[split...])], &framer)
            #expect(opened == (try vector["plaintext"].bytes, 2, 0))
        }
    }

    @Test("rejects each golden invalid frame")
    func invalid() throws {
        let invalid = try vectors["invalid"]
        let rows: [(String, ProtocolViolation)] = [
            ("length_1025_in_one_frame", .frameTooLong), ("tag_flipped", .badFrame), ("replayed_frame", .badFrame),
            ("wrong_direction_key", .badFrame),
        ]
        for (name, violation) in rows {
            let bytes = try invalid[name].bytes
            for pieces in [[bytes], bytes.map { [$0] }] {
                var framer = try framer("controller_to_accessory_key")
                #expect(throws: violation, "\(name)") { _ = try open(pieces, &framer) }
            }
        }
        #expect(
            Set(try invalid.names)
                == Set(rows.map(\.0) + ["zero_length_frame", "length_byte_flipped", "expected"]))
    }

    @Test("rejects a frame with a changed length once it is complete")
    func changedLength() throws {
        let bytes = try vectors["invalid"]["length_byte_flipped"].bytes
        var framer = try framer("controller_to_accessory_key")
        #expect(try open([bytes], &framer).left == bytes.count)
        #expect(throws: ProtocolViolation.badFrame) { _ = try open([bytes + [0]], &framer) }
    }

    @Test("counts an empty frame, but never sends one")
    func empty() throws {
        let bytes = try vectors["invalid"]["zero_length_frame"].bytes
        var framer = try framer("controller_to_accessory_key")
        let opened = try open([bytes], &framer)
        #expect(opened == ([], 1, 0))
        var sealer = try self.framer("controller_to_accessory_key", counter: 1)
        var next: [UInt8] = []
        try sealer.seal([7], to: &next)
        #expect(try open([next], &framer).content == [7])
        var none: [UInt8] = []
        try sealer.seal([], to: &none)
        #expect(none.isEmpty)
    }

    @Test("rejects a length above 1024 before the rest of the frame arrives", arguments: [1025, 17735, 65535])
    func tooLong(length: Int) throws {
        var framer = try framer("controller_to_accessory_key")
        let bytes = [UInt8(length & 0xFF), UInt8(length >> 8)]
        #expect(throws: ProtocolViolation.frameTooLong) { _ = try open([bytes], &framer) }
    }

    @Test("refuses to seal or open frames after the last counter value")
    func counterEnds() throws {
        let key = "controller_to_accessory_key"
        var sealer = try framer(key, counter: .max - 1)
        var opener = sealer
        var bytes: [UInt8] = []
        try sealer.seal([1], to: &bytes)
        var next: [UInt8] = []
        #expect(throws: ProtocolViolation.counterExhausted) { try sealer.seal([2], to: &next) }
        #expect(next.isEmpty)
        #expect(try open([bytes], &opener).content == [1])
        #expect(throws: ProtocolViolation.counterExhausted) { _ = try open([bytes], &opener) }
        // A message that needs more frames than there are unused counter values must not reuse a value.
        var long = try framer(key, counter: .max - 2)
        var frames: [UInt8] = []
        #expect(throws: ProtocolViolation.counterExhausted) {
            try long.seal([UInt8](repeating: 0, count: 3000), to: &frames)
        }
    }

    @Test("detects a change of any bit")
    func everyBit() throws {
        var sealer = try framer("accessory_to_controller_key")
        var frame: [UInt8] = []
        try sealer.seal(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8), to: &frame)
        for bit in 0..<(frame.count * 8) {
            var wrong = frame
            wrong[bit / 8] ^= 1 << (bit % 8)
            var opener = try framer("accessory_to_controller_key")
            // A changed length may make the framer wait for more bytes. The filler then completes an invalid frame.
            let filler = [UInt8](repeating: 0, count: 1100)
            #expect(throws: ProtocolViolation.self) { _ = try open([wrong, filler], &opener) }
        }
    }
}

@Suite("ByteQueue")
struct ByteQueueTests {
    @Test("returns bytes once and in order, and frees used space")
    func queue() {
        var queue = ByteQueue()
        var random = SeededNumbers(seed: 2)
        var written = 0
        var read = 0
        for _ in 0..<2000 {
            let count = Int.random(in: 0...400, using: &random)
            queue.append((written..<(written + count)).map { UInt8(truncatingIfNeeded: $0) })
            written += count
            let take = Int.random(in: 0...queue.count, using: &random)
            #expect(
                queue.bytes[queue.start..<(queue.start + take)].first ?? UInt8(truncatingIfNeeded: read)
                    == UInt8(truncatingIfNeeded: read))
            queue.consume(take)
            read += take
            #expect(queue.count == written - read)
            #expect(queue.bytes.count <= 2 * queue.count + 66_000)
        }
        queue.consume(queue.count)
        #expect(queue.bytes.isEmpty && queue.start == 0)
    }
}
