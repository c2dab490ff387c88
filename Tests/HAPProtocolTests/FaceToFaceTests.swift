import HAPCrypto
import HAPTesting
import Testing

@testable import HAPProtocol

/// Accessory and controller face each other in memory, and something happens to one message on its way.
@Suite("Both roles face to face")
struct FaceToFaceTests {
    private let golden: Golden

    init() throws { golden = try Golden.shared.get() }

    // MARK: Pair setup

    /// Both ends with this message of pair setup under way, 1 to 6.
    private func setup(before message: Int) -> TwoEnds {
        var ends = TwoEnds(golden)
        ends.startSetup()
        for _ in 1..<message { ends.deliver() }
        return ends
    }

    /// What holds after any fault in pair setup, and a clean attempt after it.
    private func checkSetup(_ ends: TwoEnds, _ label: @autoclosure () -> String, clean: Bool = true) {
        let pairings = ends.accessory.pairings.pairings
        #expect(pairings.isEmpty || pairings == [golden.pairing], "\(label())")
        #expect(ends.controller.paired == nil || ends.controller.paired == golden.pairedAccessory, "\(label())")
        if ends.controller.paired != nil { #expect(pairings == [golden.pairing], "\(label())") }
        #expect(ends.accessory.failures == 0 || pairings.isEmpty, "\(label())")
        #expect(ends.accessory.session == nil && ends.controller.keys == nil, "\(label())")
        guard clean else { return }
        var ends = ends
        ends.accessory.pairings = PairingList()
        if ends.accessory.isAtRest, ends.controller.isAtRest {
            // The connection is still good for another try.
            var again = ends
            again.startSetup()
            again.drain()
            #expect(again.controller.paired == golden.pairedAccessory, "\(label()), same connection")
            #expect(again.accessory.pairings.pairings == [golden.pairing], "\(label()), same connection")
        } else {
            ends.reconnect(golden)
            ends.startSetup()
            ends.drain()
            #expect(ends.controller.paired == golden.pairedAccessory, "\(label()), new connection")
            #expect(ends.accessory.pairings.pairings == [golden.pairing], "\(label()), new connection")
        }
    }

    @Test("a clean pair setup, and pair verify on the same connection")
    func clean() {
        var ends = TwoEnds(golden)
        ends.startSetup()
        ends.drain()
        #expect(ends.controller.paired == golden.pairedAccessory)
        #expect(ends.accessory.pairings.pairings == [golden.pairing])
        ends.startVerify()
        ends.drain()
        #expect(ends.controller.keys != nil && ends.controller.keys == ends.accessory.session?.keys)
        #expect(ends.accessory.served == 1)
        #expect(ends.controller.answers.map(\.status) == [200])
    }

    @Test("pair setup with a message dropped or doubled", arguments: 1...6)
    func setupDroppedOrDoubled(message: Int) {
        for fault in [TwoEnds.Fault.dropped, .doubled] {
            var ends = setup(before: message)
            #expect(ends.underWay.count == 1)
            ends.deliver(fault)
            ends.drain()
            checkSetup(ends, "\(fault) M\(message)")
            // Only the last answer can be lost to a pairing; a doubled one does not get in its way.
            if case .dropped = fault {
                #expect(ends.accessory.pairings.isEmpty == (message < 6))
                #expect(ends.controller.paired == nil)
            }
        }
    }

    @Test("pair setup with a message cut at every length", arguments: 1...6)
    func setupCut(message: Int) {
        let before = setup(before: message)
        let count = before.underWay[0].bytes.count
        for length in 0..<count {
            var ends = before
            ends.deliver(.cut(length))
            ends.drain()
            checkSetup(ends, "M\(message) cut at \(length)", clean: length % 16 == 0)
            #expect(ends.controller.paired == nil)
            #expect(ends.accessory.pairings.isEmpty == (message < 6))
        }
    }

    @Test("pair setup with each byte of a message flipped", arguments: 1...6)
    func setupFlipped(message: Int) {
        let before = setup(before: message)
        let bytes = before.underWay[0].bytes
        for index in bytes.indices {
            var ends = before
            ends.deliver(.flipped(index))
            ends.drain()
            checkSetup(ends, "M\(message) flipped at \(index)")
        }
    }

    /// Where the body of a clear message begins.
    private func bodyStart(_ bytes: [UInt8]) throws -> Int {
        let end = Array("\r\n\r\n".utf8)
        let index = bytes.indices.first { bytes[$0...].starts(with: end) }
        return try #require(index) + end.count
    }

    @Test("pair setup with anything but the state flipped in the body of M3 to M6 never pairs", arguments: 3...6)
    func setupBodies(message: Int) throws {
        let before = setup(before: message)
        let bytes = before.underWay[0].bytes
        let start = try bodyStart(bytes) + 3
        #expect(start < bytes.count)
        for index in start..<bytes.count {
            var ends = before
            ends.deliver(.flipped(index))
            ends.drain()
            #expect(ends.controller.paired == nil, "M\(message) flipped at \(index)")
            #expect(ends.accessory.pairings.isEmpty == (message < 6), "M\(message) flipped at \(index)")
        }
    }

    @Test("a wrong setup code never pairs, and is counted once an attempt")
    func wrongCode() throws {
        var ends = TwoEnds(golden)
        for attempt in 1...3 {
            let wrong = try SRPClient(
                setupCode: "031-45-155", salt: golden.server.salt, serverKey: golden.server.publicKey)
            ends.startSetup()
            ends.deliver()
            // The unknown controller's M3 takes the place of the controller's.
            let m3 = PairingTLV.message(3, (.publicKey, wrong.publicKey), (.proof, wrong.proof)).encoded
            var unknownPeer = MessageStream(role: .controller)
            let answers = ends.accessory.receive(
                try unknownPeer.encode(.request(HTTPRequest(.post, "/pair-setup", body: m3))))
            unknownPeer.received(answers.flatMap { $0 })
            let refusal = HTTPResponse(200, .pairingTLV8, body: PairingTLV.failure(4, .authentication).encoded)
            #expect(try unknownPeer.next() == .response(refusal))
            #expect(ends.accessory.failures == attempt)
            #expect(ends.accessory.pairings.isEmpty)
            ends.reconnect(golden)
        }
        ends.startSetup()
        ends.drain()
        #expect(ends.controller.paired == golden.pairedAccessory)
    }

    // MARK: Pair verify

    /// Both ends with this message under way: M1 to M4, the first sealed request (5), its answer (6).
    private func verify(before message: Int) -> TwoEnds {
        var ends = TwoEnds(golden, pairings: [golden.pairing])
        ends.startVerify()
        for _ in 1..<message { ends.deliver() }
        return ends
    }

    private func checkVerify(_ ends: TwoEnds, _ label: @autoclosure () -> String, clean: Bool = true) throws {
        let keys = try golden.sessionKeys
        if let session = ends.accessory.session {
            #expect(session.controller == golden.controller.controller && session.keys == keys, "\(label())")
        }
        if let mine = ends.controller.keys {
            #expect(mine == keys && ends.accessory.session != nil, "\(label())")
        }
        #expect(ends.accessory.served <= 1, "\(label())")
        if ends.accessory.served > 0 { #expect(ends.accessory.session != nil, "\(label())") }
        #expect(ends.accessory.pairings.pairings == [golden.pairing])
        guard clean else { return }
        var ends = ends
        let served = ends.accessory.served
        if !ends.accessory.isAtRest || !ends.controller.isAtRest { ends.reconnect(golden) }
        ends.startVerify()
        ends.drain()
        #expect(ends.accessory.session?.keys == keys && ends.controller.keys == keys, "\(label()), then clean")
        #expect(ends.accessory.served == served + 1, "\(label()), then clean")
        #expect(ends.controller.answers.map(\.status) == [200], "\(label()), then clean")
    }

    @Test("pair verify with a message dropped or doubled", arguments: 1...6)
    func verifyDroppedOrDoubled(message: Int) throws {
        for fault in [TwoEnds.Fault.dropped, .doubled] {
            var ends = verify(before: message)
            #expect(ends.underWay.count == 1)
            ends.deliver(fault)
            ends.drain()
            try checkVerify(ends, "\(fault) message \(message)")
            switch fault {
            case .dropped:
                #expect((ends.accessory.session != nil) == (message > 3))
                #expect((ends.controller.keys != nil) == (message > 4))
                #expect(ends.accessory.served == (message > 5 ? 1 : 0))
            case .doubled where message == 3:
                // Clear bytes behind the switch.
                #expect(ends.accessory.isClosed)
            case .doubled where message == 5:
                // A frame that came twice.
                #expect(ends.accessory.isClosed && ends.accessory.served == 1)
            case .doubled where message == 4 || message == 6:
                #expect(ends.controller.isClosed)
            default: break
            }
        }
    }

    @Test("pair verify with a message cut at every length", arguments: 1...6)
    func verifyCut(message: Int) throws {
        let before = verify(before: message)
        for length in 0..<before.underWay[0].bytes.count {
            var ends = before
            ends.deliver(.cut(length))
            ends.drain()
            try checkVerify(ends, "message \(message) cut at \(length)", clean: length % 8 == 0)
            #expect((ends.accessory.session != nil) == (message > 3))
            #expect((ends.controller.keys != nil) == (message > 4))
            #expect(ends.accessory.served == (message > 5 ? 1 : 0))
        }
    }

    @Test("pair verify with each byte of a message flipped", arguments: 1...6)
    func verifyFlipped(message: Int) throws {
        let before = verify(before: message)
        let bytes = before.underWay[0].bytes
        let bodyStart = message < 5 ? try bodyStart(bytes) : 0
        for index in bytes.indices {
            var ends = before
            ends.deliver(.flipped(index))
            ends.drain()
            try checkVerify(ends, "message \(message) flipped at \(index)")
            guard index >= bodyStart else { continue }
            switch message {
            case 1: #expect(ends.controller.keys == nil && ends.accessory.session == nil, "M1 at \(index)")
            case 2 where index >= bodyStart + 3:
                #expect(ends.controller.keys == nil && ends.accessory.session == nil, "M2 at \(index)")
            case 3: #expect(ends.controller.keys == nil && ends.accessory.session == nil, "M3 at \(index)")
            case 4: #expect(ends.controller.keys == nil, "M4 at \(index)")
            case 5: #expect(ends.accessory.served == 0, "request at \(index)")
            case 6: #expect(ends.controller.answers.isEmpty, "answer at \(index)")
            default: break
            }
        }
    }

    @Test("a controller without a pairing gets no session, and one with a pairing does on the same connection")
    func unknownController() throws {
        var ends = TwoEnds(golden)
        ends.startVerify()
        ends.drain()
        #expect(ends.accessory.session == nil && ends.controller.keys == nil)
        ends.accessory.pairings = PairingList([golden.pairing])
        #expect(ends.accessory.isAtRest && ends.controller.isAtRest)
        ends.startVerify()
        ends.drain()
        #expect(ends.accessory.served == 1)
    }

    @Test("pairing within a session is refused")
    func withinSession() throws {
        var ends = TwoEnds(golden, pairings: [golden.pairing])
        ends.startVerify()
        ends.drain()
        ends.startSetup()
        ends.drain()
        #expect(ends.controller.answers.map(\.status) == [200, 400])
        #expect(ends.controller.paired == nil)
    }
}
